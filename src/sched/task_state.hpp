// SPDX-License-Identifier: Apache-2.0
#pragma once

// The word that says what may happen to a task, and its transitions. doc/design/task-state.md tells it as a story.
//
//   bit    name       meaning
//   0      running    its holder has exclusive use of the context
//   1      notified   a queue entry exists, or the runner must queue the task when its poll ends
//   2      complete   the result is final; never cleared
//   3      cancel     to be stopped at the next poll boundary; never cleared
//   4      join       the join handle is alive
//   5      waiter     header.waiter is published and the completer may read it
//   16-63  references one of the scheduler until completion, one of the join handle, one of each waker and abort handle
//
// Who writes  R1 running is set by the worker that takes the queue entry and cleared by the same worker.
//             R2 notified is set by anybody; whoever sets it on a task that is neither running, notified nor complete
//             owns the
//                queue entry and must queue it. The scheduler's reference is what keeps a queued task alive.
//             R3 join and waiter are cleared, and waiter is set, by the join handle only.
// Orderings   O1 suspend (release) → wake (acquire of the read-modify-write) → queue → start: the next runner sees the
// context.
//             O2 wake (release) → start (acquire): the poll that follows a wake sees what the waker wrote, also when
//             the wake
//                changed nothing, because it still is a read-modify-write on the word.
//             O3 complete (release) → is_complete (acquire): who sees complete sees the result and the end of the
//             context. O4 set_waiter (release) → complete (acquire): who completes over a waiter bit sees the waiter
//             field. O5 drop_reference (release) → the last one's (acquire): the block is freed after everybody's last
//             use.
// Rejected    a lock in the header (a wake would block behind a poll); separate words for the reference count and the
// flags (join
//             and complete could then both think that the other destroys the result).
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

/// A task that is queued for its first poll, with the references of the scheduler and of the join handle.
inline constexpr std::uint64_t initial = notified | join | 2 * reference;

/// Asks for a poll. True: the caller owns the queue entry now.
inline bool set_notified(task_header& task, std::uint64_t also = 0) noexcept {
  std::uint64_t before = task.state.fetch_or(notified | also, memory_order::acq_rel); // O1, O2
  return (before & (running | notified | complete)) == 0;
}

/// Turns the queue entry into the right to run; returns the word as it was.
inline std::uint64_t start(task_header& task) noexcept {
  std::uint64_t before = task.state.fetch_xor(running | notified, memory_order::acquire); // O1, O2
  WEIR_DEBUG_CHECK((before & (running | notified | complete)) == notified, "a task is started without a queue entry",
                   before);
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
    std::uint64_t after = (before & ~running) | (wakes_itself ? notified : 0);
    if (task.state.compare_exchange_weak(before, after, memory_order::acq_rel, memory_order::relaxed)) // O1
      return (after & notified) != 0 ? after_poll::requeue : after_poll::parked;
  }
}

/// Makes the result final; returns the word as it was.
inline std::uint64_t set_complete(task_header& task) noexcept {
  std::uint64_t before = task.state.fetch_add(complete - running, memory_order::acq_rel); // O3, O4
  WEIR_DEBUG_CHECK((before & (running | complete)) == running, "a task completes that does not run", before);
  return before;
}

} // namespace weir::rt::task_state
