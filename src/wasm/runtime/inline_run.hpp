// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/task.hpp>
#include <weir/wasm/detail/host_function.hpp>

#include <optional>

namespace weir::wasm::detail {

/// Runs a host coroutine for a call that cannot wait. None: it suspended, or may not start because the thread polls a
/// task whose scheduler would take the coroutine's suspension for the task's own; it is destroyed.
///
/// An exception of the coroutine leaves through this call.
std::optional<host_values> run_inline(task<host_values> body);

} // namespace weir::wasm::detail
