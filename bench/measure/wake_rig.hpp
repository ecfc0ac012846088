// SPDX-License-Identifier: Apache-2.0
#pragma once

// Latency of a wake from outside: from before the wake call of a plain thread to the first statement of the woken task.
//
// The waking thread owns stamp_ and writes it before each wake; the task reads it (the wake orders the two), writes its
// slot of the latencies and then seen_ (release), for which the waking thread spins (acquire).
#include "rounds.hpp"

namespace bench {

class wake_rig {
public:
  static constexpr std::uint64_t hot_gap_ns = 2'000, cold_gap_ns = 100'000;

  explicit wake_rig(std::uint64_t wakes) : spans_(wakes), wakes_(wakes) {}

  std::uint64_t wakes() const noexcept { return wakes_; }

  /// First statement of the task after its wake number `at`.
  void woken(std::uint64_t at) noexcept {
    spans_.set(at, now_ns() - stamp_.load(std::memory_order_acquire));
    seen_.store(at + 1, std::memory_order_release);
  }

  /// Wakes as often as asked, `gap` after the task was last seen running.
  template <class Wake> report drive(request asked, std::uint64_t gap, Wake wake) {
    sleep_for_ns(20'000'000); // the task gets to where it waits
    asked.rounds = 1;
    report found = measure_rounds(asked, wakes_, [&] {
      for (std::uint64_t i = 0; i != wakes_; ++i) {
        spin_for_ns(gap);
        stamp_.store(now_ns(), std::memory_order_release);
        wake();
        while (seen_.load(std::memory_order_acquire) != i + 1) {
        }
      }
      return wakes_;
    });
    spans_.add_to(found);
    return found;
  }

private:
  latencies spans_;
  std::uint64_t wakes_;
  alignas(64) std::atomic<std::uint64_t> stamp_{0};
  alignas(64) std::atomic<std::uint64_t> seen_{0};
};

} // namespace bench
