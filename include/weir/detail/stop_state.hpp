// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state behind stop_source, and the registrations of the runtime's own parts that act on a stop.
//
//   state       meaning
//   open        registrations wait on the list
//   requested   set once, before the list is run down; nothing is put on the list any more
//
// Who writes  R1 `requested` by whoever asks first, under the lock; R2 the list and the registrations on it under the lock.
//             R3 a registration's function runs under the lock, which is kept until the request is through. So who learns of the stop
//                may destroy the state at once: the destructor takes the lock, and releasing it is the requester's last access. detach(), too,
//                returns only when the function does not run and will
//             not, on any
//                thread, and a registration always outlives its call.
//             R4 functions run no user code and never attach or detach: they decide waits, stop tasks and pass stops
//             on. What is
//                woken runs later, on its own worker or thread. Hence two stops on two threads cannot wait for each
//                other's callbacks.
//             R5 lock order: a stop state's lock before a primitive's lock. States that pass stops to each other in a circle are no
//                danger, since `requested` is read before the lock is taken and the second request returns at once (O2).
// Orderings   O1 request (release) → stop_requested (acquire): what the requester did before is seen.
//             O2 a request sets `requested` of its state and then reads that of the next, both seq_cst: of two requests that meet in a
//                circle, each with the lock of its first state, one sees the other's and does not wait for the other's lock.
// Rejected    std::stop_source inside (an allocation for each, and its callbacks run user code on the requester's
// thread); running
//             the functions outside the lock (detach() would need to wait for a function that may wait itself).
#include <weir/detail/lock_word.hpp>
#include <weir/event.hpp>

namespace weir::detail {

class stop_state;

/// Who waits for a stop is woken under the state's lock, so nobody may be resumed there.
class stop_wait : public event_wait {
public:
  static constexpr const char* waits_for = "a stop";
  using event_wait::event_wait;
  static constexpr bool is_for_tasks_only = true;
};

/// One function to be called when a stop is requested. Detached before it is destroyed.
class stop_registration {
public:
  stop_registration() noexcept = default;
  stop_registration(const stop_registration&) = delete;
  stop_registration& operator=(const stop_registration&) = delete;

  /// False: the stop has been requested, and `on_stop` is not called.
  [[nodiscard]] bool attach(stop_state& to, void (*on_stop)(void*) noexcept, void* argument) noexcept;
  void detach() noexcept;

private:
  friend stop_state;
  stop_state* state_ = nullptr; // the owner's; null when never attached
  void (*on_stop_)(void*) noexcept = nullptr;
  void* argument_ = nullptr;
  stop_registration* next_ = nullptr;
  stop_registration* previous_ = nullptr;
  bool is_listed_ = false;
};

class stop_state {
public:
  stop_state() noexcept = default;
  stop_state(const stop_state&) = delete;
  stop_state& operator=(const stop_state&) = delete;
  ~stop_state();

  bool is_requested() const noexcept { return is_requested_.load(memory_order::acquire); } // O1
  bool request() noexcept;
  event& requested() noexcept { return requested_; }

private:
  friend stop_registration;
  stop_registration* pop() noexcept;

  lock_word lock_;
  atomic<bool> is_requested_{false};
  stop_registration* first_ = nullptr;
  event requested_;
};

} // namespace weir::detail
