// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who has a permit, in one word: generation of blocking call, phase, worker.
//
//   phase   the permit is                              leaves by
//   free    nobody's; `worker` sleeps and is attached  a claimer of its free bit → grant or run
//   run     held by `worker`                           its holder → call, free, grant
//   call    held by `worker`, in a blocking region     its holder → run; the monitor → grant
//   long    as call; expected to take long             its holder → run; the monitor or a publisher → grant
//   grant   on its way to `worker`                     that worker → run
//
// Who writes  R1 free: only who cleared the free bit. R2 run, grant: only the holder, and the worker it is granted to.
// R3 call, long: by
//                compare-exchange from anybody, since the holder's return and the takers race for it.
// Orderings   O1 every change is a release and every taker acquires, so what the holder alone may touch needs no other
//                synchronisation.
// Ages        each call has a generation of its own and the word names the worker, so a compare-exchange with a word
// that was read
//             before can only take the very call that was read. A call has no time of its own: the monitor notes when
//             it first sees a word, which is after the entry, so an age is never counted too long.
#include <weir/detail/atomic.hpp>

#include <cstdint>

namespace weir::rt {

enum class permit_phase : std::uint8_t { free, run, call, grant, long_call };

constexpr bool is_call(permit_phase phase) noexcept {
  return phase == permit_phase::call || phase == permit_phase::long_call;
}

struct call_word {
  permit_phase phase = permit_phase::free;
  std::uint16_t worker = 0;
  std::uint64_t generation = 0;

  static constexpr std::uint64_t max_workers = std::uint64_t{1} << 16;

  static constexpr call_word unpack(std::uint64_t word) noexcept {
    return {static_cast<permit_phase>(word & 7), static_cast<std::uint16_t>(word >> 48), word >> 3 & generation_mask};
  }
  constexpr std::uint64_t pack() const noexcept {
    return std::uint64_t{worker} << 48 | (generation & generation_mask) << 3 | static_cast<std::uint64_t>(phase);
  }

private:
  static constexpr std::uint64_t generation_mask = (std::uint64_t{1} << 45) - 1;
};

using permit_word = detail::atomic<std::uint64_t>;

/// Starts a call; returns the word it ends with. Thread: the permit's holder.
inline std::uint64_t begin_call(permit_word& word, permit_phase phase) noexcept {
  call_word call = call_word::unpack(word.load(detail::memory_order::relaxed));
  call.phase = phase;
  ++call.generation;
  word.store(call.pack(), detail::memory_order::release); // O1
  return call.pack();
}

/// Ends a call; false when its permit was taken. Thread: who began it.
inline bool end_call(permit_word& word, std::uint64_t call) noexcept {
  call_word running = call_word::unpack(call);
  running.phase = permit_phase::run;
  // Relaxed: what is replaced is the caller's own store, and the next call's store releases what follows.
  return word.compare_exchange_strong(call, running.pack(), detail::memory_order::relaxed,
                                      detail::memory_order::relaxed);
}

/// Takes the permit of this very call for `receiver`; false when the call has ended. Thread: any.
inline bool take_call(permit_word& word, call_word call, std::uint16_t receiver) noexcept {
  std::uint64_t expected = call.pack();
  call.phase = permit_phase::grant;
  call.worker = receiver;
  return word.compare_exchange_strong(expected, call.pack(), detail::memory_order::acquire, // O1
                                      detail::memory_order::relaxed);
}

} // namespace weir::rt
