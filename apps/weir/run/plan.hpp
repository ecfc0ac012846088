// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/args.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace weir::cli {

/// One guest to be: a program of the request, or one of its copies.
struct guest_plan {
  std::string name;        ///< unique in the run
  std::size_t program = 0; ///< index in run_request::programs
  bool has_standard_input = false;
};

/// The guests of a request in the order of the command line.
///
/// A guest is called like its program's file; where several would be called the same, copies or not, they are numbered
/// from 1.
std::vector<guest_plan> plan_guests(const run_request& request);

} // namespace weir::cli
