// SPDX-License-Identifier: Apache-2.0
#pragma once

// Workers that come back from a blocking region whose permit was taken, in the order of their return.
//
// Who writes  R1 the list: under lock_. R2 count_ and head_: under lock_; read by every worker at each poll boundary.
// Orderings   O1 a returner is counted, fences, and looks for a free permit; a worker that frees a permit sets its bit,
//             fences, and reads the count. One of the two sees the other, so that a returner never waits beside a free
//             permit.
// Awake       the head looks for its permit for some microseconds before it sleeps, and who serves a head wakes the
//             next: callers that return in a row pass a permit on without waiting for each other's wake-ups.
// Priority    a permit that becomes free, or whose holder comes to a poll boundary, goes to the head before any queued
//             task.
// Rejected    a condition variable for all (every permit would wake every returner).
#include "base/spin_lock.hpp"

#include <weir/detail/atomic.hpp>

#include <cstddef>

#include <mutex>

namespace weir::rt {

/// `Worker` has a link `next_returner`, which is the queue's.
template <class Worker, class Permit> class return_queue {
public:
  /// Calls `claim()` if nobody waits, and puts `returning` behind the others unless that gave a permit.
  template <class Claim> Permit* claim_or_enqueue(Worker& returning, Claim&& claim) noexcept {
    std::lock_guard guard(lock_);
    if (first_ == nullptr) {
      if (Permit* free = claim()) return free;
    }
    returning.next_returner = nullptr;
    (last_ != nullptr ? last_->next_returner : first_) = &returning;
    head_.store(first_, detail::memory_order::relaxed);
    last_ = &returning;
    count_.store(count_.load(detail::memory_order::relaxed) + 1,
                 detail::memory_order::relaxed); // O1: the fence orders it
    return nullptr;
  }

  /// Takes the head out if `take(head)` says yes; null otherwise. `take` must not wake anybody: the lock is held.
  template <class Take> Worker* pop_if(Take&& take) noexcept {
    std::lock_guard guard(lock_);
    Worker* head = first_;
    if (head == nullptr || !take(*head)) return nullptr;
    first_ = head->next_returner;
    if (first_ == nullptr) last_ = nullptr;
    head_.store(first_, detail::memory_order::relaxed);
    count_.store(count_.load(detail::memory_order::relaxed) - 1, detail::memory_order::relaxed);
    return head;
  }

  /// Gives free permits to the first in the queue as long as there are both: `claim()` claims one or gives null.
  template <class Claim, class Give> void serve(Claim&& claim, Give&& give) noexcept {
    for (;;) {
      Permit* claimed = nullptr;
      Worker* head = pop_if([&](Worker&) {
        claimed = claim();
        return claimed != nullptr;
      });
      if (head == nullptr) return;
      give(*head, *claimed);
    }
  }

  /// Who is served next: a hint.
  Worker* head() const noexcept { return head_.load(detail::memory_order::relaxed); }
  std::size_t size() const noexcept { return count_.load(detail::memory_order::relaxed); }

private:
  alignas(64) detail::atomic<std::size_t> count_{0};
  detail::atomic<Worker*> head_{nullptr};
  alignas(64) spin_lock lock_{"the return queue's lock"};
  Worker* first_ = nullptr;
  Worker* last_ = nullptr;
};

} // namespace weir::rt
