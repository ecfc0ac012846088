// SPDX-License-Identifier: Apache-2.0
#pragma once

// Armed timers by the tick at which they are due. Anybody puts cells in without a lock; one thread at a time moves the
// time on and takes out what is due.
//
//   level L, slot S   cells whose tick agrees with `elapsed` above digit L and has digit L equal to S (digits of Bits
//                     bits). When time comes to such a slot of a level above 0, its cells are due or move down.
//   occupied bit      set: the slot's list may have cells; clear: it is empty or a pusher is about to set the bit
//   elapsed           all ticks up to here have been taken out
//
// Who writes  R1 slot lists: pushers by compare-exchange, takers by exchange of the whole list, which is then theirs
//                alone. So no cell is unlinked from the middle, and a cancelled one stays until its slot is taken.
//             R2 occupied bits: pushers set, after the push; the advancer clears, before the take.
//             R3 elapsed: the holder of the advance token, which is only tried for and never waited for.
// Orderings   O1 push (release) → take (acquire): the taker sees the cell.
//             O2 take (release) → a later push (acquire): that pusher sees the cleared bit and sets it again.
//             O3 the pusher pushes, fences, and reads elapsed again; the advancer stores elapsed, fences, and reads the
//                bits. Either the advancer sees the cell, or the pusher sees that time went on. If its place is no
//                longer the right one, the pusher takes the whole slot list and places each of its cells anew.
//             O4 the token's release → the next holder's acquire: elapsed never goes back.
// No loss     let a pusher place by elapsed = a, and the advancer go a → b. Its fence after the pusher's: it looks at
//             all slots in (a, b] of each level whose digit changes, and the pusher's is one of them if it had to move.
//             Its fence before: the pusher reads b or later, and either the place is right for what it read, or it
//             moves the cells. A later advance starts from a value at which the place was right.
// Spurious    a slot that a pusher emptied keeps its bit until time passes it: next() may be too early, never too late.
// Shutdown    the owner of the cells' memory frees it; no list is walked.
// Rejected    a lock around the lists (arming from another thread and cancelling would wait behind firing); a heap
//             (one cancel costs its depth, and a lock); unlinking cancelled cells from the middle (needs two-sided
//             links and therefore a lock, to gain what sweep() gives in bulk).
#include "time/timer_cell.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace weir::rt {

/// `Levels` digits of `Bits` bits; ticks are less than two to the power of their product.
template <unsigned Levels, unsigned Bits> class basic_timer_wheel {
public:
  using tick_type = std::uint64_t;
  static constexpr tick_type never = std::numeric_limits<tick_type>::max();
  static constexpr tick_type last_tick = (tick_type{1} << (Levels * Bits)) - 1;

  explicit basic_timer_wheel(tick_type start = 0) noexcept : elapsed_(start) {}

  /// Puts an armed cell where time will find it. Cells that turn out to be due go to `due`, for the caller to fire.
  ///
  /// Thread: any. Cost: one compare-exchange and one fence.
  void place(timer_cell& cell, cell_chain& due) noexcept {
    cell_chain moving;
    moving.push_back(cell);
    while (timer_cell* one = moving.pop_front()) {
      tick_type seen = elapsed_.load(detail::memory_order::relaxed);
      tick_type tick = one->tick;
      if (tick <= seen) {
        due.push_back(*one);
        continue;
      }
      place_in at = place_of(seen, tick);
      push(at, *one);          // not to be touched from here on
      detail::seq_cst_fence(); // O3
      tick_type later = elapsed_.load(detail::memory_order::relaxed);
      if (later == seen || (tick > later && place_of(later, tick) == at)) continue;
      take(at, moving);
    }
  }

  /// The tick at which advance() may have something to do. Thread: any; not later than what was placed before the call.
  tick_type next() const noexcept {
    tick_type elapsed = elapsed_.load(detail::memory_order::relaxed);
    tick_type first = never;
    for (unsigned level = 0; level != Levels; ++level) {
      std::uint64_t bits = occupied_[level].load(detail::memory_order::relaxed);
      if (bits == 0) continue;
      tick_type group = elapsed >> (Bits * level);
      tick_type slot = (group + 1 + distance(bits, group + 1)) << (Bits * level);
      first = std::min(first, slot);
    }
    return first;
  }

  /// Gives the caller the right to advance and sweep until end_advance(). Thread: any.
  bool try_begin_advance() noexcept {
    return !token_.load(detail::memory_order::relaxed) && !token_.exchange(true, detail::memory_order::acquire); // O4
  }
  void end_advance() noexcept { token_.store(false, detail::memory_order::release); } // O4

  /// Moves time on to `now`, tick by tick that has cells, until at least `limit` cells are taken out.
  ///
  /// Order: by tick; first placed, first out within one.
  void advance(tick_type now, cell_chain& due, std::size_t limit) noexcept {
    for (;;) {
      tick_type step = std::min(next(), now);
      advance_to(step, due);
      if (step == now || due.size >= limit) return;
    }
  }

  /// Takes out every cell that was cancelled. Thread: the token's holder.
  void sweep(cell_chain& dead) noexcept {
    tick_type elapsed = elapsed_.load(detail::memory_order::relaxed);
    for (unsigned level = 0; level != Levels; ++level) {
      std::uint64_t bits = occupied_[level].load(detail::memory_order::relaxed);
      for (; bits != 0; bits &= bits - 1) {
        cell_chain taken = clear_and_take({level, static_cast<unsigned>(std::countr_zero(bits))});
        while (timer_cell* cell = taken.pop_front()) {
          if (cell->is_cancelled()) {
            dead.push_back(*cell);
          } else {
            push(place_of(elapsed, std::max(cell->tick, elapsed + 1)), *cell);
          }
        }
      }
    }
  }

private:
  static constexpr unsigned slots = 1u << Bits;
  static_assert(slots <= 64);

  struct place_in {
    unsigned level;
    unsigned slot;
    friend bool operator==(place_in, place_in) = default;
  };

  static place_in place_of(tick_type elapsed, tick_type tick) noexcept {
    unsigned level = static_cast<unsigned>(std::bit_width(elapsed ^ tick) - 1) / Bits;
    return {level, static_cast<unsigned>(tick >> (Bits * level)) % slots};
  }

  /// How many slots after `from` the first set bit is, the way round.
  static unsigned distance(std::uint64_t bits, tick_type from) noexcept {
    unsigned start = static_cast<unsigned>(from) % slots;
    std::uint64_t ahead = bits >> start;
    if (ahead != 0) return static_cast<unsigned>(std::countr_zero(ahead));
    return slots - start + static_cast<unsigned>(std::countr_zero(bits));
  }

  void push(place_in at, timer_cell& cell) noexcept {
    detail::atomic<timer_cell*>& head = heads_[at.level * slots + at.slot];
    timer_cell* newest = head.load(detail::memory_order::relaxed);
    do {
      cell.next = newest;
    } while (!head.compare_exchange_weak(newest, &cell, detail::memory_order::acq_rel, // O1, O2
                                         detail::memory_order::relaxed));
    std::uint64_t bit = std::uint64_t{1} << at.slot;
    if ((occupied_[at.level].load(detail::memory_order::relaxed) & bit) == 0)
      occupied_[at.level].fetch_or(bit, detail::memory_order::relaxed);
  }

  void take(place_in at, cell_chain& into) noexcept {
    timer_cell* newest = heads_[at.level * slots + at.slot].exchange(nullptr, detail::memory_order::acq_rel); // O1, O2
    timer_cell* oldest = nullptr;
    while (newest != nullptr) {
      timer_cell* rest = std::exchange(newest->next, oldest);
      oldest = std::exchange(newest, rest);
    }
    while (oldest != nullptr) {
      timer_cell* rest = oldest->next;
      into.push_back(*oldest);
      oldest = rest;
    }
  }

  cell_chain clear_and_take(place_in at) noexcept {
    occupied_[at.level].fetch_and(~(std::uint64_t{1} << at.slot), detail::memory_order::relaxed); // R2
    cell_chain taken;
    take(at, taken);
    return taken;
  }

  void advance_to(tick_type now, cell_chain& due) noexcept {
    tick_type before = elapsed_.load(detail::memory_order::relaxed);
    if (now <= before) return;
    elapsed_.store(now, detail::memory_order::relaxed);
    detail::seq_cst_fence(); // O3
    for (unsigned level = 0; level != Levels; ++level) {
      tick_type from = before >> (Bits * level);
      tick_type to = now >> (Bits * level);
      if (from == to) return;
      std::uint64_t bits = occupied_[level].load(detail::memory_order::relaxed);
      for (tick_type steps = std::min<tick_type>(to - from, slots); bits != 0;) {
        unsigned skip = distance(bits, from + 1);
        if (skip >= steps) break;
        place_in at{level, static_cast<unsigned>(from + 1 + skip) % slots};
        bits &= ~(std::uint64_t{1} << at.slot);
        settle(at, now, due);
      }
    }
  }

  void settle(place_in at, tick_type now, cell_chain& due) noexcept {
    cell_chain taken = clear_and_take(at);
    while (timer_cell* cell = taken.pop_front()) {
      if (cell->tick <= now) {
        due.push_back(*cell);
      } else {
        push(place_of(now, cell->tick), *cell);
      }
    }
  }

  detail::atomic<tick_type> elapsed_;
  detail::atomic<bool> token_{false};
  alignas(64) std::array<detail::atomic<std::uint64_t>, Levels> occupied_{};
  std::array<detail::atomic<timer_cell*>, std::size_t{Levels} * slots> heads_{};
};

/// Covers all instants in ticks of 2^16 ns: 48 bits.
using timer_wheel = basic_timer_wheel<8, 6>;

} // namespace weir::rt
