// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sleeping on a 32-bit word. The kernel compares the word with the expected value and sleeps in one step, so a wake
// that changes the word first is never lost.
#include "base/clock.hpp"

#include <weir/detail/atomic.hpp>

#include <cstdint>

namespace weir::rt::os {

/// Sleeps while `word` holds `expected`, until woken or until `deadline`. Returns for no reason at times; the caller
/// looks again.
///
/// Suspends: blocks the thread.
/// Returns:  false only when the deadline has passed.
bool futex_wait(const detail::atomic<std::uint32_t>& word, std::uint32_t expected,
                instant deadline = instant::never()) noexcept;

/// Wakes up to `count` sleepers of `word`.
///
/// Lifetime: the word may be gone already; its address is only a key, and a stranger that sleeps there wakes for no
/// reason.
void futex_wake(const detail::atomic<std::uint32_t>& word, int count = 1) noexcept;

void futex_wake_all(const detail::atomic<std::uint32_t>& word) noexcept;

} // namespace weir::rt::os
