// SPDX-License-Identifier: Apache-2.0
#pragma once

// Threads that wait for something to do: a permit, a closure, or their end.
//
//   place   the thread
//   out     is not here; whoever took it owes it an assignment
//   cold    sleeps, or is about to
//   hot     is awake and looks for its assignment for some microseconds, so that giving it one costs no system call
//
// The list is open until the runtime ends; close() takes everybody out, and nobody comes in any more (roster.hpp).
//
// Who writes  R1 everything here, and a thread's place: under lock_. R2 a thread enters by itself, or is put in by who
// took the permit it
//                was attached to, or failed to use it. R3 only take(), withdraw(), take_idle() and close() make it `out`.
// Orderings   O1 a thread that enters, fences, and looks for closures; a publisher pushes a closure, fences, and takes
// a thread. One of
//                the two sees the other (closures.hpp).
// Order       the newest goes first: its caches are warm, and those that are not needed stay at the other end, where
// they grow old.
#include "base/clock.hpp"
#include "base/intrusive_list.hpp"
#include "base/spin_lock.hpp"

#include <weir/detail/atomic.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace weir::rt {

enum class spare_place : std::uint8_t { out, cold, hot };

/// What a thread that can be spare derives from.
struct spare_thread : list_link<> {
  detail::atomic<spare_place> place{spare_place::out};
  instant idle_since{};
};

template <class Thread> class spare_list {
public:
  /// Puts the thread in, unless the list is closed.
  void add(Thread& thread, spare_place where, instant now) noexcept {
    std::lock_guard guard(lock_);
    if (is_closed_) return;
    thread.idle_since = now;
    put(thread, where);
  }

  /// Takes all threads out, for good.
  void close() noexcept {
    std::lock_guard guard(lock_);
    is_closed_ = true;
    for (intrusive_list<Thread>* each : {&hot_, &cold_}) {
      while (Thread* thread = each->pop_front()) leave(*thread);
    }
  }

  /// The newest hot thread, else the newest cold one; null when there is none.
  Thread* take() noexcept {
    std::lock_guard guard(lock_);
    Thread* taken = hot_.pop_back();
    if (taken == nullptr) taken = cold_.pop_back();
    if (taken != nullptr) leave(*taken);
    return taken;
  }

  /// Takes this very thread; false when somebody else has.
  bool withdraw(Thread& thread) noexcept {
    std::lock_guard guard(lock_);
    spare_place where = thread.place.load(detail::memory_order::relaxed);
    if (where == spare_place::out) return false;
    (where == spare_place::hot ? hot_ : cold_).erase(thread);
    leave(thread);
    return true;
  }

  /// Makes the newest cold thread hot if fewer than `limit` are; the caller then wakes it.
  Thread* heat(std::size_t limit) noexcept {
    std::lock_guard guard(lock_);
    if (hot_.size() >= limit) return nullptr;
    Thread* heated = cold_.pop_back();
    if (heated != nullptr) put(*heated, spare_place::hot);
    return heated;
  }

  /// Ends the thread's hot time; false when it has been taken.
  bool cool(Thread& thread) noexcept {
    std::lock_guard guard(lock_);
    if (thread.place.load(detail::memory_order::relaxed) == spare_place::out) return false;
    if (thread.place.load(detail::memory_order::relaxed) == spare_place::hot) {
      hot_.erase(thread);
      put(thread, spare_place::cold);
    }
    return true;
  }

  /// Takes the thread that has been here longest, if that is since `limit` or earlier and it is not the last one.
  Thread* take_idle(instant limit) noexcept {
    std::lock_guard guard(lock_);
    if (cold_.size() < 2 || cold_.front().idle_since > limit) return nullptr;
    Thread* oldest = cold_.pop_front();
    leave(*oldest);
    return oldest;
  }

  /// When the thread that has been here longest came, if it is not the last one; else never.
  instant oldest() noexcept {
    std::lock_guard guard(lock_);
    return cold_.size() < 2 ? instant::never() : cold_.front().idle_since;
  }

  std::size_t hot() const noexcept { return hot_count_.load(detail::memory_order::relaxed); }
  std::size_t size() const noexcept { return count_.load(detail::memory_order::relaxed); }

private:
  void put(Thread& thread, spare_place where) noexcept {
    (where == spare_place::hot ? hot_ : cold_).push_back(thread);
    thread.place.store(where, detail::memory_order::relaxed);
    count();
  }
  void leave(Thread& thread) noexcept {
    thread.place.store(spare_place::out, detail::memory_order::relaxed);
    count();
  }
  void count() noexcept {
    hot_count_.store(hot_.size(), detail::memory_order::relaxed);
    count_.store(hot_.size() + cold_.size(), detail::memory_order::relaxed);
  }

  spin_lock lock_{"the spare threads' lock"};
  intrusive_list<Thread> hot_;
  intrusive_list<Thread> cold_;
  bool is_closed_ = false;
  detail::atomic<std::size_t> hot_count_{0};
  detail::atomic<std::size_t> count_{0};
};

} // namespace weir::rt
