// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wasm/binary/module_data.hpp"
#include "wasm/runtime/objects.hpp"

#include <cstdint>

namespace weir::wasm::detail {

/// The value of a validated constant expression. The functions and globals it names must be in place.
std::uint64_t evaluate(const const_expression& expression, const instance_object& instance);

} // namespace weir::wasm::detail
