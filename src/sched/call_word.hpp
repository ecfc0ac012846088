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

} // namespace weir::rt
