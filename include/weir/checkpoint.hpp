// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/detail/task_cell.hpp>

#include <coroutine>

namespace weir {
namespace detail {

/// True when somebody waits for the permit under which the calling thread runs and the current poll had its share.
bool is_asked_to_yield() noexcept;
/// Lets the current coroutine task be queued again when its poll ends. False: the caller is no coroutine task, go on.
bool suspend_to_yield(std::coroutine_handle<> self, bool was_asked) noexcept;
/// The same for the current fiber; returns after it was polled again.
void yield_fiber(bool was_asked);

struct yield_awaiter {
  bool was_asked = false; // counted as a preemption
  bool await_ready() const noexcept { return false; }
  template <class Promise> bool await_suspend(std::coroutine_handle<Promise> self) const noexcept {
    return is_part_of_task<Promise> && suspend_to_yield(self, was_asked);
  }
  void await_resume() const noexcept {}
};

struct checkpoint_awaiter {
  bool await_ready() const noexcept { return !is_asked_to_yield(); }
  template <class Promise> bool await_suspend(std::coroutine_handle<Promise> self) const noexcept {
    return is_part_of_task<Promise> && suspend_to_yield(self, true);
  }
  void await_resume() const noexcept {}
};

/// Gives way as checkpoint() does once asked; for code that was told through preemptible::ask_to_yield().
inline yield_awaiter yield_as_asked() noexcept { return {true}; }

} // namespace detail

/// Lets every other ready task of this permit run before the caller goes on.
///
/// Suspends: a coroutine task; elsewhere it does nothing. Cancels: the task ends here when it was stopped.
[[nodiscard]] inline detail::yield_awaiter yield() noexcept { return {}; }

/// Gives way if the scheduler asks for it: the poll is older than runtime_options::slice and other work waits for the
/// permit, or a caller returns from a blocking region.
///
/// Suspends: a coroutine task, only when asked. Cancels: as yield(). Cost: two loads when not asked.
[[nodiscard]] inline detail::checkpoint_awaiter checkpoint() noexcept { return {}; }

namespace this_fiber {

/// As weir::yield(), for fiber tasks. Cancels: unwinds the fiber's stack when it was stopped.
inline void yield() { detail::yield_fiber(false); }

/// As weir::checkpoint(), for fiber tasks.
inline void checkpoint() {
  if (detail::is_asked_to_yield()) detail::yield_fiber(true);
}

} // namespace this_fiber
} // namespace weir
