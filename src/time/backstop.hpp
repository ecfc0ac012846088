// SPDX-License-Identifier: Apache-2.0
#pragma once

// Until when the monitor sleeps when it does not look by itself: `patience` after the first deadline of all timers. Who arms a
// timer that is due earlier wakes it.
//
// Who writes  R1 until_: the monitor alone; 0 while it is awake.
// Orderings   O1 an armer places its timer, fences (timer_wheel.hpp O3), and reads until_; the monitor stores until_, fences, and looks
//             at the wheels again. Either it sees the timer or the armer wakes it. The same after an advance, for cells that
//             moved while nobody could see them.
#include "base/clock.hpp"

#include <weir/detail/atomic.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace weir::rt {

class backstop {
public:
  static constexpr duration patience = std::chrono::milliseconds(4);

  /// Until when the caller may sleep, `limit` at most; `first()` is the first deadline that there is. Thread: the monitor.
  template <class First> instant set(instant limit, First&& first) noexcept {
    instant until;
    do {
      until = std::min(limit, first() + patience);
      until_.store(until.nanoseconds, detail::memory_order::relaxed);
      detail::seq_cst_fence(); // O1
    } while (first() + patience < until);
    return until;
  }
  /// Thread: the monitor.
  void clear() noexcept { until_.store(0, detail::memory_order::relaxed); }

  /// True: the monitor would sleep too long for a timer with this deadline, and the caller wakes it. Thread: any, after a
  /// sequentially consistent fence that follows the placing.
  bool is_too_late_for(instant deadline) const noexcept {
    return (deadline + patience).nanoseconds < until_.load(detail::memory_order::relaxed); // O1
  }

private:
  detail::atomic<std::int64_t> until_{0};
};

} // namespace weir::rt
