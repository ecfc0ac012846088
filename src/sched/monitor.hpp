// SPDX-License-Identifier: Apache-2.0
#pragma once

// Watches for what no worker can see itself: a blocking region that holds a permit others need, and a poll that is too
// long.
//
//   state    sleep_    period
//   scanning 0         grace/2 while queued work waits beside a call; else doubling up to 1 ms
//   dozing   1         100 ms: nothing waits, and every permit is free or in a call that has been seen for 100 ms
//   asleep   1         none, or until the oldest spare thread is to end: every permit has been free for 100 ms
//
// Who writes  R1 sleep_: as deep_sleep.hpp says. R2 seen_: scan()'s caller.
// Wakes       a publisher that finds no free permit, one that finds no thread for a closure, a returner, and who takes a
// permit that was
//             free: each reads sleep_ after a fence. A region's entry and exit never do.
// Ages        a call's age counts from the first look that saw its word; so it is never counted too long, and too short
// by at most one
//             period. A region's entry then needs no clock.
// Rules       a call is taken only when demand exceeds the free permits, when it is as old as the grace or expected to
// take long, and when a
// thread is reserved for
//             its permit; at the cap, or when no thread can be made, the caller keeps its permit and a worker that only
//             waits in block_on is asked to run the queue itself. Waiting returners come before new threads.
// Rejected    a fixed period (burns processor in an idle program); being woken by each region (makes a short region
// cost a wake).
#include "base/clock.hpp"
#include "base/parker.hpp"
#include "os/thread.hpp"
#include "sched/deep_sleep.hpp"
#include "sched/permit.hpp"

#include <cstdint>
#include <system_error>
#include <vector>

namespace weir::rt {

class runtime_core;

class monitor {
public:
  monitor(runtime_core& core, std::size_t permits) : core_(core), seen_(permits) {}

  std::error_code start();
  /// Notes which calls there are, so that their age is known later.
  void look(instant now) noexcept;
  /// Looks at every permit once and acts; returns how long to sleep.
  duration scan(instant now);

  /// A permit is not free any more. Thread: any, after a sequentially consistent fence or exchange.
  void note_busy() noexcept { wake_if_asleep(); }
  /// Ends a deep sleep. Thread: any. Cost: one load when the monitor is not asleep.
  void wake_if_asleep() noexcept {
    if (sleep_.end()) parker_.unpark();
  }
  bool is_asleep() const noexcept { return sleep_.is_on(); }
  std::uint64_t scans() const noexcept { return scans_.get(); }
  /// Ends any sleep.
  void wake() noexcept { parker_.unpark(); }
  void join() noexcept {
    if (thread_.is_joinable()) thread_.join();
  }
  void detach() noexcept {
    if (thread_.is_joinable()) thread_.detach();
  }

private:
  struct sighting {
    std::uint64_t polls = 0;
    std::uint16_t worker = 0;
    instant since{};
    bool is_valid = false;
    bool is_reported = false;
    std::uint64_t call = 0; // the word of the call that was seen last
    instant call_since{};
  };

  void main() noexcept;
  /// Sleeps without a period; what ends it is said above.
  void sleep_deeply(instant now) noexcept;
  bool is_quiet(instant now) const noexcept;
  void report_slow_poll(const sighting& poll, instant now) noexcept;
  void watch_closures(instant now) noexcept;
  bool is_mature(const permit& of, call_word call, instant now) const noexcept;
  /// Asks one worker that waits in block_on to run the queue.
  void ask_to_drive() noexcept;
  /// How many holders have left a task in their next cell since the last look, for the sake of one poll.
  std::size_t count_left_alone() const noexcept;
  /// True when the permit runs the poll that the last look saw.
  bool is_same_poll(const permit& of, call_word run) const noexcept;
  /// Asks a poll to give way if it is time; true when there was code to ask.
  bool watch_poll(permit& of, call_word run, instant now, bool has_demand, bool has_returner) noexcept;

  runtime_core& core_;
  std::vector<sighting> seen_;
  tally scans_;
  duration period_{0};
  instant next_end_{}; // of a slice; scan()'s caller
  instant last_busy_{};
  std::uint64_t closures_taken_ = 0;
  instant closures_since_{}; // when the queue last made progress
  parker parker_;
  deep_sleep sleep_;
  os::thread thread_;
};

} // namespace weir::rt
