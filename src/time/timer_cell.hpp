// SPDX-License-Identifier: Apache-2.0
#pragma once

// One armed timer: when it is due, and which task it wakes. The word decides between firing and cancelling.
//
//   phase      the cell is                             leaves by
//   free       in a pool                               arm() → armed
//   armed      in a wheel, or in the hands of a taker  claim() → free, cancel() → cancelled
//   cancelled  still in the wheel                      claim(), which says so → free
//
// Who writes  R1 tick, target, next: the pool's owner while the phase is free; from place() on next belongs to the slot
//                list, and after a take to the taker.
//             R2 word: arm() by the pool's owner; armed → cancelled by the waiter alone; claim() by the one taker that
//                has the cell in its hands. Waiter and taker meet in a compare-exchange, so exactly one of "fired" and
//                "cancelled" happens, and neither ever waits for the other.
// Ages        each arming has a generation of its own. A waiter keeps the whole word that arm() returned: a cell that
//             has fired and serves somebody else has another one, so late questions and late cancels do nothing.
// Orderings   O1 the target reaches the taker through the slot list (timer_wheel.hpp O1); the word itself orders
//                nothing, since who wins the race uses only what it has from elsewhere. Hence relaxed.
// Lifetime    cells are part of slabs that live as long as the runtime's block, so a stale ticket reads a cell, never
//             freed memory. The target's reference belongs to the winner: who claims or cancels drops it.
// Rejected    the node inside the waiting frame: a cancel that comes while another thread has the list in its hands
//             would have to wait for it, under a lock or in effect under one, before the frame may go.
#include <weir/detail/atomic.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace weir::rt {

struct timer_cell {
  detail::atomic<std::uint64_t> word{0}; // generation, phase
  std::uint64_t tick = 0;
  void* target = nullptr;
  timer_cell* next = nullptr;

  static constexpr std::uint64_t phase_mask = 3;
  static constexpr std::uint64_t armed = 1;
  static constexpr std::uint64_t cancelled = 2;
  static constexpr std::uint64_t generation = 4;

  /// Makes a free cell armed; the ticket names this arming.
  std::uint64_t arm() noexcept {
    std::uint64_t ticket = word.load(detail::memory_order::relaxed) | armed;
    word.store(ticket, detail::memory_order::relaxed);
    return ticket;
  }

  /// Takes an arming back. False: it has fired, or is about to wake its target. Thread: any.
  bool cancel(std::uint64_t ticket) noexcept {
    return word.compare_exchange_strong(ticket, ticket ^ (armed | cancelled), detail::memory_order::relaxed,
                                        detail::memory_order::relaxed);
  }

  /// True when the arming has fired; asked by the one that has not cancelled it. Thread: any.
  bool has_fired(std::uint64_t ticket) const noexcept { return word.load(detail::memory_order::relaxed) != ticket; }

  /// Ends the arming for the taker, which may free the cell afterwards. True: it fires.
  bool claim() noexcept {
    std::uint64_t seen = word.load(detail::memory_order::relaxed);
    if ((seen & phase_mask) == armed &&
        word.compare_exchange_strong(seen, (seen & ~phase_mask) + generation, detail::memory_order::relaxed,
                                     detail::memory_order::relaxed))
      return true;
    word.store((seen & ~phase_mask) + generation, detail::memory_order::relaxed); // R2: it was cancelled
    return false;
  }

  /// True when the arming was taken back; a hint while the waiter may still do so.
  bool is_cancelled() const noexcept { return (word.load(detail::memory_order::relaxed) & phase_mask) == cancelled; }
};

/// Cells in the hands of one thread, oldest first.
struct cell_chain {
  timer_cell* first = nullptr;
  timer_cell* last = nullptr;
  std::size_t size = 0;

  void push_back(timer_cell& cell) noexcept {
    cell.next = nullptr;
    (last != nullptr ? last->next : first) = &cell;
    last = &cell;
    ++size;
  }
  timer_cell* pop_front() noexcept {
    timer_cell* cell = first;
    if (cell == nullptr) return nullptr;
    first = cell->next;
    if (first == nullptr) last = nullptr;
    --size;
    return cell;
  }
};

} // namespace weir::rt
