// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counters of many places, each with one writer at a time, that a reader sees all at one moment: what was counted because
// of something that is in the snapshot is in the snapshot only together with it. So spawned - finished is the number of
// tasks that lived at that moment, however many permits spawn and finish meanwhile.
//
//   period         a number; a snapshot begins one. A count belongs to the period that its writer reads before it counts
//   current[]      the counts until now
//   frozen[]       the counts when the period `frozen_at` began here; kept from the first count of a period on
//
// Who writes  R1 a ledger: one writer at a time, whose successor acquires what it released (a permit's holder, who has a
//             list's lock). No read-modify-write: a load of the period, and a load and a store of the count.
//             R2 the period: one reader at a time, under the owner's lock.
// Counting    light fence · read the period · if it is new: copy current to frozen, then frozen_at = period · current + 1.
// Reading     period + 1 · heavy fence · of each ledger: frozen, if frozen_at says this period; else current, and once more
//             frozen_at: if it says this period now, a count of the new period may be in current, and frozen is right.
// Orderings   O1 frozen_at (release) → its reads (acquire): frozen is whole. O2 a count of current (release) → the reader's
//             load (acquire): who sees a count of the new period sees frozen_at afterwards.
//             O3 the fences are a pair (asymmetric_fence.hpp).
// Why it is one moment. Let a count x come before y in happens-before. If y is in the snapshot, its writer read the old
//   period; so did x's writer, whose read comes before (coherence), and x is not shut out by a frozen copy. If the reader
//   took current before x was stored there, its heavy fence came before y's light fence, since x comes before that one;
//   then y's writer would have read the new period. So x is in the snapshot, too: it is a state the whole may have been in.
//   Counts that come before the reader's call are in it; so the numbers that one thread reads never go back.
// Rejected    reading one by one in the opposite order of causes (never negative, but a busy runtime finishes thousands of
//             tasks between two reads, and all are counted as alive); reading twice until nothing has changed (never ends
//             under load); stopping all permits at a door (a snapshot would stop the work it measures).
#include "base/asymmetric_fence.hpp"

#include <weir/detail/atomic.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::rt {

/// The period that counts belong to.
class ledger_clock {
public:
  std::uint64_t now() const noexcept {
    light_fence(); // O3
    return now_.load(detail::memory_order::relaxed);
  }
  /// Begins a period, whose counts are in no snapshot of it. Thread: one at a time.
  std::uint64_t advance() noexcept {
    std::uint64_t next = now_.load(detail::memory_order::relaxed) + 1;
    now_.store(next, detail::memory_order::relaxed);
    heavy_fence(); // O3
    return next;
  }

private:
  detail::atomic<std::uint64_t> now_{0};
};

template <std::size_t Count> class ledger {
public:
  using values = std::array<std::uint64_t, Count>;

  /// Counts one event. Thread: the ledger's writer.
  void add(std::size_t which, const ledger_clock& clock) noexcept {
    std::uint64_t period = clock.now();
    if (frozen_at_.load(detail::memory_order::relaxed) != period) freeze(period);
    std::uint64_t next = current_[which].load(detail::memory_order::relaxed) + 1;
    current_[which].store(next, detail::memory_order::release); // O2
  }

  /// The counts at the moment when `period` began. Thread: who began it.
  values at(std::uint64_t period) const noexcept {
    values counts;
    if (frozen_at_.load(detail::memory_order::acquire) != period) { // O1
      for (std::size_t each = 0; each != Count; ++each)
        counts[each] = current_[each].load(detail::memory_order::acquire);         // O2
      if (frozen_at_.load(detail::memory_order::acquire) != period) return counts; // O1
    }
    for (std::size_t each = 0; each != Count; ++each) counts[each] = frozen_[each].load(detail::memory_order::relaxed);
    return counts;
  }

  /// The counts one by one. Thread: any.
  values now() const noexcept {
    values counts;
    for (std::size_t each = 0; each != Count; ++each) counts[each] = current_[each].load(detail::memory_order::relaxed);
    return counts;
  }

private:
  void freeze(std::uint64_t period) noexcept {
    for (std::size_t each = 0; each != Count; ++each)
      frozen_[each].store(current_[each].load(detail::memory_order::relaxed), detail::memory_order::relaxed);
    frozen_at_.store(period, detail::memory_order::release); // O1
  }

  std::array<detail::atomic<std::uint64_t>, Count> current_{};
  detail::atomic<std::uint64_t> frozen_at_{0};
  std::array<detail::atomic<std::uint64_t>, Count> frozen_{};
};

} // namespace weir::rt
