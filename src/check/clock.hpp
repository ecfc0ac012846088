// SPDX-License-Identifier: Apache-2.0
#pragma once

// How far into each thread a point of an execution can see: `seen[t]` events of thread t, always a prefix of that
// thread.

#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::check::detail {

inline constexpr std::size_t max_threads = 8;

struct clock {
  std::array<std::int16_t, max_threads> seen{};

  void join(const clock& other) noexcept {
    for (std::size_t thread = 0; thread < max_threads; ++thread)
      seen[thread] = seen[thread] < other.seen[thread] ? other.seen[thread] : seen[thread];
  }

  [[nodiscard]] bool covers(unsigned thread, int index) const noexcept { return seen[thread] > index; }

  friend bool operator==(const clock&, const clock&) = default;
};

} // namespace weir::check::detail
