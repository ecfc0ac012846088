// SPDX-License-Identifier: Apache-2.0
#pragma once

// Closures that wait for a thread and need no permit: spawn_blocking(). Any thread without a permit runs them.
//
//   shard     under a lock of its own: a chain of closures and whether it is empty
//   stranded  set for good: some publisher has found no thread for its closure
//
// Who writes  R1 a chain: under its shard's lock. R2 stranded: set by a publisher; who reads it looks at the shards, too.
// Publisher   (1) push; (2) fence; (3) a spare thread is there: order it to run closures; (4) else make one, while fewer
//             than eager_limit calls block; (5) else set `stranded`, fence, order a spare thread that came since (3), or
//             grant a free permit if there is one: its worker has nothing better to do, and runs the closure as a region.
// Parker      a thread that becomes spare: (a) it is on the list of spares; (b) fence; (c) a closure waits: take itself
// off the list and
//             run it. A worker whose permit becomes free: (a) the free bit; (b) fence; (c) stranded closures: as with
//             queued tasks, claim the permit again. Who makes another thread spare does (b), and (3) for the stranded.
//
// Why no closure is forgotten. Let F1 be the publisher's fence and F2 a parker's; fences are totally ordered.
//   F1 < F2: the look in (c) sees the closure; the thread runs it, or somebody else has it. F2 < F1: the publisher sees
//   the thread on the list, or its free bit in (5), and wakes it. A thread that somebody else puts on the list sleeps:
//   who puts it there after (3) sees `stranded`, or (5) sees the thread. If there is neither, every thread runs something
//   and is a parker later, with a later fence. The monitor, too, looks at a queue that makes no progress, and makes a thread
//   for it as long as the cap allows: eager_limit bounds a burst, never the whole.
// Order       first in, first out within a shard; a pusher's shard follows its stack, so one thread's closures keep
// their order.
// Rejected    one lock (60,000 closures from many threads wait for each other there); a counter of what is pending
// (every push and pop of
//             every thread writes it).
#include "base/spin_lock.hpp"
#include "sched/run_queue.hpp"

#include <weir/detail/atomic.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace weir::rt {

class closure_queue {
public:
  void push(task_header& closure) noexcept {
    shard& into = shards_[here()];
    std::lock_guard guard(into.lock);
    into.waiting.push_back(closure);
    into.size.store(into.waiting.size, detail::memory_order::release);
  }

  /// Takes the oldest closure of one shard; null when there is none anywhere. `first` spreads the takers.
  task_header* pop(std::size_t first) noexcept {
    for (std::size_t step = 0; step != count; ++step) {
      shard& from = shards_[(first + step) % count];
      if (from.size.load(detail::memory_order::acquire) == 0) continue;
      std::lock_guard guard(from.lock);
      task_header* closure = from.waiting.pop_front();
      from.size.store(from.waiting.size, detail::memory_order::release);
      if (closure == nullptr) continue;
      taken_.fetch_add(1, detail::memory_order::relaxed);
      return closure;
    }
    return nullptr;
  }

  bool is_empty() const noexcept {
    for (const shard& each : shards_) {
      if (each.size.load(detail::memory_order::acquire) != 0) return false;
    }
    return true;
  }
  std::size_t size() const noexcept {
    std::size_t total = 0;
    for (const shard& each : shards_) total += each.size.load(detail::memory_order::relaxed);
    return total;
  }
  /// How many were ever taken; the monitor sees by it whether the queue makes progress.
  std::uint64_t taken() const noexcept { return taken_.load(detail::memory_order::relaxed); }

  bool are_stranded() const noexcept { return stranded_.load(detail::memory_order::relaxed) && !is_empty(); }
  void note_stranded(bool are) noexcept { stranded_.store(are, detail::memory_order::relaxed); }

private:
  static constexpr std::size_t count = 8;

  struct alignas(64) shard {
    spin_lock lock{"a closure shard's lock"};
    detail::atomic<std::size_t> size{0};
    task_chain waiting;
  };

  static std::size_t here() noexcept {
#if WEIR_SIMULATED
    return sim::detail::thread_number() % count; // a stack is elsewhere in each run
#else
    char on_stack = 0;
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(&on_stack) >> 16) * 0x9e3779b97f4a7c15 >> 61);
#endif
  }

  std::array<shard, count> shards_;
  alignas(64) detail::atomic<std::uint64_t> taken_{0};
  detail::atomic<bool> stranded_{false};
};

} // namespace weir::rt
