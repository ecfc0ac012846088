// SPDX-License-Identifier: Apache-2.0
#pragma once

// Budgets: a task that never waits gives way after a fixed number of steps, at places that the program chooses.
//
//   while (auto item = queue.try_pop()) {
//     handle(*item);
//     co_await weir::consume_budget();
//   }
#include <weir/checkpoint.hpp>

#include <coroutine>
#include <cstdint>

namespace weir {

/// How many steps each poll of a task has. All branches of the task share them.
inline constexpr std::uint32_t steps_per_poll = 128;

/// The steps that the current poll has left; steps_per_poll outside a task.
std::uint32_t remaining_budget() noexcept;

namespace detail {

/// Takes one step; false when the poll has none left. True outside a task.
bool spend_step() noexcept;

struct budget_awaiter {
  bool await_ready() const noexcept { return spend_step(); }
  template <class Promise> bool await_suspend(std::coroutine_handle<Promise> self) const noexcept {
    return is_part_of_task<Promise> && suspend_to_yield(self, false);
  }
  void await_resume() const noexcept {}
};

} // namespace detail

/// Takes one of the poll's steps; when none is left, lets every other ready task of this permit run first.
///
/// A poll that runs inside another one, as in a nested block_on, has steps of its own; the outer one's are as before
/// when it ends, by an exception too.
///
/// Suspends: a coroutine task, at the 129th step of a poll; elsewhere it does nothing.
/// Cancels:  the task ends here when it was stopped, once the steps are used up.
/// Cost:     a few instructions.
[[nodiscard]] inline detail::budget_awaiter consume_budget() noexcept { return {}; }

namespace this_fiber {

/// As weir::consume_budget(), for fiber tasks. Cancels: unwinds the fiber's stack when it was stopped.
inline void consume_budget() {
  if (!detail::spend_step()) detail::yield_fiber(false);
}

} // namespace this_fiber
} // namespace weir
