// SPDX-License-Identifier: Apache-2.0
#pragma once

// A million tasks at once: the resident memory of waiting ones, and how late sleepers wake.
#include "rounds.hpp"

namespace bench {

/// How long sleeper number i sleeps: 1 to 1000 ms, in microseconds.
constexpr std::uint64_t sleep_us(std::uint64_t i) noexcept { return 1000 + mix(i) % 999'001; }

/// Counts tasks that are about to wait. `start` makes them all wait, `release` wakes them; they add to and take from
/// `waiting`.
template <class Start, class Release>
report measure_parked(request asked, std::atomic<std::uint64_t>& waiting, Start start, Release release) {
  auto wait_for = [&](std::uint64_t count) {
    while (waiting.load(std::memory_order_relaxed) != count) sleep_for_ns(1'000'000);
  };
  double bytes = 0;
  asked.rounds = 1;
  report found = measure_rounds(asked, asked.size, [&] {
    long before = process_status("VmRSS:");
    start();
    wait_for(asked.size);
    sleep_for_ns(20'000'000); // the last of them gets from its count to its wait
    bytes = static_cast<double>(process_status("VmRSS:") - before) * 1024 / static_cast<double>(asked.size);
    release();
    wait_for(0);
    return asked.size;
  });
  found.figures.emplace_back("bytes_per_task", bytes);
  return found;
}

} // namespace bench
