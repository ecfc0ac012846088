// SPDX-License-Identifier: Apache-2.0
#pragma once

// task<T>: a coroutine that starts when it is awaited or spawned, gives one value or exception, and is destroyed by its
// owner.
//
//   weir::task<int> twice(int value) { co_return 2 * value; }
//   weir::task<int> sum() { co_return co_await twice(20) + co_await twice(1); }
#include <weir/check.hpp>
#include <weir/detail/task_promise.hpp>

#include <concepts>
#include <coroutine>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace weir {

template <class T = void> class task;

namespace detail {

struct task_access;

// Where a task's outcome is until somebody takes it. A local's destructor may throw after co_return has stored a value;
// the exception then replaces the value.
template <class T> class task_outcome {
  static_assert(std::is_nothrow_destructible_v<T>, "a task's result must have a destructor that does not throw");

public:
  template <class U>
    requires std::constructible_from<T, U&&>
  void return_value(U&& value) noexcept(std::is_nothrow_constructible_v<T, U&&>) {
    outcome_.template emplace<1>(std::forward<U>(value));
  }
  void unhandled_exception() noexcept { outcome_.template emplace<2>(std::current_exception()); }

  bool has_value() const noexcept { return outcome_.index() == 1; }
  std::exception_ptr exception() const noexcept {
    auto* failure = std::get_if<2>(&outcome_);
    return failure == nullptr ? nullptr : *failure;
  }
  T take() {
    if (auto* failure = std::get_if<2>(&outcome_)) std::rethrow_exception(std::move(*failure));
    auto* value = std::get_if<1>(&outcome_);
    WEIR_CHECK(value != nullptr, "a task's result is taken before the task has ended");
    return std::move(*value);
  }

private:
  std::variant<std::monostate, T, std::exception_ptr> outcome_;
};

template <class T> class task_outcome<T&> {
public:
  void return_value(T& value) noexcept { value_ = std::addressof(value); }
  void unhandled_exception() noexcept { failure_ = std::current_exception(); }

  bool has_value() const noexcept { return value_ != nullptr && failure_ == nullptr; }
  std::exception_ptr exception() const noexcept { return failure_; }
  T& take() {
    if (failure_ != nullptr) std::rethrow_exception(std::move(failure_));
    WEIR_CHECK(value_ != nullptr, "a task's result is taken before the task has ended");
    return *value_;
  }

private:
  T* value_ = nullptr;
  std::exception_ptr failure_;
};

template <> class task_outcome<void> {
public:
  void return_void() noexcept { has_value_ = true; }
  void unhandled_exception() noexcept {
    has_value_ = false;
    failure_ = std::current_exception();
  }

  bool has_value() const noexcept { return has_value_; }
  std::exception_ptr exception() const noexcept { return failure_; }
  void take() {
    if (failure_ != nullptr) std::rethrow_exception(std::move(failure_));
    WEIR_CHECK(has_value_, "a task's result is taken before the task has ended");
  }

private:
  bool has_value_ = false;
  std::exception_ptr failure_;
};

template <class T> class task_promise : public task_promise_base, public task_outcome<T> {
public:
  task<T> get_return_object() noexcept;

  static void* operator new(std::size_t bytes) {
    return allocate_frame(bytes, (spawned_sizes<T>.load(memory_order::relaxed) >> size_bit(bytes) & 1) != 0);
  }
  static void operator delete(void* frame) noexcept { release_frame(frame); }
};

} // namespace detail

/// A lazy coroutine. Move only; whoever holds it owns the frame and destroys it, at any point where it is suspended.
///
/// co_await of a task runs it at once on the same worker, without the scheduler, and gives its result or rethrows its
/// exception.
///
/// Cancels:  destroying a suspended task destroys its locals and the tasks it awaits, innermost first.
/// Lifetime: parameters are copied into the frame, references are not kept alive: what a task refers to must outlive it.
/// Cost:     one allocation; no stack is used by awaits that are ready, however many.
template <class T> class [[nodiscard]] task {
public:
  using promise_type = detail::task_promise<T>;
  using value_type = T;

  task() noexcept = default;
  task(task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    if (this != &other) {
      reset();
      frame_ = std::exchange(other.frame_, nullptr);
    }
    return *this;
  }
  ~task() { reset(); }

  /// True until the task is moved from or given to a runtime.
  explicit operator bool() const noexcept { return frame_ != nullptr; }

  auto operator co_await() && noexcept {
    WEIR_CHECK(frame_ != nullptr && !frame_.done(), "a task can be awaited once, and not after it was moved from");
    return awaiter{frame_};
  }

private:
  friend promise_type;
  friend detail::task_access;

  struct awaiter {
    std::coroutine_handle<promise_type> frame;

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
      frame.promise().set_continuation(awaiting);
      return frame;
    }
    T await_resume() const { return frame.promise().take(); }
  };

  explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

  void reset() noexcept {
    if (auto frame = std::exchange(frame_, nullptr)) detail::destroy_frame(frame, frame.promise());
  }

  std::coroutine_handle<promise_type> frame_;
};

namespace detail {

template <class T> task<T> task_promise<T>::get_return_object() noexcept {
  auto frame = std::coroutine_handle<task_promise>::from_promise(*this);
  note_frame(frame.address());
  return task<T>(frame);
}

// For the scheduler: takes the frame out of a task and puts it back.
struct task_access {
  template <class T> static std::coroutine_handle<task_promise<T>> release(task<T>& from) noexcept {
    return std::exchange(from.frame_, nullptr);
  }
  template <class T> static std::coroutine_handle<task_promise<T>> frame(const task<T>& of) noexcept {
    return of.frame_;
  }
  template <class T> static task<T> adopt(std::coroutine_handle<task_promise<T>> frame) noexcept {
    return task<T>(frame);
  }
};

} // namespace detail
} // namespace weir
