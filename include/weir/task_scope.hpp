// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tasks whose lives end before that of the code that started them.
//
//   weir::task<> serve() {
//     weir::task_scope scope;
//     for (auto& each : sources) scope.spawn(read(each));
//     co_await scope.join();          // throws the first exception of a child; the others were stopped then
//   }
#include <weir/detail/scope_state.hpp>
#include <weir/fiber.hpp>
#include <weir/join_handle.hpp>
#include <weir/spawn.hpp>
#include <weir/stop.hpp>

#include <cstddef>
#include <exception>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace weir {
namespace detail {

// The place is destroyed after the body: members go in reverse order.
template <class Body> struct child {
  child_place place;
  Body body;
};

template <class T, class Produce> void store_outcome(join_result<T>& outcome, Produce&& produce) {
  if constexpr (std::is_void_v<T>) {
    produce();
    outcome.set_value();
  } else if constexpr (std::is_reference_v<T>) {
    outcome.set_value(std::addressof(produce()));
  } else {
    outcome.set_value(produce());
  }
}

/// A child's task. Its own outcome is a value also when the body failed: nothing of a child is ever unhandled.
template <class T> task<join_result<T>> run_child(child<task<T>> self) {
  join_result<T> outcome;
  if (!self.place.begin()) co_return outcome;
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(self.body);
      outcome.set_value();
    } else if constexpr (std::is_reference_v<T>) {
      outcome.set_value(std::addressof(co_await std::move(self.body)));
    } else {
      outcome.set_value(co_await std::move(self.body));
    }
  } catch (...) {
    outcome.set_exception(std::current_exception());
    self.place.fail(std::current_exception());
  }
  co_return outcome;
}

template <class F, class T> struct fiber_child {
  child<F> self;
  join_result<T> operator()() {
    join_result<T> outcome;
    if (!self.place.begin()) return outcome;
    try {
      store_outcome(outcome, [this]() -> T { return self.body(); });
    } catch (const fiber_cancelled&) {
      throw;
    } catch (...) {
      outcome.set_exception(std::current_exception());
      self.place.fail(std::current_exception());
    }
    return outcome;
  }
};

} // namespace detail

/// The outcome of one child. Dropping it changes nothing: the scope keeps the child.
///
/// Thread: may be moved between threads; used by one at a time. Lifetime: may outlive the scope.
template <class T> class scope_handle {
public:
  scope_handle() = default;
  explicit scope_handle(join_handle<join_result<T>>&& handle) noexcept : handle_(std::move(handle)) {}

  bool is_done() const noexcept { return handle_.is_done(); }
  /// Stops this child alone.
  void abort() noexcept { handle_.abort(); }

  /// Waits for the child and takes its outcome. An exception of the child is also the scope's.
  ///
  /// Suspends: a task or any other coroutine. Cancels: the child goes on in its scope.
  auto operator co_await() noexcept { return awaiter{handle_.operator co_await()}; }
  /// Waits like co_await, from plain code.
  ///
  /// Suspends: a fiber; a thread blocks. Cancels: the child goes on in its scope.
  join_result<T> wait() { return flat(handle_.wait()); }

private:
  static join_result<T> flat(join_result<join_result<T>> outer) {
    return outer.has_value() ? std::move(outer).value() : join_result<T>();
  }
  struct awaiter {
    decltype(std::declval<join_handle<join_result<T>>&>().operator co_await()) inner;
    bool await_ready() const noexcept { return inner.await_ready(); }
    template <class Promise> bool await_suspend(std::coroutine_handle<Promise> self) const noexcept {
      return inner.await_suspend(self);
    }
    join_result<T> await_resume() const { return flat(inner.await_resume()); }
  };

  join_handle<join_result<T>> handle_;
};

/// Owns child tasks. The first exception that leaves one stops the others; join() waits for all and throws it; errors() has the
/// rest. A scope that is destroyed with live children stops them and waits for their end, so nothing a child refers to in the
/// scope's surroundings is gone before it.
///
/// A stop of the owner travels down: its frame is destroyed, with it the scope, which stops its children.
///
/// Thread:   spawn() and request_stop() from any thread that keeps the scope alive, children among them.
/// Lifetime: does not move.
class task_scope {
public:
  /// A scope on the runtime of the calling task. Errors: throws std::system_error with errc::no_runtime.
  task_scope() : state_(detail::current_core()) {}
  explicit task_scope(runtime& on) noexcept : state_(on.core()) {}

  /// Starts a child. In a scope that was stopped its body never runs. Errors: std::bad_alloc; there is no child then.
  template <class T>
  scope_handle<T> spawn(task<T> body, spawn_options options = {},
                        std::source_location site = std::source_location::current()) {
    detail::child<task<T>> self{detail::child_place(state_), std::move(body)};
    return scope_handle<T>(detail::spawn_on(state_.core(), detail::run_child<T>(std::move(self)), options, site));
  }
  /// Starts a child with a stack of its own.
  template <class F>
  auto spawn_fiber(F function, spawn_options options = {},
                   std::source_location site = std::source_location::current()) {
    using result = std::invoke_result_t<F&>;
    detail::fiber_child<F, result> body{{detail::child_place(state_), std::move(function)}};
    return scope_handle<result>(detail::spawn_fiber_on(state_.core(), std::move(body), options, site));
  }

  /// Waits until no child is left, then throws the first exception of one, if there was any. May be repeated.
  ///
  /// Suspends: a task or any other coroutine. In plain code .wait() suspends a fiber and blocks a thread.
  /// Cancels:  the scope is destroyed with the frame it is in, which stops the children.
  auto join() noexcept { return detail::wait_operation<detail::scope_wait>(state_); }
  /// As join(), and leaves the exceptions to errors().
  ///
  /// Suspends: as join(). Cancels: as join().
  auto wait_for_children() noexcept { return detail::wait_operation<detail::scope_wait>(state_, false); }

  /// Stops all children, and those to come before they begin. True for the first request.
  bool request_stop() noexcept { return state_.request_stop(); }
  bool stop_requested() const noexcept { return state_.is_stopping(); }
  /// A token that shows the scope's stop, for waits of code outside of it.
  stop_token get_token() noexcept { return stop_token(state_.stop()); }
  /// What left the children so far, in the order in which it came.
  std::vector<std::exception_ptr> errors() { return state_.errors(); }
  /// How many children are not gone.
  std::size_t live() noexcept { return state_.live(); }

private:
  detail::scope_state state_;
};

/// Runs `function(scope)`, a coroutine, as the first child of a new scope and waits for all children. Gives its value.
///
/// Cancels:  all children are stopped and waited for.
/// Errors:   rethrows the first exception of a child, the function among them, when all are gone; throws task_stopped when the
///           scope was stopped before the function had a value.
template <class F> std::invoke_result_t<F&, task_scope&> with_scope(F function) {
  task_scope scope;
  auto first = scope.spawn(function(scope));
  co_await scope.join();
  auto outcome = co_await first;
  co_return std::move(outcome).value();
}

} // namespace weir
