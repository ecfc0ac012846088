// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "context/context.hpp"

#include <weir/check.hpp>
#include <weir/task.hpp>

namespace weir::rt {

/// A context over a chain of coroutine frames. It resumes the innermost one directly, whatever the depth.
///
/// The frame itself keeps the result: when resume() has ended with `returned` or `failed`, the owner takes it from the
/// promise before close(). The task that gave the frame is the owner of both.
class coroutine_context final : public context {
public:
  template <class T>
  explicit coroutine_context(task<T> root) noexcept : coroutine_context(detail::task_access::release(root)) {}
  template <class T>
  explicit coroutine_context(std::coroutine_handle<detail::task_promise<T>> root) noexcept
      : context(root),
        frame_(root),
        promise_(&root.promise()),
        has_failed_([](const detail::task_promise_base& promise) noexcept {
          return static_cast<const detail::task_promise<T>&>(promise).exception() != nullptr;
        }) {}

  /// The promise of the root frame, until close() or a cancel; T as given to the constructor.
  template <class T> detail::task_promise<T>& promise() const noexcept {
    return static_cast<detail::task_promise<T>&>(*promise_);
  }

private:
  outcome end_of_coroutine() const noexcept override {
    return has_failed_(*promise_) ? outcome::failed : outcome::returned;
  }

  outcome unwind() noexcept override {
    release();
    return outcome::cancelled;
  }

  void release() noexcept override {
    if (frame_) detail::destroy_frame(std::exchange(frame_, nullptr), *promise_);
  }

  std::coroutine_handle<> frame_; // null once destroyed
  detail::task_promise_base* promise_;
  bool (*has_failed_)(const detail::task_promise_base&) noexcept;
};

} // namespace weir::rt
