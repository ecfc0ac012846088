// SPDX-License-Identifier: Apache-2.0
#pragma once

// Drives calls into guests: runs an activation, and does what it asks for when it stops.
//
// A synchronous call goes on at every checkpoint, since its native frames cannot be left. An asynchronous one gives way
// there and awaits the coroutines of host functions; between two runs nothing of it is on any thread's stack.
#include "wasm/runtime/objects.hpp"

#include <weir/task.hpp>
#include <weir/wasm/detail/host_function.hpp>
#include <weir/wasm/error.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace weir::wasm::detail {

/// How deep synchronous calls may nest through host functions. Each level stands on the native stack.
inline constexpr unsigned max_nested_calls = 100;

/// `results` has room for the function's results. Types have been checked.
result<void> call(store_data& store, func_object& function, std::span<const std::uint64_t> arguments,
                  std::span<std::uint64_t> results);

/// The same as a coroutine; both objects must outlive it.
task<host_values> call_async(store_data* store, func_object* function, std::vector<std::uint64_t> arguments);

} // namespace weir::wasm::detail
