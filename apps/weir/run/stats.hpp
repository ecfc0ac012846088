// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace weir::cli {

/// What one guest used.
struct guest_stats {
  std::string name;
  std::string result;
  int status = 0;
  std::chrono::nanoseconds wall{}; ///< from the start of all guests to the end of this one
  std::chrono::nanoseconds cpu{};  ///< while it ran as a task; what a host call burns in a blocking region included
  std::uint64_t polls = 0;
  std::uint64_t handoffs = 0;
  std::uint64_t checkpoints = 0;
  std::uint64_t memory_pages = 0; ///< linear memory never shrinks, so its last size is the peak
};

/// What the process as a whole used.
struct run_totals {
  std::size_t permits = 0;
  std::size_t threads = 0; ///< started by the runtime
  std::chrono::nanoseconds wall{};
  std::chrono::nanoseconds cpu{};
};

/// One line per guest and a total, under a head line.
std::string stats_table(std::span<const guest_stats> guests, const run_totals& totals);

/// The same as one line of JSON; durations are in nanoseconds.
std::string stats_json(std::span<const guest_stats> guests, const run_totals& totals);

/// `min 7.13 ms, median 7.20 ms over 20 calls`. Sorts the times; there is at least one.
std::string repeat_line(std::span<std::chrono::nanoseconds> times);

} // namespace weir::cli
