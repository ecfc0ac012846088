// SPDX-License-Identifier: Apache-2.0
#pragma once

// The task that a permit's holder polls next: the one that its present poll has woken last. Waker and woken task share
// what one wrote and the other is to read, so it is best polled there and at once, and no other worker is woken for it.
//
//   empty → occupied   the holder puts a task in; one that was there before comes out and goes into the run queue
//   occupied → empty   the holder takes it, between two polls; or a thief does, when the holder does not come to it
//
// Who writes  R1 from empty to occupied: the permit's holder alone, so that a plain store does when it sees the cell
//             empty. R2 from occupied: anybody, by exchange; who gets the task owns its queue entry.
// Orderings   O1 put (release) → take (acquire): who takes the task sees what its waker wrote. The queue entry of a task that
//             suspended is ordered by its state word, too (task_state.hpp).
// Delay       A task here is not published (idle.hpp): parked workers do not hear of it and a search does not stop for it.
//             The holder polls it after the present poll, before its run queue, but at most `most_in_row` times in a row,
//             and not in every `oldest_period`th round, so that two tasks that wake each other delay nobody for long.
//             A holder whose poll does not end: the monitor, awake while a permit runs, finds cell and poll as they were at
//             its last look and sends a searcher, if a permit is free. A searcher that finds nothing else takes the
//             task once it has seen that the holder's poll does not move. A holder that enters a blocking region
//             moves the task to its run queue and publishes it.
// With one    permit nobody steals and order is a promise: there the cell is not used.
// Rejected    stealing it like any task (what is polled on the other side of a move costs both more than the wait, and each
//             push has to wake); a lock that its owner passes for nothing and a thief opens with a barrier of the whole process
//             (40 us and more where the system runs under another one).
#include <weir/detail/atomic.hpp>
#include <weir/detail/task_header.hpp>

#include <cstdint>

namespace weir::rt {

class next_cell {
public:
  static constexpr std::uint32_t most_in_row = 3;

  /// Puts a task in; returns the one that was there. Thread: the permit's holder.
  [[nodiscard]] detail::task_header* put(detail::task_header& task) noexcept {
    if (!is_occupied()) {
      task_.store(&task, detail::memory_order::release); // O1
      return nullptr;
    }
    return task_.exchange(&task, detail::memory_order::release); // O1; the other came with the permit
  }

  /// Takes the task, or null. Thread: any.
  detail::task_header* take() noexcept {
    return is_occupied() ? task_.exchange(nullptr, detail::memory_order::acquire) : nullptr; // O1
  }

  bool is_occupied() const noexcept { return task_.load(detail::memory_order::relaxed) != nullptr; }

private:
  detail::atomic<detail::task_header*> task_{nullptr};
};

} // namespace weir::rt
