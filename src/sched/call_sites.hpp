// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known about the places that block: a score from 0 to 15 for each. From 8 on a place is long, and its calls
// give their permit away at entry when other work waits.
//
//   event                                                       score
//   a call lost its permit because it had reached the grace     + 4
//   a permit was given away for less than half of the grace     - 1
//
// Who writes  R1 anybody, on the slow path of a region only: both events come after a handoff. Updates are plain loads
// and stores: one
//                that is lost is learned the next time, and a score decides about cost, never about correctness.
// Places      a direct-mapped table of words, each the place's address with the score in the low bits. A place whose
// word holds another
//             address counts as 0; the next event of its own takes the word over.
// Rejected    a score in the place itself (static scheduler state: two runtimes would teach each other); a table for
// each permit (every
//             permit would have to learn by losing permits again).
#include <weir/blocking.hpp>
#include <weir/detail/atomic.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::rt {

class call_sites {
public:
  static constexpr unsigned long_from = 8;

  unsigned score(const call_site& site) const noexcept {
    std::uint64_t word = words_[place(site)].load(detail::memory_order::relaxed);
    return (word & ~highest) == key(site) ? static_cast<unsigned>(word & highest) : 0;
  }
  bool is_long(const call_site& site) const noexcept { return score(site) >= long_from; }

  void note_detached(const call_site& site) noexcept { set(site, std::min<unsigned>(score(site) + 4, highest)); }
  void note_needless(const call_site& site) noexcept {
    if (unsigned now = score(site); now != 0) set(site, now - 1);
  }

private:
  static constexpr std::uint64_t highest = 15;
  static constexpr std::size_t size = 128;
  static_assert(alignof(call_site) > highest);

  static std::uint64_t key(const call_site& site) noexcept {
#if WEIR_SIMULATED
    return reinterpret_cast<std::uintptr_t>(&site) - sim::detail::program_start(); // the same in every process
#else
    return reinterpret_cast<std::uintptr_t>(&site);
#endif
  }
  static std::size_t place(const call_site& site) noexcept {
    return static_cast<std::size_t>((key(site) >> 4) * 0x9e3779b97f4a7c15 >> 57);
  }
  void set(const call_site& site, unsigned to) noexcept {
    words_[place(site)].store(key(site) | to, detail::memory_order::relaxed);
  }

  std::array<detail::atomic<std::uint64_t>, size> words_{};
};

} // namespace weir::rt
