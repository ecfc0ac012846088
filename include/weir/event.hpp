// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/detail/wait_operation.hpp>

namespace weir {

class event;

namespace detail {

class event_wait : public waiter {
public:
  static constexpr const char* waits_for = "an event";
  explicit event_wait(event& on) noexcept : event_(on) {}
  bool try_now() const noexcept;
  bool enqueue() noexcept;
  bool withdraw(wake_list* wakes) noexcept;
  void give_back() const noexcept {}
  void take() const noexcept {}

private:
  event& event_;
};

} // namespace detail

/// A flag that can be waited for. Every wait ends when it is set, and none begins until it is reset.
///
/// Thread:   any. Lifetime: it must outlive its waiters; a waiter whose wait has ended may destroy it at once.
/// Cost:     no allocation; a set event costs one load.
class event {
public:
  event() noexcept = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event();

  bool is_set() const noexcept { return is_set_.load(detail::memory_order::acquire); }
  /// Ends all waits. What the caller did before is seen by those who waited.
  void set() noexcept;
  /// Makes further waits wait.
  void reset() noexcept;

  /// Waits until the event is set; true for a wait that a reset follows, too.
  ///
  /// Suspends: a task or any other coroutine; one that is no weir task is resumed on the thread that calls set().
  /// Cancels:  the wait is withdrawn.
  auto operator co_await() noexcept { return detail::wait_operation<detail::event_wait>(*this); }
  /// The same wait as a value, for with_stop() and its kind.
  auto waiting() noexcept { return detail::wait_operation<detail::event_wait>(*this); }
  /// Waits like co_await, from plain code.
  ///
  /// Suspends: a fiber; a thread blocks, as in a blocking region when it is a worker.
  /// Cancels:  a stopped fiber unwinds.
  void wait() { waiting().wait(); }

private:
  friend detail::event_wait;

  detail::lock_word lock_;
  detail::atomic<bool> is_set_{false}; // written under the lock
  detail::waiter_list waiters_;
};

namespace detail {

inline bool event_wait::try_now() const noexcept { return event_.is_set(); }

} // namespace detail
} // namespace weir
