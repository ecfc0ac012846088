// SPDX-License-Identifier: Apache-2.0
#pragma once

// The word that says what may happen to a task, and its transitions. doc/design/task-state.md tells it as a story.
//
//   bit    name       meaning
//   0      running    who polls the task, or holds a queue entry that keeps it, has exclusive use of the context
//   1      notified   a queue entry exists, or the runner must queue the task when its poll ends
//   2      complete   the result is final; never cleared
//   3      cancel     to be stopped at the next poll boundary; never cleared
//   4      join       the join handle is alive
//   5      waiter     header.waiter is published and the completer may read it
//   16-63  references one of the scheduler until completion, one of the join handle, one of each waker and abort handle
//
// Two kinds of queue entry. A woken task has notified and not running. A task that is new, yields, or was woken during
// its poll keeps running in the queue (header.block.keeps_running), which saves the two read-modify-writes between polls:
// a wake that comes while it waits sets notified and queues nothing, and the next start clears that.
//
// Who writes  R1 running is set by the worker that takes the queue entry, or kept by it, and cleared by the same worker.
//             R2 notified is set by anybody; whoever sets it on a task that is neither running, notified nor complete
//             owns the queue entry and must queue it. The scheduler's reference keeps a queued task alive.
//             R3 join and waiter are cleared, and waiter is set, by the join handle only.
//             R4 keeps_running: who holds the queue entry.
// Orderings   O1 suspend (release) → wake (acquire of the read-modify-write) → queue → start: the next runner sees the
//             context. An entry that keeps running is ordered by the queue alone.
//             O2 wake (release) → start (acquire): the poll that follows a wake sees what the waker wrote, also when
//             the wake changed nothing, because it still is a read-modify-write on the word. A wake that start() does
//             not read from finds running and not complete, so that a further poll follows.
//             O3 complete (release) → is_complete (acquire): who sees complete sees the result and the end of the
//             context. O4 set_waiter (release) → complete (acquire): who completes over a waiter bit sees the waiter
//             field. O5 drop_reference (release) → the last one's (acquire): the block is freed after everybody's last
//             use. Who sees that it holds the only reference needs no read-modify-write: nobody can make another.
// Rejected    a lock in the header (a wake would block behind a poll); separate words for the reference count and the
//             flags (join and complete could then both think that the other destroys the result).
#include <weir/check.hpp>
#include <weir/detail/task_header.hpp>

namespace weir::rt::task_state {

using detail::memory_order;
using detail::task_header;

inline constexpr std::uint64_t running = 1u << 0;
inline constexpr std::uint64_t notified = 1u << 1;
inline constexpr std::uint64_t complete = 1u << 2;
inline constexpr std::uint64_t cancel = 1u << 3;
inline constexpr std::uint64_t join = 1u << 4;
inline constexpr std::uint64_t waiter = 1u << 5;
inline constexpr std::uint64_t reference = 1u << 16;

/// What the word of a task is until its first poll, with the references of the scheduler and of the join handle.
inline constexpr std::uint64_t initial = running | join | 2 * reference;

/// Makes the caller the holder of a new task's queue entry.
inline void init(task_header& task) noexcept {
  task.block.keeps_running.set(true);
  task.state.store(initial, memory_order::relaxed);
}

constexpr bool is_only_reference(std::uint64_t word) noexcept { return word / reference == 1; }

/// Drops a reference. True: it was the last one, and the caller destroys the task.
inline bool drop(task_header& task) noexcept {
  return is_only_reference(task.state.load(memory_order::acquire)) ||               // O5
         is_only_reference(task.state.fetch_sub(reference, memory_order::acq_rel)); // O5
}

/// Drops the join handle's reference and its claims, in one step, so that either the handle or the completer has the
/// result and the waiter. Returns the word as it was; if that is complete, nothing was changed, and the handle has both.
inline std::uint64_t give_up_join(task_header& task) noexcept {
  std::uint64_t before = task.state.load(memory_order::acquire); // O3
  while ((before & complete) == 0 &&
         !task.state.compare_exchange_weak(before, (before & ~(join | waiter)) - reference, memory_order::release, // O5
                                           memory_order::acquire)) {                                               // O3
  }
  return before;
}

/// Asks for a poll. True: the caller owns the queue entry now.
inline bool set_notified(task_header& task, std::uint64_t also = 0) noexcept {
  std::uint64_t before = task.state.fetch_or(notified | also, memory_order::acq_rel); // O1, O2
  return (before & (running | notified | complete)) == 0;
}

/// As set_notified(), and drops a reference of the caller, unless that is the last one: then `is_last`.
inline bool set_notified_and_drop(task_header& task, bool& is_last) noexcept {
  std::uint64_t before = task.state.load(memory_order::relaxed);
  std::uint64_t after = 0;
  do {
    after = (before | notified) - reference;
  } while (
      !task.state.compare_exchange_weak(before, after, memory_order::acq_rel, memory_order::relaxed)); // O1, O2, O5
  is_last = is_only_reference(before);
  return (before & (running | notified | complete)) == 0;
}

/// Turns the queue entry into the right to poll; returns the word as it was.
inline std::uint64_t start(task_header& task) noexcept {
  std::uint64_t before = 0;
  if (task.block.keeps_running.get()) {
    task.block.keeps_running.set(false);
    before = task.state.load(memory_order::relaxed);
    if ((before & notified) != 0) before = task.state.fetch_and(~notified, memory_order::acquire); // O2
    WEIR_DEBUG_CHECK((before & (running | complete)) == running, "a task is started without a queue entry", before);
  } else {
    before = task.state.fetch_xor(running | notified, memory_order::acquire); // O1, O2
    WEIR_DEBUG_CHECK((before & (running | notified | complete)) == notified, "a task is started without a queue entry",
                     before);
  }
  return before;
}

enum class after_poll : std::uint8_t {
  parked,    ///< not to be touched any more
  requeue,   ///< the caller owns the queue entry
  cancelled, ///< the caller still runs the task, and must end it
};

/// Ends a poll that suspended.
inline after_poll suspend(task_header& task, bool wakes_itself) noexcept {
  std::uint64_t before = task.state.load(memory_order::relaxed);
  for (;;) {
    if ((before & cancel) != 0) return after_poll::cancelled;
    if (wakes_itself || (before & notified) != 0) {
      task.block.keeps_running.set(true);
      return WEIR_MUTANT("task state: a wake during a poll is lost") ? after_poll::parked : after_poll::requeue;
    }
    if (task.state.compare_exchange_weak(before, before & ~running, memory_order::release, memory_order::relaxed)) // O1
      return after_poll::parked;
  }
}

/// Makes the result final; returns the word as it was.
inline std::uint64_t set_complete(task_header& task) noexcept {
  std::uint64_t before = task.state.fetch_add(complete - running, memory_order::acq_rel); // O3, O4
  WEIR_DEBUG_CHECK((before & (running | complete)) == running, "a task completes that does not run", before);
  return before;
}

/// Makes the result final and drops the scheduler's reference, in one step. False when it cannot: a waiter is to be told,
/// or nobody takes the result. Afterwards the task is not to be touched.
inline bool set_complete_and_drop(task_header& task) noexcept {
  std::uint64_t before = task.state.load(memory_order::relaxed);
  while ((before & (join | waiter)) == join) {
    if (task.state.compare_exchange_weak(before, before + complete - running - reference,
                                         memory_order::release, // O3, O5
                                         memory_order::relaxed))
      return true;
  }
  return false;
}

} // namespace weir::rt::task_state
