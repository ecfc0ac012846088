// SPDX-License-Identifier: Apache-2.0
#pragma once

// One armed timer as its waiter holds it. src/time/timer_cell.hpp has the protocol.
#include <weir/detail/task_header.hpp>

#include <chrono>
#include <coroutine>
#include <cstdint>

namespace weir {
namespace rt {
struct timer_cell;
class timer_store;
} // namespace rt

namespace detail {

struct timer_ticket {
  rt::timer_cell* cell = nullptr;
  rt::timer_store* store = nullptr;
  std::uint64_t armed = 0;
};

/// Wakes one task at a deadline, unless it is destroyed before.
class armed_timer {
public:
  armed_timer() = default;
  armed_timer(const armed_timer&) = delete;
  armed_timer& operator=(const armed_timer&) = delete;
  ~armed_timer() { cancel(); }

  /// Arms the timer, once. Thread: the one that polls `task`. Errors: std::bad_alloc.
  void arm(task_header& task, std::chrono::nanoseconds deadline);
  bool is_armed() const noexcept { return task_ != nullptr; }
  bool has_fired() const noexcept;
  /// Takes the arming back, if it has not fired.
  void cancel() noexcept;

private:
  timer_ticket ticket_;
  task_header* task_ = nullptr;
};

/// The clock of the calling thread's runtime, or the system's steady clock outside; nanoseconds of that clock.
std::chrono::nanoseconds current_time() noexcept;

/// Suspends the awaiting coroutine `self` until the deadline. False: it has passed, go on. A coroutine that is no part
/// of a task blocks its thread.
bool suspend_until_deadline(armed_timer& timer, std::chrono::nanoseconds deadline, std::coroutine_handle<> self,
                            bool is_part_of_task);
/// Suspends the calling fiber, or blocks the calling thread (as a blocking region on a worker), until the deadline.
void wait_for_deadline(std::chrono::nanoseconds deadline);

} // namespace detail
} // namespace weir
