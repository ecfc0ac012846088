// SPDX-License-Identifier: Apache-2.0
#pragma once

// A lock for a few instructions of the runtime's own work. It spins a bounded time and then sleeps, so a holder that
// the kernel has descheduled costs its waiters no processor.
//
//   state      word   meaning
//   free       0
//   held       1      held, nobody sleeps
//   contended  2      held, somebody may sleep
//
// Who writes  R1 free → held or contended by the thread that takes the lock; R2 held → contended by a thread about to
// sleep;
//             R3 any → free by the holder, which wakes one sleeper when it replaced `contended`.
//             R4 a thread that has slept takes the lock as `contended`, because others may sleep still.
// Orderings   O1 unlock (release) pairs with the taking exchange (acquire).
// Fairness    none; holders keep it for less than a microsecond. Whoever needs order queues elsewhere.
// Rejected    pure spinning (with two processors a descheduled holder stops everybody for a time slice); std::mutex (40
// bytes,
//             and a model checker cannot see into it).
#include "base/lock_depth.hpp"
#include "os/futex.hpp"

#include <weir/detail/atomic.hpp>

#include <cstdint>

namespace weir::rt {

using detail::spin_pause;

/// BasicLockable. `name` says in a failed check which lock it is; it must outlive the lock.
class spin_lock {
public:
  constexpr explicit spin_lock([[maybe_unused]] const char* name = "a spin lock") noexcept
#if WEIR_HAS_DEBUG_CHECKS
      : name_(name)
#endif
  {
  }
  spin_lock(const spin_lock&) = delete;
  spin_lock& operator=(const spin_lock&) = delete;

  void lock() noexcept {
    if (!take_if_free()) lock_slowly();
    note_lock_taken(name());
  }

  bool try_lock() noexcept {
    if (!take_if_free()) return false;
    note_lock_taken(name());
    return true;
  }

  void unlock() noexcept {
    note_lock_given(name());
    if (word_.exchange(free, detail::memory_order::release) == contended && // O1, R3
        !WEIR_MUTANT("spin lock: a sleeper is not woken"))
      os::futex_wake(word_);
  }

private:
  static constexpr std::uint32_t free = 0;
  static constexpr std::uint32_t held = 1;
  static constexpr std::uint32_t contended = 2;
  static constexpr int spins = detail::is_modelled ? 1 : WEIR_SIMULATED ? 4 : 100;

#if WEIR_HAS_DEBUG_CHECKS
  const char* name() const noexcept { return name_; }
#else
  static constexpr const char* name() noexcept { return ""; }
#endif

  bool take_if_free() noexcept {
    std::uint32_t expected = free;
    return word_.compare_exchange_strong(expected, held, detail::memory_order::acquire,
                                         detail::memory_order::relaxed); // O1
  }

  WEIR_NOINLINE void lock_slowly() noexcept {
    for (int i = 0; i < spins; ++i) {
      spin_pause();
      if (word_.load(detail::memory_order::relaxed) == free && take_if_free()) return;
    }
    while (word_.exchange(contended, detail::memory_order::acquire) != free) os::futex_wait(word_, contended); // O1, R4
  }

  detail::atomic<std::uint32_t> word_{free};
#if WEIR_HAS_DEBUG_CHECKS
  const char* name_;
#endif
};

} // namespace weir::rt
