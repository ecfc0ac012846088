// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether the monitor sleeps without a period, so that whoever makes work for it knows to wake it.
//
//   0  it is awake, or somebody has ended its sleep
//   1  it sleeps, or is about to look once more before it does
//
// Who writes  R1 the monitor sets and resets; whoever else resets it, by exchange, is the one who unparks the monitor.
// Orderings   O1 the monitor sets it, fences, and looks for demand; a publisher pushes, fences, and reads it. One of the two sees
//             the other: no demand is left while the monitor sleeps.
// Rejected    an unpark for every publisher (a wake-up costs more than most tasks, and the monitor has nothing to do mostly).
#include <weir/detail/atomic.hpp>

namespace weir::rt {

class deep_sleep {
public:
  /// The caller is going to sleep; it looks for demand after this and before it does. Thread: the monitor.
  void begin() noexcept {
    is_on_.store(1, detail::memory_order::relaxed);
    detail::seq_cst_fence(); // O1
  }
  /// Thread: the monitor.
  void leave() noexcept { is_on_.store(0, detail::memory_order::relaxed); }
  bool is_on() const noexcept { return is_on_.load(detail::memory_order::relaxed) != 0; }

  /// True: the caller has ended the sleep, and unparks the sleeper. Thread: any, after a push and a sequentially consistent
  /// fence. Cost: one load when nobody sleeps.
  [[nodiscard]] bool end() noexcept { return is_on() && is_on_.exchange(0, detail::memory_order::relaxed) != 0; }

private:
  detail::atomic<std::uint32_t> is_on_{0};
};

} // namespace weir::rt
