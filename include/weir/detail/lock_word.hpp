// SPDX-License-Identifier: Apache-2.0
#pragma once

// The lock inside public types: one word, held for a few instructions and never across a switch. Its layout does not
// depend on the build, and only the uncontended path is visible here: one read-modify-write and one store.
//
//   0 free · 1 held
//
// Contention  a thread that finds it held spins for a few microseconds, which is a hundred times as long as it is held;
//             then the holder has been descheduled, and the thread sleeps in short naps. Nobody wakes it, so unlock()
//             need not ask whether somebody sleeps.
// Orderings   O1 unlock (release) pairs with the taking compare-exchange (acquire).
// Destroying  the destructor of a public type takes the lock once: whoever decided a wait under it, and so let the
//             owner go on, has left the lock by then. unlock()'s store is its last access.
// Rejected    base/spin_lock.hpp, whose sleepers are woken: unlocking costs a second read-modify-write, and a wait at a
//             primitive takes the lock three times.
#include <weir/detail/atomic.hpp>

#include <cstdint>

namespace weir::detail {

void lock_slowly(atomic<std::uint32_t>& word) noexcept;

/// BasicLockable.
class lock_word {
public:
  constexpr lock_word() noexcept = default;
  lock_word(const lock_word&) = delete;
  lock_word& operator=(const lock_word&) = delete;

  void lock() noexcept {
    std::uint32_t expected = 0;
    if (!word_.compare_exchange_strong(expected, 1, memory_order::acquire, memory_order::relaxed)) // O1
      lock_slowly(word_);
  }
  void unlock() noexcept { word_.store(0, memory_order::release); } // O1

private:
  atomic<std::uint32_t> word_{0};
};

} // namespace weir::detail
