// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the calling thread does for which runtime. The object is the worker's, or on the stack of a thread that lends
// itself to block_on; the only static state of the scheduler is the thread-local pointer to it.
#include <weir/budget.hpp>
#include <weir/config.hpp>
#include <weir/detail/fork.hpp>
#include <weir/detail/task_header.hpp>

#include <cstdint>
#include <utility>

namespace weir {
class entered;
}

namespace weir::rt {

class worker;
class runtime_core;

struct thread_context {
  worker* on = nullptr;                // null: a borrowed thread
  detail::task_header* task = nullptr; // the one being polled
  runtime_core* core = nullptr;        // where spawn() goes
  runtime_core* serves = nullptr;      // whose closure the thread runs
  entered* innermost = nullptr;        // the entered context, if there is one
  std::uint32_t steps_left = 0;        // of the current poll's budget
  detail::fork_list* forks = nullptr;  // of the stack that runs: the thread's or a fiber's
  detail::fork_list own_forks{};
  std::chrono::nanoseconds cpu_since{}; // the thread's CPU time when the poll began, for tasks that account it
};

/// A poll's budget; restores the outer poll's when it ends.
class poll_budget {
public:
  explicit poll_budget(thread_context& of) noexcept : of_(of), outer_(std::exchange(of.steps_left, steps_per_poll)) {}
  poll_budget(const poll_budget&) = delete;
  poll_budget& operator=(const poll_budget&) = delete;
  ~poll_budget() { of_.steps_left = outer_; }

private:
  thread_context& of_;
  std::uint32_t outer_;
};

/// Null on a thread that runs nothing for a runtime. Read anew after every suspension, because a task may change
/// threads; hence never inlined, or a compiler would keep the thread-local's address across one.
WEIR_NOINLINE thread_context* current_context() noexcept;
/// Sets the pointer and returns what it was.
WEIR_NOINLINE thread_context* set_current_context(thread_context* context) noexcept;

} // namespace weir::rt
