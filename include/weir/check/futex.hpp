// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sleeping on a word, as the kernel offers it, for models. A comparison and the falling asleep are one step with
// respect to a wake.

#include <cstdint>
#include <source_location>

#include <weir/check/atomic.hpp>

namespace weir::check {

/// Sleeps while `word` holds `expected`, until woken. `may_time_out`: the wait has a deadline, and that it passes is
/// explored within the model's budget. False only when it did.
///
/// Suspends: blocks the model thread.
/// Cancels:  no.
bool futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected, bool may_time_out = false,
                std::source_location where = std::source_location::current());

/// Wakes up to `count` sleepers of `word`, the first to come first. The word may be destroyed already.
void futex_wake(const atomic<std::uint32_t>& word, unsigned count = 1,
                std::source_location where = std::source_location::current());

} // namespace weir::check
