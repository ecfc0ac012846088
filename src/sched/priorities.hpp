// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scheduling classes: each permit has a run queue and an overflow list for each, and the runtime an injector for each. A task's
// class is set before it is launched and never changes.
//
//   class        turns in a round
//   high         8
//   normal       3
//   background   1
//
// Who writes  R1 the turns: the permit's holder. R2 runtime_core::uses_priorities_: set by the first launch of a task that
//             is not normal, before the task is queued; never taken back. Who looks for tasks after a fence sees the flag
//             where it sees the task (idle.hpp: the fences that order the one order the other). While it is not set, the
//             queues of the other classes are empty and nobody looks at them, so that a program without classes pays one
//             load.
// Share       A class with tasks gets its turns in every round. A class without any passes on, and a round ends early when
//             all that have tasks have had their turns: no permit idles, and background has at least one poll in twelve.
// Other       Before a permit passes on a turn it looks into the injector and the other permits' queues of that class: urgent
// permits     tasks do not wait behind one another while their neighbours run others, and the shares are the whole runtime's.
// Rejected    strict priority (background starves, and what waits for a lock that background has starves with it); one
//             queue ordered by class (a thief could not take half, nor a waker push, without a lock).
#include <weir/detail/task_header.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::rt {

inline constexpr std::array by_urgency{task_priority::high, task_priority::normal, task_priority::background};

/// Whose turn it is on one permit.
class priority_turns {
public:
  /// Calls `take(priority)`, in the order of the turns, until it returns a task; null when it never does.
  template <class Take> detail::task_header* take(Take&& take) noexcept {
    for (int round = 0; round != 2; ++round) {
      for (task_priority each : by_urgency) {
        std::uint8_t& left = left_[static_cast<std::size_t>(each)];
        if (left == 0) continue;
        if (detail::task_header* task = take(each)) {
          --left;
          return task;
        }
      }
      left_ = whole_round;
    }
    return nullptr;
  }

  /// Counts one more turn of this class, and says how many there were.
  std::uint32_t next(task_priority of) noexcept { return ++calls_[static_cast<std::size_t>(of)]; }

private:
  using turns = std::array<std::uint8_t, 3>;
  static constexpr turns whole_round{3, 8, 1}; // by the number of the class

  turns left_ = whole_round;
  std::array<std::uint32_t, 3> calls_{};
};

/// One thing for each class. That of normal tasks comes first and is reached without an index.
template <class T> class by_priority {
public:
  T& normal() noexcept { return normal_; }
  const T& normal() const noexcept { return normal_; }
  T& of(task_priority priority) noexcept {
    return priority == task_priority::normal ? normal_ : others_[priority == task_priority::background];
  }
  const T& of(task_priority priority) const noexcept {
    return priority == task_priority::normal ? normal_ : others_[priority == task_priority::background];
  }

private:
  T normal_;
  std::array<T, 2> others_;
};

} // namespace weir::rt
