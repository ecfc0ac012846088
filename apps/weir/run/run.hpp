// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace weir::cli {

/// `weir run`: runs programs side by side and returns the exit status.
int run_programs(std::span<const std::string> words);

} // namespace weir::cli
