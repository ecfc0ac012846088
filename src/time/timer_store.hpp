// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a permit owns of the timers: the wheel, and the cells that its holder arms.
//
// Who writes  R1 own_, slabs_, in_use_: the store's owner, which is the permit's holder, or for the store of threads
//                without a permit who holds its lock (timer_set.hpp).
//             R2 returned_: anybody who fired or swept cells of this store pushes; the owner takes all.
//             R3 cancelled_: waiters add, takers subtract; a hint for when a sweep pays.
// Orderings   O1 give_back (release) → take_returned (acquire): the owner sees the cell's word and may write the rest.
// Memory      an owner out of cells first takes the returned ones, then sweeps when at least half of its cells are
//             cancelled, and only then makes a slab, half as large as all before. So a store holds at most about three
//             times the cells that were armed at once, whatever is cancelled and however late it would have been due;
//             it keeps them until the runtime's end. Arming costs no allocation of its own.
#include "time/timer_wheel.hpp"

#include <memory>
#include <vector>

namespace weir::rt {

template <class Wheel, std::size_t SmallestSlab> class basic_timer_store {
public:
  Wheel wheel;

  /// A free cell. Thread: the owner. Errors: std::bad_alloc.
  timer_cell& take_cell() {
    if (own_ == nullptr) refill();
    timer_cell* cell = own_;
    own_ = cell->next;
    ++in_use_;
    return *cell;
  }

  /// Gives back cells that were claimed. Thread: any.
  void give_back(cell_chain cells) noexcept {
    if (cells.first == nullptr) return;
    timer_cell* before = returned_.load(detail::memory_order::relaxed);
    do {
      cells.last->next = before;
    } while (!returned_.compare_exchange_weak(before, cells.first, detail::memory_order::release, // O1
                                              detail::memory_order::relaxed));
  }

  void note_cancelled() noexcept { cancelled_.fetch_add(1, detail::memory_order::relaxed); }
  void note_claimed_cancelled() noexcept { cancelled_.fetch_sub(1, detail::memory_order::relaxed); }

  /// Cells of all slabs. Thread: the owner.
  std::size_t capacity() const noexcept { return capacity_; }

private:
  void refill() {
    if (take_returned()) return;
    if (in_use_ >= SmallestSlab && 2 * cancelled_.load(detail::memory_order::relaxed) >= in_use_ && sweep() &&
        take_returned())
      return;
    grow();
  }

  bool take_returned() noexcept {
    own_ = returned_.exchange(nullptr, detail::memory_order::acquire); // O1
    for (timer_cell* cell = own_; cell != nullptr; cell = cell->next) --in_use_;
    return own_ != nullptr;
  }

  bool sweep() noexcept {
    if (!wheel.try_begin_advance()) return false;
    cell_chain dead;
    wheel.sweep(dead);
    wheel.end_advance();
    for (timer_cell* cell = dead.first; cell != nullptr; cell = cell->next) {
      static_cast<void>(cell->claim());
      note_claimed_cancelled();
    }
    give_back(dead);
    return true;
  }

  void grow() {
    std::size_t count = std::max(SmallestSlab, capacity_ / 2);
    auto slab = std::make_unique<timer_cell[]>(count);
    for (std::size_t at = 0; at + 1 != count; ++at) slab[at].next = &slab[at + 1];
    slabs_.push_back(std::move(slab));
    own_ = slabs_.back().get();
    capacity_ += count;
  }

  timer_cell* own_ = nullptr;
  std::size_t in_use_ = 0;
  std::size_t capacity_ = 0;
  std::vector<std::unique_ptr<timer_cell[]>> slabs_;
  alignas(64) detail::atomic<timer_cell*> returned_{nullptr};
  detail::atomic<std::size_t> cancelled_{0};
};

class timer_store : public basic_timer_store<timer_wheel, 64> {};

} // namespace weir::rt
