// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text of translated code, for people and for tests.
#include "wasm/code/function_code.hpp"

#include <string>

namespace weir::wasm::detail {

/// One line a cell: its number, the operation, where the result goes and where the operands come from, as in
/// `  4  i32_add  local3 <- local3, #1`. Second cells show their word, as `-> 7` when it is a place in the same
/// function.
std::string print_code(const function_code& function);

} // namespace weir::wasm::detail
