// SPDX-License-Identifier: Apache-2.0
#pragma once

// The right to run, and what comes with it: the run queue, the timers and the counters. A handoff is a change of the word; the
// queue needs no move. doc/design/permits-and-idle.md.
//
// Who writes  R1 call: call_word.hpp. R2 everything else: the holder (phase run) alone; counters by plain atomic
// stores, so that
//                anybody may read them. asked_poll: the monitor and returning callers. slice_poll is released after slice_began.
#include "base/clock.hpp"
#include "sched/call_word.hpp"
#include "sched/frame_cache.hpp"
#include "sched/injector.hpp"
#include "sched/next_cell.hpp"
#include "sched/priorities.hpp"
#include "sched/run_queue.hpp"
#include "time/timer_store.hpp"

#include <weir/detail/atomic.hpp>
#include <weir/detail/fork.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::rt {

/// A counter with one writer at a time.
class tally {
public:
  void add(std::uint64_t by = 1) noexcept { value_.store(get() + by, detail::memory_order::relaxed); }
  std::uint64_t get() const noexcept { return value_.load(detail::memory_order::relaxed); }

private:
  detail::atomic<std::uint64_t> value_{0};
};

// What a task in a queue may count on, and a flag: after how many polls of a busy permit it is looked at, at the latest.
/// The injector's oldest task.
inline constexpr std::uint32_t injector_period = 16;
/// The oldest task that overflowed the permit's own ring; twice as many when the injector's turn comes first each time. It runs
/// at once and does not go to the ring, which may be full and give it up again, always before its turn.
inline constexpr std::uint32_t overflow_period = 16;
/// The oldest task of the permit's own queue. The queue is first in, first out, so two woken tasks never get in between
/// again and again; a queue that serves the newest first must serve the oldest that often.
inline constexpr std::uint32_t oldest_period = 8;
/// What the permits owe one another: tasks and memory that come home. A multiple of injector_period.
inline constexpr std::uint32_t checkpoint_period = 64;

struct alignas(128) permit {
  detail::atomic<std::uint64_t> call{0};
  detail::atomic<std::uint64_t> asked_poll{0}; // the number of the poll that is asked to give way
  // When the poll with this number began, known only for one that follows a poll that gave way: polls that use up their
  // slices get equal ones, however late each is seen.
  detail::atomic<std::int64_t> slice_began{0};
  detail::atomic<std::uint64_t> slice_poll{0};
  std::size_t index = 0;

  alignas(128) by_priority<run_queue> queues;
  by_priority<injector> overflow; // what the rings had no room for; anybody may take of it
  std::uint32_t tick = 0;         // rounds of the search
  std::uint32_t next_victim = 0;
  std::array<std::uint32_t, 3> since_overflow{}; // rounds of each class since what overflowed had its turn
  std::uint32_t next_in_row = 0;                 // polls of tasks from `next` since the last other one
  bool owes_publish = false;                     // a task that yielded was queued, and no task taken since
  next_cell next;
  tally polls; // also names the current poll
  tally preemptions;
  tally steals;
  task_chain leaving; // complete tasks of another permit's list, kept until there are many: registry.hpp
  std::size_t leaving_list = 0;
  frame_cache frames;

  detail::atomic<detail::fork_node*> offered{nullptr}; // fork_join.hpp

  timer_store timers; // its own rules: time/timer_store.hpp

  priority_turns turns;

  bool has_queued(task_priority of) const noexcept { return !queues.of(of).is_empty() || overflow.of(of).size() != 0; }
  bool has_queued() const noexcept {
    return std::ranges::any_of(by_urgency, [&](auto of) { return has_queued(of); });
  }

  call_word word() const noexcept { return call_word::unpack(call.load(detail::memory_order::acquire)); }
  /// Changes the phase and the worker; for who owns the permit in its present phase.
  void set(permit_phase phase, std::uint16_t worker) noexcept {
    call_word now = call_word::unpack(call.load(detail::memory_order::relaxed));
    now.phase = phase;
    now.worker = worker;
    call.store(now.pack(), detail::memory_order::release);
  }
};

} // namespace weir::rt
