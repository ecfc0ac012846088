// SPDX-License-Identifier: Apache-2.0
#pragma once

// The other variant of the library, and of this command's part that runs guests, in the same program: src/sim/CMakeLists.txt.
#include <span>
#include <string>

namespace weir_simulated::cli {

/// As weir::cli::run_programs(), in a simulation.
int run_programs(std::span<const std::string> words);

} // namespace weir_simulated::cli
