// SPDX-License-Identifier: Apache-2.0
#pragma once

// Puts one thread to sleep until another wakes it. A wake that comes first is remembered, so it is never lost; many
// wakes before one park count as one.
//
//   state     word       meaning
//   empty     0          the owner is awake, nobody has notified it
//   parked    1          the owner sleeps, or is about to sleep or to return
//   notified  2          a notify waits for the owner
//
// Who writes  R1 only the owner writes `parked` and `empty`, always by exchange, so that no notify is overwritten
// unseen.
//             R2 anybody writes `notified`, by exchange; whoever replaced `parked` calls the kernel, nobody else does.
// Orderings   O1 unpark's exchange (release) pairs with the owner's exchange (acquire) that reads `notified`: what the
// waker
//                wrote before unpark() is seen after park(). The same holds for each of several wakes that count as
//                one, because every exchange continues the release sequence of the one before.
// Shutdown    the owner may destroy the parker when it returned from park() and every waker has left unpark(), or when
// a waker
//             is only in its kernel call, which uses the address as a key and does not read the word.
// Rejected    a condition variable (two words and a lock for one bit); std::atomic::wait (libstdc++ 12 spins through a
// shared
//             table of waiters and offers no deadline); an eventfd (a descriptor a thread and a system call even when
//             awake).
#include "base/clock.hpp"
#include "os/futex.hpp"

#include <weir/detail/atomic.hpp>

#include <cstdint>

namespace weir::rt {

class parker {
public:
  parker() noexcept = default;
  parker(const parker&) = delete;
  parker& operator=(const parker&) = delete;

  /// Sleeps until somebody calls unpark(), or returns at once when somebody has since the last park.
  ///
  /// Suspends: blocks the thread.
  /// Thread:   the owner only.
  void park() noexcept { park_until(instant::never()); }

  /// As park(), but gives up at `deadline`; false when it did and there was no notify.
  bool park_until(instant deadline) noexcept {
    bool had_notify = word_.exchange(parked, detail::memory_order::acquire) == notified; // O1
    if (WEIR_MUTANT("parker: a notify before the park is overwritten")) had_notify = false;
    while (!had_notify && word_.load(detail::memory_order::relaxed) == parked) {
      if (!os::futex_wait(word_, parked, deadline)) break;
    }
    return word_.exchange(empty, detail::memory_order::acquire) == notified || had_notify; // O1
  }

  /// Wakes the owner, or lets its next park() return at once.
  ///
  /// Thread: any.
  void unpark() noexcept {
    if (word_.exchange(notified, detail::memory_order::release) == parked) os::futex_wake(word_); // O1
  }

  /// The first half of unpark(): true when wake_sleeper() must follow. For a waker who then tells the owner that it may
  /// destroy the parker.
  [[nodiscard]] bool set_notified() noexcept {
    return word_.exchange(notified, detail::memory_order::release) == parked; // O1
  }
  /// The second half; the parker may be gone, only its address is used.
  void wake_sleeper() noexcept { os::futex_wake(word_); }

private:
  static constexpr std::uint32_t empty = 0;
  static constexpr std::uint32_t parked = 1;
  static constexpr std::uint32_t notified = 2;

  detail::atomic<std::uint32_t> word_{empty};
};

} // namespace weir::rt
