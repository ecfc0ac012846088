// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a fork reaches another worker, and how the two sides meet again.
//
//   a node is   known by                        next
//   listed      place null; on its fork_list    left (the join: it is run here), offered
//   offered     place's word points to it       taken (exchange by a worker), taken back (compare-exchange by the join)
//   taken       place's word does not           ended
//   ended       end is 1
//
//   end         0: runs; 1: has ended; else who waits, by the low bits: 2 a task, 4 a worker, 6 a parker
//
// Rule        forks are offered oldest first, because the oldest is the largest. So when a join finds its node offered,
//             every older one has been offered too, and the stack that waits keeps no fork from others.
// Beat        an offer is made at a fork when a permit is idle and the stack's last offer is at least `beat` ago, and
//             only into an empty place, of which each permit has one. No timer runs for it, and a runtime whose permits
//             are all busy makes no offers. The clock is read at fewer and fewer forks until the beat is over, so that
//             forks of some nanoseconds do not pay for it beside a permit that stays idle; the offer is then late by
//             at most as long as the beat.
// Who writes  R1 list, place: the thread that runs the stack. R2 the place's word: the owner null → node; node → null
//                by exchange of a worker, or by compare-exchange of the owner: whoever gets the node runs it.
//             R3 error, result: who runs it, until end is 1; then the owner.
//             R4 end: 0 → waiter by the owner, who may put another waiter in the place of its own; → 1 by who ran it.
//                After that it does not touch the node, and finishes with the waiter alone: a counted task, a worker
//                (as old as the runtime), or a parker whose owner does not return from park() before the wake.
// Orderings   O1 offer (release) → take (acquire): the taker sees the node and what the owner wrote before.
//             O2 end (release) → the owner's load or failed compare-exchange (acquire): it sees the result.
//             O3 waiter (release) → end's exchange (acquire).
//             O4 an offer is published like a task: idle.hpp. has_demand() looks at the places.
// The joiner  a fiber suspends; a worker first runs other offered forks, then gives its permit to a spare thread and
//             blocks, so that no permit is ever idle for it and no processor spins; a thread from outside blocks.
// Shutdown    a fork belongs to a task that runs, so the runtime does not end before it.
// Rejected    stealing every fork from a deque (a fence and an atomic join for each); a timer that sets a beat flag (it
//             wakes also when nobody is idle); a spinning join (with two processors for two workers and somebody
//             else's work it burns what the other side needs).
#include "base/parker.hpp"

#include <weir/detail/fork.hpp>

#include <chrono>

namespace weir::rt {

/// The shortest time between two offers of one stack.
inline constexpr std::chrono::nanoseconds beat = std::chrono::microseconds(20);

using fork_place = detail::atomic<detail::fork_node*>;

/// Who waits for the end of a fork: the low bits of an end word.
enum class fork_waiter : std::uintptr_t { nobody = 0, ended = 1, task = 2, worker = 4, parker = 6 };

/// What a thread without a worker sleeps on, at an address that leaves the low bits free.
struct alignas(8) fork_sleeper : parker {};

/// An end word, taken apart.
struct fork_end {
  static constexpr std::uintptr_t kind_mask = 7;
  static constexpr std::uintptr_t has_ended = 1;

  fork_waiter kind;
  void* who;

  static fork_end unpack(std::uintptr_t word) noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer and a kind share the word
    return {static_cast<fork_waiter>(word & kind_mask), reinterpret_cast<void*>(word & ~kind_mask)};
  }
  template <class Waiter> static std::uintptr_t pack(const Waiter* who, fork_waiter kind) noexcept {
    static_assert(alignof(Waiter) > kind_mask);
    return reinterpret_cast<std::uintptr_t>(who) | static_cast<std::uintptr_t>(kind);
  }
};

/// Offers a node of the calling stack; false when the place is taken. The caller takes it from its list then.
inline bool offer_fork(detail::fork_node& node, fork_place& place) noexcept {
  node.end.store(0, detail::memory_order::relaxed);
  node.failed.store(detail::first_failure::none, detail::memory_order::relaxed);
  node.place = &place;
  detail::fork_node* nothing = nullptr;
  if (place.compare_exchange_strong(nothing, &node, detail::memory_order::release, // O1
                                    detail::memory_order::relaxed))
    return true;
  node.place = nullptr;
  return false;
}

/// Takes what is offered; null when nothing is. The caller owes run_taken().
inline detail::fork_node* take_fork(fork_place& place) noexcept {
  if (place.load(detail::memory_order::relaxed) == nullptr) return nullptr;
  return place.exchange(nullptr, detail::memory_order::acquire); // O1
}

/// Takes the caller's own offer back; false when somebody has taken it.
inline bool take_fork_back(detail::fork_node& node) noexcept {
  detail::fork_node* mine = &node;
  // Relaxed: what is replaced is the caller's own store.
  return node.place->compare_exchange_strong(mine, nullptr, detail::memory_order::relaxed,
                                             detail::memory_order::relaxed);
}

/// True when a taken fork has ended.
inline bool has_ended(const detail::fork_node& node) noexcept {
  return node.end.load(detail::memory_order::acquire) == fork_end::has_ended; // O2
}

/// Registers who is told of the end, in the place of `before`. False: the end has come.
template <class Waiter>
bool set_fork_waiter(detail::fork_node& node, const Waiter* who, fork_waiter kind, std::uintptr_t before = 0) noexcept {
  return node.end.compare_exchange_strong(before, fork_end::pack(who, kind), detail::memory_order::release, // O3
                                          detail::memory_order::acquire);                                   // O2
}

/// Says that a taken fork has ended, and who is to be told; the node belongs to its owner from then on.
inline fork_end end_fork(detail::fork_node& node) noexcept {
  return fork_end::unpack(node.end.exchange(fork_end::has_ended, detail::memory_order::acq_rel)); // O2, O3
}

/// Runs a fork that was taken from a place.
void run_taken(detail::fork_node& node) noexcept;

} // namespace weir::rt
