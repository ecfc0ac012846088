// SPDX-License-Identifier: Apache-2.0
#pragma once

// The lock inside public types: one word, held for a few instructions and never across a switch. It has the protocol of
// base/spin_lock.hpp; its layout does not depend on the build, and only the uncontended path is visible here.
//
//   0 free · 1 held · 2 held, and somebody may sleep
//
// Destroying  the destructor of a public type takes the lock once: whoever decided a wait under it, and so let the
// owner go
//             on, has left the lock by then. unlock()'s exchange is its last access; waking a sleeper uses the address
//             as a key only.
#include <weir/detail/atomic.hpp>

#include <cstdint>

namespace weir::detail {

void lock_slowly(atomic<std::uint32_t>& word) noexcept;
void wake_lock_sleeper(const atomic<std::uint32_t>& word) noexcept;

/// BasicLockable.
class lock_word {
public:
  constexpr lock_word() noexcept = default;
  lock_word(const lock_word&) = delete;
  lock_word& operator=(const lock_word&) = delete;

  void lock() noexcept {
    std::uint32_t expected = 0;
    if (!word_.compare_exchange_strong(expected, 1, memory_order::acquire, memory_order::relaxed)) lock_slowly(word_);
  }
  void unlock() noexcept {
    if (word_.exchange(0, memory_order::release) == 2) wake_lock_sleeper(word_);
  }

private:
  atomic<std::uint32_t> word_{0};
};

} // namespace weir::detail
