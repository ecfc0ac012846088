// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace weir::cli {

/// The whole command: finds the subcommand that the first word names, runs it and returns the exit status.
int run_command(std::span<const std::string> words);

} // namespace weir::cli
