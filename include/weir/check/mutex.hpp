// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mutex and a condition variable for models of code that has locks. They work with std::lock_guard and std::unique_lock.
// A thread that waits for a lock that never becomes free is part of a deadlock report.

#include <source_location>

#include <weir/check/atomic.hpp>
#include <weir/check/futex.hpp>

namespace weir::check {

/// A lock that one thread of the model holds at a time.
///
/// Thread: model threads; outside of a model it does nothing.
class mutex {
public:
  explicit mutex(std::source_location where = std::source_location::current()) : is_held_(0, where) {}

  /// Waits until nobody holds it, then takes it.
  ///
  /// Suspends: blocks the model thread.
  /// Cancels:  no.
  void lock(std::source_location where = std::source_location::current());
  bool try_lock(std::source_location where = std::source_location::current());
  void unlock(std::source_location where = std::source_location::current());
  /// Gives the lock a name for reports.
  void name(std::string_view name) const { is_held_.name(name); }

private:
  atomic<std::uint32_t> is_held_;
};

/// Lets threads wait for a change of what a mutex protects.
///
/// Thread: model threads.
class condition_variable {
public:
  explicit condition_variable(std::source_location where = std::source_location::current()) : changes_(0, where) {}

  /// Gives the lock back, waits for a notification, and takes the lock again. Nothing is woken for no reason.
  ///
  /// Suspends: blocks the model thread.
  /// Cancels:  no.
  template <class Lock> void wait(Lock& lock, std::source_location where = std::source_location::current()) {
    const std::uint32_t seen = changes_.load(memory_order::relaxed, where);
    lock.unlock();
    futex_wait(changes_, seen, false, where);
    lock.lock();
  }
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate holds, std::source_location where = std::source_location::current()) {
    while (!holds()) wait(lock, where);
  }
  void notify_one(std::source_location where = std::source_location::current()) {
    changes_.fetch_add(1, memory_order::relaxed, where);
    futex_wake(changes_, 1, where);
  }
  void notify_all(std::source_location where = std::source_location::current()) {
    changes_.fetch_add(1, memory_order::relaxed, where);
    futex_wake(changes_, ~0U, where);
  }

private:
  atomic<std::uint32_t> changes_;
};

} // namespace weir::check
