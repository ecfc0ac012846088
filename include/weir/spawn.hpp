// SPDX-License-Identifier: Apache-2.0
#pragma once

// Spawning from inside a task, where the runtime is the one that runs it.
#include <weir/runtime.hpp>

namespace weir {

/// Starts a task on the runtime of the calling task.
///
/// Errors: throws std::system_error with errc::no_runtime on a thread that runs no task. Thread: workers, and threads
/// in block_on.
template <class T>
join_handle<T> spawn(task<T> body, spawn_options options = {},
                     std::source_location site = std::source_location::current()) {
  return detail::spawn_on(detail::current_core(), std::move(body), options, site);
}

/// As runtime::spawn_fiber(), on the runtime of the calling task.
template <class F>
auto spawn_fiber(F function, spawn_options options = {}, std::source_location site = std::source_location::current()) {
  return detail::spawn_fiber_on(detail::current_core(), std::move(function), options, site);
}

/// As runtime::spawn_blocking(), on the runtime of the calling task.
template <class F>
auto spawn_blocking(F function, spawn_options options = {},
                    std::source_location site = std::source_location::current()) {
  return detail::spawn_blocking_on(detail::current_core(), std::move(function), options, site);
}

/// As runtime::block_on(), on the runtime of the calling task.
template <class T> T block_on(task<T> body, std::source_location site = std::source_location::current()) {
  return detail::block_on_core(detail::current_core(), std::move(body), site);
}

} // namespace weir
