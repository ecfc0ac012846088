// SPDX-License-Identifier: Apache-2.0
#pragma once

// The queue of one permit: first in, first out; the permit's holder pushes and pops, everybody may steal half.
//
//   head     real: the next position to pop. steal: the first position that a thief still copies; equal to real when
//   none does. tail     the next position to fill ring     positions [steal, tail) are in use; the holder fills only
//   outside of them
//
// Who writes  R1 tail and the cells at and beyond it: the permit's holder.
//             R2 head: the holder moves real (and steal with it while no thief copies); a thief moves real by half of
//             what is
//                there, copies, then sets steal to real. One thief at a time: the others see steal != real and go on.
//             R3 the private lists: the holder. They are used when the runtime has one permit, where nobody steals and
//             order matters:
//                `spill` for what does not fit, `injected` for a batch of the injector's that has its turn every 16th
//                poll.
// Orderings   O1 tail (release) → a thief's load (acquire): it sees the cells. O2 a thief's last compare-exchange
// (release) → the
//                holder's load of head (acquire): a cell is filled again only after it was copied. O3 a permit changes
//                hands with release and acquire elsewhere (permit.hpp), which covers everything that only the holder
//                uses.
// Overflow    a full ring gives up its older half and the new task, in order, to a list of its permit's (permit.hpp); while
//             a thief copies, only the new task. The runtime's one injector in that place makes permits that have a few
//             hundred tasks each fight for its lock all the time.
// Rejected    Chase-Lev (owner order is last in, first out, and its ring grows); a lock (a thief would
// stop the holder).
#include <weir/check.hpp>
#include <weir/detail/atomic.hpp>
#include <weir/detail/task_header.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::rt {

using detail::task_header;

/// Tasks linked through `next`; owns their queue entries.
struct task_chain {
  task_header* first = nullptr;
  task_header* last = nullptr;
  std::size_t size = 0;

  void push_back(task_header& task) noexcept {
    task.next = nullptr;
    (last != nullptr ? last->next : first) = &task;
    last = &task;
    ++size;
  }
  task_header* pop_front() noexcept {
    task_header* task = first;
    if (task == nullptr) return nullptr;
    first = task->next;
    if (first == nullptr) last = nullptr;
    --size;
    return task;
  }
  void append(task_chain other) noexcept {
    if (other.first == nullptr) return;
    (last != nullptr ? last->next : first) = other.first;
    last = other.last;
    size += other.size;
  }
};

class run_queue {
public:
  static constexpr std::uint32_t capacity = detail::is_modelled ? 4 : 256; // a model has to fill it

  /// Adds a task behind all others. What does not fit is returned, for the permit's overflow.
  ///
  /// Thread: the permit's holder.
  [[nodiscard]] task_chain push_back(task_header& task) noexcept {
    task_chain overflow;
    std::uint64_t head = head_.load(detail::memory_order::acquire); // O2
    std::uint32_t tail = tail_.load(detail::memory_order::relaxed);
    while (tail - steal_of(head) >= capacity) {
      if (steal_of(head) != real_of(head)) {
        overflow.push_back(task);
        return overflow;
      }
      std::uint32_t rest = real_of(head) + capacity / 2;
      if (!head_.compare_exchange_strong(head, pack(rest, rest), detail::memory_order::relaxed,
                                         detail::memory_order::acquire)) // O2
        continue;
      if (WEIR_MUTANT("run queue: an overflow loses one")) --rest;
      for (std::uint32_t at = rest - capacity / 2; at != rest; ++at) overflow.push_back(*cell(at));
      overflow.push_back(task);
      return overflow;
    }
    cell(tail) = &task;
    tail_.store(tail + 1, detail::memory_order::release); // O1
    return overflow;
  }

  /// Adds a task behind all others and keeps all of them in order.
  ///
  /// Thread: the holder of the only permit.
  void push_back_ordered(task_header& task) noexcept {
    std::uint32_t tail = tail_.load(detail::memory_order::relaxed);
    if (spill_.first == nullptr && tail - real_of(head_.load(detail::memory_order::relaxed)) < capacity) [[likely]] {
      cell(tail) = &task;
      tail_.store(tail + 1, detail::memory_order::release); // O1
      return;
    }
    spill_.push_back(task);
    count_private();
  }

  /// Keeps tasks from the injector apart, so that those run in their order whenever it is the injector's turn.
  ///
  /// Thread: the holder of the only permit.
  void keep_injected(task_chain tasks) noexcept {
    injected_.append(tasks);
    count_private();
  }
  task_header* pop_injected() noexcept {
    task_header* task = injected_.pop_front();
    if (task != nullptr) count_private();
    return task;
  }

  /// Takes the oldest task, or null. Thread: the permit's holder.
  task_header* pop_front() noexcept {
    std::uint64_t head = head_.load(detail::memory_order::relaxed);
    std::uint32_t tail = tail_.load(detail::memory_order::relaxed);
    std::uint32_t real = 0;
    do {
      real = real_of(head);
      if (real == tail) return nullptr;
    } while (!head_.compare_exchange_weak(head, pack(steal_of(head) == real ? real + 1 : steal_of(head), real + 1),
                                          detail::memory_order::relaxed));
    task_header* task = cell(real);
    if (spill_.first != nullptr) refill();
    return task;
  }

  /// As pop_front(). Thread: the holder of the only permit, so that there is no thief.
  task_header* pop_front_alone() noexcept {
    std::uint32_t real = real_of(head_.load(detail::memory_order::relaxed));
    if (real == tail_.load(detail::memory_order::relaxed)) return nullptr;
    head_.store(pack(real + 1, real + 1), detail::memory_order::release);
    task_header* task = cell(real);
    if (spill_.first != nullptr) refill();
    return task;
  }

  /// Moves the older half of `victim` here and returns the oldest of it; null when there is nothing, when another thief
  /// is at it, and when one still copies so much of what was here that a half might not fit.
  ///
  /// Thread: the holder of this queue's permit, which must be empty.
  task_header* steal_from(run_queue& victim) noexcept {
    if (room() < capacity / 2 && !WEIR_MUTANT("run queue: a thief does not look for room")) return nullptr;
    std::uint64_t head = victim.head_.load(detail::memory_order::relaxed);
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    do {
      first = real_of(head);
      if (steal_of(head) != first) return nullptr;
      count = victim.tail_.load(detail::memory_order::acquire) - first; // O1
      if (count == 0 || count > capacity) return nullptr;               // the second: head is older than tail
      count -= count / 2;
    } while (!victim.head_.compare_exchange_weak(head, pack(first, first + count), detail::memory_order::relaxed));
    task_header* oldest = victim.cell(first);
    std::uint32_t tail = tail_.load(detail::memory_order::relaxed);
    for (std::uint32_t at = 1; at != count; ++at) cell(tail++) = victim.cell(first + at);
    if (WEIR_MUTANT("run queue: a thief loses one") && count > 1) --tail;
    tail_.store(tail, detail::memory_order::release); // O1
    head = victim.head_.load(detail::memory_order::relaxed);
    while (!victim.head_.compare_exchange_weak(head, pack(real_of(head), real_of(head)),
                                               detail::memory_order::release, // O2
                                               detail::memory_order::relaxed)) {
    }
    return oldest;
  }

  /// How many more tasks fit into the ring. Thread: the permit's holder.
  std::uint32_t room() const noexcept {
    return capacity - (tail_.load(detail::memory_order::relaxed) - steal_of(head_.load(detail::memory_order::acquire)));
  }

  /// About how many tasks wait here. Thread: any.
  std::size_t size() const noexcept {
    std::uint32_t real = real_of(head_.load(detail::memory_order::acquire)); // not newer than tail, below
    auto count =
        static_cast<std::int32_t>(tail_.load(detail::memory_order::relaxed) - real); // the two are not one snapshot
    return static_cast<std::size_t>(std::clamp(count, 0, static_cast<std::int32_t>(capacity))) +
           private_.load(detail::memory_order::relaxed);
  }
  bool is_empty() const noexcept { return size() == 0; }

private:
  static constexpr std::uint32_t steal_of(std::uint64_t head) noexcept {
    return static_cast<std::uint32_t>(head >> 32);
  }
  static constexpr std::uint32_t real_of(std::uint64_t head) noexcept { return static_cast<std::uint32_t>(head); }
  static constexpr std::uint64_t pack(std::uint32_t steal, std::uint32_t real) noexcept {
    return std::uint64_t{steal} << 32 | real;
  }
  task_header*& cell(std::uint32_t position) noexcept { return cells_[position % capacity]; }
  void refill() noexcept {
    while (spill_.first != nullptr && room() != 0) static_cast<void>(push_back(*spill_.pop_front()));
    count_private();
  }
  void count_private() noexcept { private_.store(spill_.size + injected_.size, detail::memory_order::relaxed); }

  detail::atomic<std::uint64_t> head_{0};
  detail::atomic<std::uint32_t> tail_{0};
  detail::atomic<std::size_t> private_{0}; // how many are in the next two
  task_chain spill_;
  task_chain injected_;
  std::array<task_header*, capacity> cells_{};
};

} // namespace weir::rt
