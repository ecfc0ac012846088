// SPDX-License-Identifier: Apache-2.0
#pragma once

// Monotonic time as the runtime uses it: instants are nanoseconds of the steady clock, durations are
// std::chrono::nanoseconds.
#include <weir/config.hpp>

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>

namespace weir::rt {

using duration = std::chrono::nanoseconds;

struct instant {
  std::int64_t nanoseconds = 0;

  /// Later than every instant the clock gives; as a deadline it means: wait without limit.
  static constexpr instant never() noexcept { return {std::numeric_limits<std::int64_t>::max()}; }
  constexpr bool is_never() const noexcept { return *this == never(); }

  friend constexpr auto operator<=>(instant, instant) noexcept = default;
  friend constexpr duration operator-(instant a, instant b) noexcept { return duration(a.nanoseconds - b.nanoseconds); }
  /// Adds, and stays at never() or at the first representable instant instead of wrapping.
  friend constexpr instant operator+(instant at, duration by) noexcept {
    std::int64_t sum = 0;
    if (at.is_never()) return at;
    if (__builtin_add_overflow(at.nanoseconds, static_cast<std::int64_t>(by.count()), &sum))
      return by.count() > 0 ? never() : instant{std::numeric_limits<std::int64_t>::min()};
    return {sum};
  }
};

/// Reads the steady clock, or that of the simulation.
///
/// Cost: tens of nanoseconds, no system call where the kernel maps its clock.
#if WEIR_SIMULATED
instant now() noexcept;
#else
inline instant now() noexcept {
  auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since_boot).count()};
}
#endif

/// Reads the clock on the wall: the time since 1970, which can be set at any moment.
#if WEIR_SIMULATED
duration wall_time() noexcept;
#else
inline duration wall_time() noexcept {
  return std::chrono::duration_cast<duration>(std::chrono::system_clock::now().time_since_epoch());
}
#endif

} // namespace weir::rt
