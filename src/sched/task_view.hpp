// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a task does, seen by a thread that has nothing but a reference to it. The runner pays one store a poll, which it
// needs anyway for its counter: the number of polls is the version of everything that a poll writes.
//
//   state word, keeps_running      what is seen
//   complete                       nothing: the task is over
//   running, keeps_running         ready: it is in a queue
//   running                        running; with a wait that blocks the thread: blocked
//   notified                       ready
//   none of them                   waiting, for the reason that the last poll left
//
// Who writes  R1 polls, waits_for, wait_argument: the runner. A poll counts itself first, and leaves its reason last, before it
//             parks. The reader writes nothing.
// Reading     polls, word, the rest, reason, word, polls. If both words are equal and both counts are, no poll has begun or
//             ended between, so the reason is that of the wait which the word shows; if both reasons are, it is that of what
//             the rest shows. A task that changes again and again is running: it was polled meanwhile.
// Orderings   O1 the count (release) → the first read of it (acquire): the word read next is not older than the start of
//             that poll. O2 the reason (release) → its second read (acquire): who reads the reason of a later poll reads the
//             count of that poll, or its start in the word, afterwards. O3 suspend (release, task_state.hpp O1) → the
//             word (acquire): who sees that the task has parked sees why. O4 the reason → the region's depth (release,
//             worker.hpp) → its read in `also` (acquire): who sees the region of a wait sees the reason in its second read, or
//             the wait is over by then.
// A moment    the answer was true at one moment of the look; two tasks are looked at one after the other, so an answer about
//             one says nothing about the moment of the other.
// Rejected    stopping the task to look at it (a dump must work on a program that hangs); a lock in the header (every poll
//             would take it); a version word of its own (the count of polls is one).
#include "sched/task_state.hpp"

#include <cstdint>
#include <optional>

namespace weir::rt {

struct task_view {
  enum class activity : std::uint8_t { ready, running, blocked, waiting };

  activity now = activity::running;
  bool is_stopping = false;
  std::uint64_t polls = 0;
  const detail::wait_kind* why = nullptr; // when blocked or waiting; null: the wait has no name
  void* argument = nullptr;               // of `why`: an address that is compared, never followed

  static constexpr std::uint64_t shown =
      task_state::running | task_state::notified | task_state::complete | task_state::cancel;
  static activity activity_of(std::uint64_t word, bool is_queued, const detail::wait_kind* reason) noexcept {
    if ((word & task_state::running) != 0) {
      if (is_queued) return activity::ready;
      return reason != nullptr && reason->blocks_thread ? activity::blocked : activity::running;
    }
    return (word & task_state::notified) != 0 ? activity::ready : activity::waiting;
  }
};

/// Looks at a task that the caller has a reference to; nothing when it is over. `also(is_polled)` is called while the
/// look goes on: what it reads of a task that is polled belongs to the same poll, and to the same reason. Thread: any.
template <class Also> std::optional<task_view> look_at(const detail::task_header& task, Also&& also) noexcept {
  constexpr int looks = 8;
  task_view seen;
  for (int look = 0; look != looks; ++look) {
    seen.polls = task.stats.polls.load(detail::memory_order::acquire);                      // O1
    std::uint64_t word = task.state.load(detail::memory_order::acquire) & task_view::shown; // O3
    if ((word & task_state::complete) != 0) return std::nullopt;
    bool is_queued = task.block.keeps_running.get();
    const detail::wait_kind* why = task.waits_for.load(detail::memory_order::relaxed); // its second read orders
    void* argument = task.wait_argument.load(detail::memory_order::relaxed);
    also((word & task_state::running) != 0 && !is_queued);
    const detail::wait_kind* why_after = task.waits_for.load(detail::memory_order::acquire);      // O2, O4
    std::uint64_t word_after = task.state.load(detail::memory_order::acquire) & task_view::shown; // O3
    std::uint64_t polls_after = task.stats.polls.load(detail::memory_order::relaxed);
    seen.is_stopping = (word & task_state::cancel) != 0;
    if (why_after != why || word_after != word || polls_after != seen.polls) continue;
    seen.now = task_view::activity_of(word, is_queued, why);
    if (seen.now == task_view::activity::blocked || seen.now == task_view::activity::waiting) {
      seen.why = why;
      seen.argument = argument;
    }
    return seen;
  }
  also(false);
  return seen;
}

} // namespace weir::rt
