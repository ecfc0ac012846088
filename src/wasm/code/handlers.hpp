// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the translator knows of the interpreter: the address of the code for an operation. Defined by interp/.
#include "wasm/code/op.hpp"

#include <cstddef>
#include <cstdint>

namespace weir::wasm::detail {

/// The handler of an operation for that variant(); 0 when the interpreter has none.
std::uintptr_t find_handler(op one, std::size_t which);
/// The handler of function_code::stub.
std::uintptr_t translate_handler();

} // namespace weir::wasm::detail
