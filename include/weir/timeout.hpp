// SPDX-License-Identifier: Apache-2.0
#pragma once

// A task that ends at a deadline, if it has not ended by itself:
//
//   weir::result<reply> answer = co_await weir::with_timeout(50ms, ask(server));
//   if (!answer) ...                      // weir::errc::timed_out
#include <weir/detail/timer.hpp>
#include <weir/errc.hpp>
#include <weir/result.hpp>
#include <weir/task.hpp>
#include <weir/time.hpp>

#include <chrono>
#include <coroutine>
#include <type_traits>
#include <utility>

namespace weir {
namespace detail {

// Polls a task inside the task that awaits it. Both share the header of the outer one: before each resume the inner
// leaf is put there, and what the inner leaf has left there is kept aside while the outer frame waits in its place.
class timed_poll {
public:
  timed_poll(std::coroutine_handle<> inner, std::chrono::nanoseconds deadline) noexcept
      : inner_(inner), leaf_(inner.address()), deadline_(deadline) {}

  /// Resumes the inner task if what it waits for is there; true when it has ended.
  bool resume() {
    if (!is_inner_ready()) return false;
    task_header& task = *current_task();
    task.clear_wait();
    std::coroutine_handle<>::from_address(leaf_).resume();
    if (inner_.done()) return true;
    leaf_ = task.leaf;
    wait_ = task.waits_for.load(memory_order::relaxed);
    wait_argument_ = task.wait_argument.load(memory_order::relaxed);
    task.clear_wait();
    return false;
  }
  bool has_timed_out() const noexcept { return timer_.is_armed() && timer_.has_fired(); }

  // Awaited between two resumes.
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> self) {
    task_header& task = *current_task();
    if (!timer_.is_armed()) timer_.arm(task, deadline_);
    task.set_leaf(self);
    task.set_wait(waits_timed, this);
  }
  void await_resume() const noexcept {}

private:
  bool is_inner_ready() const noexcept {
    return wait_ == nullptr || wait_->is_over == nullptr || wait_->is_over(wait_argument_);
  }
  static bool is_ready(void* self) noexcept {
    auto& poll = *static_cast<timed_poll*>(self);
    return poll.is_inner_ready() || poll.timer_.has_fired();
  }
  static constexpr wait_kind waits_timed{"something, with a deadline", is_ready};

  std::coroutine_handle<> inner_;
  void* leaf_;
  const wait_kind* wait_ = nullptr;
  void* wait_argument_ = nullptr;
  std::chrono::nanoseconds deadline_;
  armed_timer timer_;
};

} // namespace detail

/// Runs `body` as part of the calling task until it ends or the deadline comes, whichever is first.
///
/// The body is polled at least once, and an end that comes with the deadline wins. A body that blocks its thread is not
/// interrupted: its value counts. When time is up the body is destroyed where it waits, its locals innermost first,
/// before this returns.
///
/// Suspends: the calling task. Await it in a coroutine of a task, or run it with block_on.
/// Cancels:  stops the body.
/// Errors:   errc::timed_out. What the body throws is rethrown.
/// Cost:     its own frame; no timer when the body ends without suspending.
template <class T> task<result<T>> with_deadline(time_point deadline, task<T> body) {
  static_assert(!std::is_reference_v<T>, "a task with a deadline must not give a reference");
  auto frame = detail::task_access::frame(body);
  WEIR_CHECK(frame != nullptr, "a task can be awaited once, and not after it was moved from");
  WEIR_CHECK(detail::current_task() != nullptr, "with_deadline must be awaited inside a task or block_on");
  detail::timed_poll poll(frame, deadline.time_since_epoch());
  while (!poll.resume()) {
    if (poll.has_timed_out()) co_return std::unexpected(make_error_code(errc::timed_out));
    co_await poll;
  }
  if constexpr (std::is_void_v<T>) {
    frame.promise().take();
    co_return result<T>();
  } else {
    co_return result<T>(frame.promise().take());
  }
}

/// As with_deadline(), for a time that begins when this is called.
template <class T> task<result<T>> with_timeout(std::chrono::nanoseconds span, task<T> body) {
  std::chrono::nanoseconds since = detail::current_time();
  constexpr auto longest = std::chrono::nanoseconds::max();
  return with_deadline(time_point(span > longest - since ? longest : since + span), std::move(body));
}

} // namespace weir
