// SPDX-License-Identifier: Apache-2.0
#pragma once

// A command line over the models of a program (registry.hpp). A program that links weir::check_main has it as its main():
//
//   my_models                                    explores every model
//   my_models ring engine=pct seed=7             those with "ring" in their names, with settings (settings.hpp)
//   my_models --list
//   my_models ring --mutants                     with each order weakened and each mutation, as verify() does
//   my_models ring --replay=w1:...               one execution again
//   my_models ring --json=FILE --dot=FILE --perfetto=FILE      what failed, for tools

namespace weir::check {

/// Does what the arguments say, and prints a line for each model and a report for each failure to stdout. Returns 0 when
/// nothing was found, 1 when something was, 2 when the arguments make no sense (on stderr).
int run_models(int argc, const char* const* argv);

} // namespace weir::check
