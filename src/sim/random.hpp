// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random numbers of a simulation. Each purpose draws from a stream of its own, and a number depends on nothing but the seed, the
// stream and how many were drawn from that stream before; so one more draw of a fault moves no schedule.
#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::sim::detail {

enum class stream : std::uint8_t { setup, schedule, time, faults, user, entropy, checks };
inline constexpr std::size_t stream_count = 7;

constexpr std::uint64_t mix(std::uint64_t value) noexcept {
  value = (value ^ value >> 30U) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27U) * 0x94d049bb133111ebU;
  return value ^ value >> 31U;
}

class random_streams {
public:
  explicit random_streams(std::uint64_t seed) noexcept {
    for (std::size_t at = 0; at != stream_count; ++at) states_[at] = mix(mix(seed + 1) + (at + 1) * golden);
  }

  /// Makes what is drawn from here on another sequence.
  void change(stream which, std::uint64_t by) noexcept { states_[static_cast<std::size_t>(which)] ^= mix(by * golden); }
  std::uint64_t draw(stream from) noexcept { return mix(states_[static_cast<std::size_t>(from)] += golden); }
  /// One of 0 .. bound-1.
  std::uint64_t below(stream from, std::uint64_t bound) noexcept {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(draw(from)) * bound >> 64U);
  }
  /// True once in `in` times; never for 0.
  bool one(stream from, std::uint64_t in) noexcept { return in != 0 && below(from, in) == 0; }
  /// Up to `highest`, each order of magnitude as likely as the next.
  std::uint64_t of_any_size(stream from, std::uint64_t highest) noexcept {
    std::uint64_t bits = 1;
    while (bits < 63 && highest >> bits != 0) ++bits;
    const std::uint64_t value = below(from, std::uint64_t{1} << (1 + below(from, bits)));
    return value < highest ? value : highest;
  }

private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;
  std::array<std::uint64_t, stream_count> states_{};
};

} // namespace weir::sim::detail
