// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/event.hpp>

#include <cstddef>

namespace weir {

/// A count that goes down once. Waits end when it reaches zero.
///
/// Thread:   any. Lifetime: as event: a waiter whose wait has ended may destroy it at once.
/// Cost:     no allocation; one atomic for a count down.
class latch {
public:
  explicit latch(std::size_t count) noexcept : count_(count) {
    if (count == 0) done_.set();
  }

  /// Subtracts `by`, which must not be more than what is left.
  void count_down(std::size_t by = 1) noexcept;
  /// True once the count is zero.
  bool is_done() const noexcept { return done_.is_set(); }

  /// Waits until the count is zero.
  ///
  /// Suspends: a task or any other coroutine; one that is no weir task is resumed on the thread that counts down.
  /// Cancels:  the wait is withdrawn.
  auto operator co_await() noexcept { return done_.waiting(); }
  /// Counts down by one, then waits.
  ///
  /// Suspends: as co_await; the count goes down when this is called.
  /// Cancels:  the wait is withdrawn; what was counted stays counted.
  auto arrive_and_wait() noexcept {
    count_down();
    return done_.waiting();
  }
  /// The same wait as a value, for with_stop() and its kind.
  auto waiting() noexcept { return done_.waiting(); }
  /// Waits like co_await, from plain code.
  ///
  /// Suspends: a fiber; a thread blocks, as in a blocking region when it is a worker.
  /// Cancels:  a stopped fiber unwinds.
  void wait() { done_.wait(); }

private:
  // Nobody waits for the count itself: who reads zero there might destroy the latch before set() is called.
  detail::atomic<std::size_t> count_;
  event done_;
};

} // namespace weir
