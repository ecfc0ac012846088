// SPDX-License-Identifier: Apache-2.0
#pragma once

// All timers of a runtime, and who looks at them when.
//
// Who fires   a worker       every 16th round of its search its own permit's wheel, every 256th all; all before it goes
//                            idle
//             the watcher    a worker that sleeps without a permit, until the first deadline of all: at most one sleeps
//                            with the earliest deadline, the others without any
//             a root's thread  sleeps until the first deadline of the store that threads without a permit share
//             the monitor    at its own pace while it is awake; in its deep sleep until backstop::patience after the first
//                            deadline, for polls and regions that are longer than anybody else may wait for
// Whoever takes a cell out claims it, wakes its task, and puts the task where it would put any woken one.
//
// Who writes  R1 watched_: a sleeper that watches lowers it; the same one resets it when it stops, unless it was
//                lowered since. R2 burst_: whoever fires; a hint.
// Lateness    never early: a deadline is rounded up to a tick of 65,536 ns. A tick plus a wake-up when a worker sleeps
//             and watches or polls are short; at most `patience` more when every poll and region is long. When many
//             timers were due at once the watcher sleeps until a multiple of 16 ticks (a millisecond): a million
//             sleepers would otherwise wake it at every tick.
// Idle        without armed timers nobody sleeps with a deadline, so nothing ever wakes.
// Clocks      with a clock that a test moves nobody sleeps until a deadline; the test calls fire_due() (through the
//             monitor's scan).
// Rejected    waking a sleeping worker whenever an earlier timer is armed: the armer mostly goes to sleep itself at
//             once and then watches, and two threads would wake for one timer.
#include "base/clock.hpp"
#include "base/parker.hpp"
#include "base/spin_lock.hpp"
#include "time/backstop.hpp"
#include "time/timer_store.hpp"

#include <weir/detail/timer.hpp>

namespace weir::rt {

class runtime_core;

class timer_set {
public:
  static constexpr unsigned tick_bits = 16; // nanoseconds of a tick, as a power of two

  timer_set(runtime_core& core, bool has_manual_clock) noexcept : core_(core), has_manual_clock_(has_manual_clock) {}

  /// Arms a timer that wakes `task`, the one that the calling thread polls. Errors: std::bad_alloc.
  detail::timer_ticket arm(detail::task_header& task, instant deadline);

  /// Fires what is due in the store. True: something was.
  bool fire_store(timer_store& store, instant now) noexcept;
  /// Fires what is due anywhere; reads the clock only when a timer is armed. `late`: leaves what is due for less.
  bool fire_due(duration late = duration::zero()) noexcept;
  /// As fire_due(), for the monitor, which leaves to the others what they may be about to fire.
  void fire_late() noexcept {
    fire_due(has_manual_clock_ ? duration::zero() : duration(std::chrono::microseconds(1500)));
  }
  /// As fire_due() for one store.
  bool fire_due_of(timer_store& store) noexcept;

  /// Parks a thread that holds no permit, or waits inside a region, for as long as no timer is due that it watches.
  ///
  /// Returns: false when a deadline came instead of a notify; the caller then fires what is due.
  bool park(parker& sleeper) noexcept;
  /// Parks a thread from outside that waits for its root.
  void park_root(parker& sleeper) noexcept;
  /// For the monitor's deep sleep; false when `limit` or a timer's time for it came.
  bool park_monitor(parker& sleeper, instant limit) noexcept;

  /// The first deadline of the permits' timers; never when none is armed. Thread: any.
  instant next() const noexcept;

private:
  static std::uint64_t tick_of(instant deadline) noexcept;
  static instant instant_of(std::uint64_t tick) noexcept;
  /// Until when the watcher sleeps.
  instant next_watch() const noexcept;
  void fire(timer_store& store, cell_chain due) noexcept;
  void tell_monitor(instant deadline) noexcept;

  runtime_core& core_;
  const bool has_manual_clock_;
  detail::atomic<std::int64_t> watched_{instant::never().nanoseconds};
  backstop backstop_;
  detail::atomic<std::size_t> burst_{0}; // timers that were due at once, the last time
  spin_lock shared_lock_{"the lock of the timers of threads without a permit"};
  timer_store shared_;
};

} // namespace weir::rt
