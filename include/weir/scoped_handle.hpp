// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/join_handle.hpp>

#include <utility>

namespace weir {

/// A join handle that stops its task when it is dropped: `weir::scoped_handle reader(rt.spawn(read(file)));`
///
/// Dropping does not wait: the task ends at its next suspension. abort_and_wait() and task_scope wait.
///
/// Thread: may be moved between threads; used by one at a time.
template <class T> class [[nodiscard]] scoped_handle {
public:
  scoped_handle() = default;
  explicit scoped_handle(join_handle<T>&& handle) noexcept : handle_(std::move(handle)) {}
  scoped_handle(scoped_handle&&) noexcept = default;
  scoped_handle& operator=(scoped_handle&& other) noexcept {
    if (this != &other) {
      stop();
      handle_ = std::move(other.handle_);
    }
    return *this;
  }
  ~scoped_handle() { stop(); }

  explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
  bool is_done() const noexcept { return handle_.is_done(); }
  void abort() noexcept { handle_.abort(); }
  /// Gives the task up to a plain handle, which does not stop it.
  join_handle<T> release() noexcept { return std::move(handle_); }

  /// Waits for the task and takes its outcome; the handle is empty afterwards.
  ///
  /// Suspends: a task or any other coroutine. Cancels: the task is stopped with the handle.
  auto operator co_await() noexcept { return handle_.operator co_await(); }
  /// Waits like co_await, from plain code.
  ///
  /// Suspends: a fiber; a thread blocks. Cancels: the task is stopped with the handle.
  join_result<T> wait() { return handle_.wait(); }

  /// Stops the task; awaiting what this returns gives the outcome, a value when the task was faster.
  ///
  /// Suspends: no. Cancels: the task is stopped in any case.
  auto abort_and_join() noexcept {
    handle_.abort();
    return handle_.operator co_await();
  }
  /// Stops the task and waits until it and its captures are gone, from plain code.
  ///
  /// Suspends: a fiber; a thread blocks. Cancels: the task is stopped in any case.
  join_result<T> abort_and_wait() {
    handle_.abort();
    return handle_.wait();
  }

private:
  void stop() noexcept {
    if (handle_) handle_.abort();
  }

  join_handle<T> handle_;
};

} // namespace weir
