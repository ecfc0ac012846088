// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether what exists fits what a module imports.
#include "wasm/runtime/compiled_module.hpp"

#include <weir/wasm/error.hpp>
#include <weir/wasm/extern.hpp>

#include <span>
#include <string>
#include <string_view>

namespace weir::wasm::detail {

/// `"module"."name"` for messages.
std::string quoted(std::string_view module_name, std::string_view name);

error unknown_import(const module_import& wanted);

/// Checks each item against the import of the same position.
///
/// Errors: errc::unlinkable, in the words of the reference interpreter, with both types.
result<void> check_imports(const module_data& module, std::span<const extern_value> items);

} // namespace weir::wasm::detail
