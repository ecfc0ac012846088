// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/task.hpp>
#include <weir/wasm/detail/host_function.hpp>

#include <optional>

namespace weir::wasm::detail {

/// Runs a host coroutine for a call that cannot wait. None: it suspended, and was destroyed there.
///
/// An exception of the coroutine leaves through this call.
std::optional<host_values> run_inline(task<host_values> body);

} // namespace weir::wasm::detail
