// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which permits are free, how many workers search for work, and why no wake is lost.
//
//   free bit of permit p   set: p is FREE, its queue is empty, and the worker attached to it (permit.hpp) sleeps or is
//   about to searching              workers that hold a permit and look for work
//
// Who writes  R1 a worker sets the bit of the permit it held, and from then on does not hold it.
//             R2 whoever clears a bit (claims it) owns that permit: it grants it to the attached worker, or takes it
//             for a caller
//                that returns from a blocking region, or was that worker itself.
//             R3 a worker that is granted a permit because of queued work is counted as searching before it is granted.
// Orderings   O1 set_free() (release) pairs with claim() (acquire): who claims a permit sees all that its last owner did.
//             Everything else is ordered by the fences below; the count of searchers needs no order of its own.
// Publisher   (1) push, release; (2) sequentially consistent fence; (3) no free bit: done, after waking a sleeping
// monitor;
//             somebody searches: done; (4) claim a bit, count one searcher, grant.
// Parker      (a) set the bit; (b) if searching, stop counting; (c) sequentially consistent fence; (d) look at all
// queues and what overflowed them, the injector
//             and the returners. If there is anything: claim the own bit and go on as a searcher, or, if somebody else
//             has it, do the publisher's (3) and (4) for those who are still free. Then sleep until granted.
// Finder      a searcher that finds work: (f) stop counting; (g) fence; (h) look at all queues; if there is anything,
// (3), (4).
//
// Why no wake is lost. Let F1 be a publisher's fence and F2 the fence of any parker or finder; fences are totally
// ordered.
//   F1 < F2: the look in (d) or (h) sees the push, so that worker goes on, wakes another one, or knows that no bit is
//   free. F2 < F1, parker: the publisher sees the bit, or a later claim of it, whose worker will park again with a
//   later fence.
//     It then wakes, or reads searching > 0. In that case some worker Q searches; it has still to pass (b) or (f),
//     after the publisher's read and so after F1; the fence that follows sees the push. By induction over the finite
//     number of searchers the last one to leave covers every push before.
//   F2 < F1, finder: it runs a task and does not sleep; it is a parker later.
//   No free bit: every permit is held or being granted, and each holder is a parker later, or blocks in a region, which
//   the monitor
//     ends; hence (3) wakes a monitor that sleeps, which has the same argument with `asleep` in the place of the bit.
// Delays      a parker that is slow between (a) and (d) may find its bit set by a later parker. The permit's word says
// who is attached;
//             the claimer grants to that worker, whoever the claimer is.
// Batches     tasks that move from one queue to another are invisible between. The mover therefore is a searcher, which
// does (f)-(h)
//             after the move, or repeats the publisher's steps after it.
// Own requeue a holder that queues its own task again when the poll ends, and takes the front of the same queue next,
// publishes
//             nothing: the queue was not seen empty between. Nor does it for the task that it has woken for itself
//             (next_cell.hpp), of which the look in (d) and (h) sees nothing: the monitor minds that. If it takes another task instead, it does the publisher's
//             steps.
// Rejected    one word with a count of sleepers and a locked list of them (each notify becomes a read-modify-write on a
// shared line);
//             a wake for every push (a wake costs more than most tasks); process-wide barriers in the parker (12 us
//             with 15 busy processors, for every park).
#include <weir/detail/atomic.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace weir::rt {

class idle_set {
public:
  /// All of `permits` start free.
  explicit idle_set(std::size_t permits)
      : words_((permits + bits - 1) / bits), free_(std::make_unique<detail::atomic<std::uint64_t>[]>(words_)) {
    for (std::size_t permit = 0; permit < permits; ++permit) set_free(permit);
  }

  void set_free(std::size_t permit) noexcept {
    free_[permit / bits].fetch_or(bit(permit), detail::memory_order::release); // O1
  }

  bool claim(std::size_t permit) noexcept {
    return (free_[permit / bits].fetch_and(~bit(permit), detail::memory_order::acquire) & bit(permit)) != 0; // O1
  }

  std::optional<std::size_t> claim_any() noexcept {
    for (std::size_t word = 0; word < words_; ++word) {
      while (std::uint64_t seen = free_[word].load(detail::memory_order::relaxed)) {
        std::size_t permit = word * bits + static_cast<std::size_t>(std::countr_zero(seen));
        if (claim(permit)) return permit;
      }
    }
    return std::nullopt;
  }

  bool has_free() const noexcept {
    for (std::size_t word = 0; word < words_; ++word) {
      if (free_[word].load(detail::memory_order::relaxed) != 0) return true;
    }
    return false;
  }

  /// Not zero: a permit is free; of the first 64.
  const detail::atomic<std::uint64_t>& first_word() const noexcept { return free_[0]; }

  std::size_t count_free() const noexcept {
    std::size_t count = 0;
    for (std::size_t word = 0; word < words_; ++word)
      count += static_cast<std::size_t>(std::popcount(free_[word].load(detail::memory_order::relaxed)));
    return count;
  }

  std::size_t searching() const noexcept { return searching_.load(detail::memory_order::relaxed); }
  void begin_search() noexcept { searching_.fetch_add(1, detail::memory_order::relaxed); }
  /// Counts the caller if fewer than half of the `busy` permits' holders search.
  bool try_begin_search(std::size_t busy) noexcept {
    if (2 * searching() >= busy) return false;
    begin_search();
    return true;
  }
  void end_search() noexcept { searching_.fetch_sub(1, detail::memory_order::relaxed); }

private:
  static constexpr std::size_t bits = 64;
  static constexpr std::uint64_t bit(std::size_t permit) noexcept { return std::uint64_t{1} << permit % bits; }

  std::size_t words_;
  std::unique_ptr<detail::atomic<std::uint64_t>[]> free_;
  alignas(64) detail::atomic<std::size_t> searching_{0};
};

} // namespace weir::rt
