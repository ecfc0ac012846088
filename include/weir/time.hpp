// SPDX-License-Identifier: Apache-2.0
#pragma once

// Waiting for an instant: sleeps, and ticks of an interval. For coroutines, fibers and plain threads:
//
//   co_await weir::sleep_for(10ms);         // a coroutine
//   weir::sleep_for(10ms).wait();           // a fiber, or any thread
//
//   weir::interval every(100ms, weir::missed_tick::skip);
//   for (;;) { co_await every.tick(); poll_sensor(); }
#include <weir/check.hpp>
#include <weir/detail/task_cell.hpp>
#include <weir/detail/timer.hpp>

#include <chrono>
#include <coroutine>

namespace weir {

/// An instant of the steady clock, or of the clock that a test has given to the runtime.
using time_point = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

/// Reads the clock of the calling task's runtime, or the steady clock on a thread that runs no task.
inline time_point now() noexcept { return time_point(detail::current_time()); }

namespace detail {

// Awaited once. The timer is armed by await_suspend(), when the awaiter has its final place.
class deadline_awaiter {
public:
  explicit deadline_awaiter(std::chrono::nanoseconds deadline, bool has_passed) noexcept
      : deadline_(deadline), has_passed_(has_passed) {}

  bool await_ready() const noexcept { return has_passed_; }
  template <class Promise> bool await_suspend(std::coroutine_handle<Promise> self) {
    return suspend_until_deadline(timer_, deadline_, self, is_part_of_task<Promise>);
  }
  void await_resume() const noexcept {}

private:
  std::chrono::nanoseconds deadline_;
  armed_timer timer_;
  bool has_passed_;
};

} // namespace detail

/// What sleep_for() and sleep_until() return: await it in a coroutine, or call wait().
class [[nodiscard]] sleep_operation {
public:
  sleep_operation(std::chrono::nanoseconds deadline, bool has_passed) noexcept
      : deadline_(deadline), has_passed_(has_passed) {}

  /// Suspends: a task; a coroutine that is no part of one blocks its thread, as a blocking region on a worker.
  /// Cancels:  a task that is stopped meanwhile ends here, at once.
  detail::deadline_awaiter operator co_await() const noexcept {
    return detail::deadline_awaiter(deadline_, has_passed_);
  }

  /// Waits like co_await, from plain code.
  ///
  /// Suspends: a fiber; a thread blocks, as a blocking region when it is a worker, and by the system's clock.
  /// Cancels:  a fiber that is stopped meanwhile unwinds.
  void wait() const {
    if (!has_passed_) detail::wait_for_deadline(deadline_);
  }

private:
  std::chrono::nanoseconds deadline_;
  bool has_passed_;
};

/// Waits until `deadline`.
///
/// Units:  rounded up to 65.536 us, never early.
/// Errors: std::bad_alloc from the wait, when a permit has more timers than ever before and there is no memory.
/// Cost:   no allocation of its own and no lock, to cancel too; nothing when the deadline has passed.
inline sleep_operation sleep_until(time_point deadline) noexcept {
  return {deadline.time_since_epoch(), deadline <= now()};
}

/// As sleep_until(), for a time from now. A span that is zero or less does not suspend.
inline sleep_operation sleep_for(std::chrono::nanoseconds span) noexcept {
  if (span.count() <= 0) return {{}, true};
  std::chrono::nanoseconds since = detail::current_time();
  constexpr auto longest = std::chrono::nanoseconds::max();
  return {span > longest - since ? longest : since + span, false};
}

/// What an interval does about ticks that nobody took in time.
enum class missed_tick : std::uint8_t {
  burst, ///< gives them at once, one after the other, until it has caught up
  delay, ///< starts anew: the next tick comes a whole period after the late one was taken
  skip,  ///< leaves them out: the next tick is the next multiple of the period
};

namespace detail {

/// When the tick after the one that was due at `due` and taken at `now` is due. A tick is late when it is taken more
/// than half a period, or five milliseconds if that is less, after it was due.
std::chrono::nanoseconds tick_after(std::chrono::nanoseconds due, std::chrono::nanoseconds now,
                                    std::chrono::nanoseconds period, missed_tick policy) noexcept;

} // namespace detail

/// Ticks at equal distances. The first tick is due at once, or at the given instant.
///
/// Thread: one task or thread at a time.
class interval {
public:
  explicit interval(std::chrono::nanoseconds period, missed_tick policy = missed_tick::burst);
  interval(time_point first, std::chrono::nanoseconds period, missed_tick policy = missed_tick::burst);

  std::chrono::nanoseconds period() const noexcept { return period_; }
  /// When the next tick is due.
  time_point next() const noexcept { return time_point(due_); }
  /// Makes the next tick due a whole period from now.
  void reset() noexcept { due_ = detail::current_time() + period_; }

  class [[nodiscard]] tick_operation;
  /// Waits for the next tick; gives the instant at which it was due.
  ///
  /// Suspends: as sleep_until(). Cancels: the tick stays due. Lifetime: the interval outlives the wait.
  tick_operation tick() noexcept;

private:
  time_point take() noexcept {
    std::chrono::nanoseconds due = due_;
    due_ = detail::tick_after(due, detail::current_time(), period_, policy_);
    return time_point(due);
  }

  std::chrono::nanoseconds due_;
  std::chrono::nanoseconds period_;
  missed_tick policy_;
};

/// What interval::tick() returns: await it in a coroutine, or call wait().
class interval::tick_operation {
public:
  explicit tick_operation(interval& of) noexcept : of_(of) {}

  auto operator co_await() const noexcept {
    struct awaiter : detail::deadline_awaiter {
      interval& of;
      explicit awaiter(interval& ticks) noexcept : deadline_awaiter(ticks.due_, ticks.next() <= now()), of(ticks) {}
      // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): nobody calls it through the base
      time_point await_resume() const noexcept { return of.take(); }
    };
    return awaiter(of_);
  }

  /// Waits like co_await, from a fiber or any thread.
  ///
  /// Suspends: a fiber; a thread blocks. Cancels: a fiber unwinds, and the tick stays due.
  time_point wait() const {
    sleep_until(of_.next()).wait();
    return of_.take();
  }

private:
  interval& of_;
};

inline interval::tick_operation interval::tick() noexcept { return tick_operation(*this); }

} // namespace weir
