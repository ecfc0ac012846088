// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the waiting calls of the primitives return: something to co_await, or to wait() for in plain code.
//
// An Operation is a waiter and what one primitive adds to it:
//   bool try_now() noexcept             the uncontended path; true: take() may follow
//   bool enqueue() noexcept             under the lock: links the node, or finishes as try_now() does and returns false
//   bool withdraw(wake_list*) noexcept  takes the node off the list if it waits still; with a list, its owner is woken
//   void give_back() noexcept           passes on a grant that the owner does not take
//   T take()                            the outcome, when granted or finished
//   const char* waits_for               static: what a dump of tasks says of a task that waits
#include <weir/detail/waiter.hpp>

#include <coroutine>
#include <type_traits>
#include <utility>

namespace weir::detail {

template <class Operation>
inline constexpr wait_kind why_waits{.what = Operation::waits_for, .is_over = is_wait_decided};

template <class Operation> class [[nodiscard]] wait_operation {
public:
  using result_type = decltype(std::declval<Operation&>().take());

  template <class... Args>
  explicit wait_operation(Args&&... args) noexcept(std::is_nothrow_constructible_v<Operation, Args&&...>)
      : operation_(std::forward<Args>(args)...) {}
  wait_operation(const wait_operation&) = delete;
  wait_operation& operator=(const wait_operation&) = delete;
  ~wait_operation() {
    if (is_waiting_ && !operation_.withdraw(nullptr)) operation_.give_back();
  }

  // For co_await.
  bool await_ready() noexcept { return operation_.try_now(); }
  template <class Promise> bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
    if constexpr (requires { Operation::is_for_tasks_only; })
      static_assert(is_part_of_task<Promise>, "only a task may wait for this");
    arm(operation_, self, is_part_of_task<Promise>, why_waits<Operation>);
    is_waiting_ = true;
    if (operation_.enqueue()) return true; // a foreign coroutine may be elsewhere by now
    disarm(operation_);
    return false;
  }
  result_type await_resume() {
    is_waiting_ = false;
    return operation_.take();
  }

  /// Waits in plain code.
  ///
  /// Suspends: a fiber; a thread blocks, as in a blocking region when it is a worker.
  /// Cancels:  a stopped fiber unwinds; the wait is withdrawn.
  result_type wait() {
    if (!operation_.try_now()) wait_with(enqueue_operation, &operation_);
    return await_resume();
  }

  // For waits that something else than the task's own end may stop: detail::triggered_operation.
  bool enqueue() noexcept { return operation_.enqueue(); }
  /// The blocking part of wait(), with a function that calls enqueue() and may do more.
  void wait_with(bool (*begin)(void*) noexcept, void* argument) {
    is_waiting_ = true;
    wait_here(operation_, begin, argument, why_waits<Operation>);
  }
  /// Ends the wait and wakes its owner, from any thread while the owner keeps the operation.
  void stop() noexcept {
    wake_list wakes;
    operation_.withdraw(&wakes);
  }
  /// From the owner, which has not suspended yet: ends the wait; false when it is decided, and the owner will be woken.
  bool take_back() noexcept {
    if (!operation_.withdraw(nullptr)) return false;
    disarm(operation_);
    return true;
  }
  bool is_withdrawn() const noexcept { return operation_.seen() == wait_state::withdrawn; }
  void forget() noexcept { is_waiting_ = false; }

private:
  static bool enqueue_operation(void* operation) noexcept { return static_cast<Operation*>(operation)->enqueue(); }

  Operation operation_;
  bool is_waiting_ = false;
};

} // namespace weir::detail
