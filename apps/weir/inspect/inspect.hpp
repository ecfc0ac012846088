// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace weir::cli {

/// `weir inspect`: shows what a file is made of and returns the exit status.
int inspect_program(std::span<const std::string> words);

} // namespace weir::cli
