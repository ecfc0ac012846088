// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wasm/runtime/compiled_module.hpp"
#include "wasm/runtime/objects.hpp"

#include <weir/wasm/error.hpp>
#include <weir/wasm/extern.hpp>

#include <memory>
#include <span>

namespace weir::wasm::detail {

/// Makes an instance up to its start function, which is left to the caller: checks the imports and the limits,
/// allocates in the order of the index spaces, then writes the active element and data segments in the order of the
/// module.
///
/// Errors: errc::unlinkable and errc::limit_exceeded, before anything is written; errc::trap when a segment does not
/// fit,
///         after which the instance and what the segments before it wrote stay.
result<instance_object*> make_instance(store_data& store, std::shared_ptr<const compiled_module> module,
                                       std::span<const extern_value> imports);

/// The start function; null when there is none.
func_object* start_of(const instance_object& instance);

} // namespace weir::wasm::detail
