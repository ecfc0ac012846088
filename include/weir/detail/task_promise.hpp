// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of a task's coroutine frame that is the same for every result type.
//
// A task is resumed by symmetric transfer and, at its end, transfers to `continuation`: the awaiting coroutine, or for
// a root frame whatever its owner set; the owner's default is a handle that does nothing, so that the root's last
// resume() returns to the worker. Only the innermost suspended frame, the leaf, is ever resumed; nobody walks the
// chain.
//
// Who writes  R1 `continuation` is written by the awaiter or the owner before the first resume, and by destroy_frame().
//             R2 everything else is written by the coroutine itself while it runs.
// Destroying  A local whose destructor throws while a suspended coroutine is destroyed leaves the coroutine suspended
// at its end
//             with the exception in its promise, and destroy() returns with the frame still there. destroy_frame() sees
//             by the mark that the promise lives and destroys once more. Until then the continuation is cut, or the end
//             of the destroyed coroutine would resume its awaiter.
// Rejected    resuming from a loop with a trampoline slot: symmetric transfer costs less and uses constant stack in
// every
//             supported build (clang at every level and under every sanitizer; GCC from -O2, see
//             doc/design/context.md).
#include <weir/config.hpp>

#include <coroutine>
#include <exception>
#include <utility>

namespace weir::detail {

class task_promise_base {
public:
  task_promise_base() noexcept = default;
  task_promise_base(const task_promise_base&) = delete;
  task_promise_base& operator=(const task_promise_base&) = delete;
  ~task_promise_base() {
    if (destroyed_mark_ != nullptr) *destroyed_mark_ = true;
  }

  struct final_awaiter {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      return ended.promise().continuation_;
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  final_awaiter final_suspend() const noexcept { return {}; }

  void set_continuation(std::coroutine_handle<> continuation) noexcept { continuation_ = continuation; }
  std::coroutine_handle<> continuation() const noexcept { return continuation_; }

private:
  friend void destroy_frame(std::coroutine_handle<> frame, task_promise_base& promise) noexcept;

  std::coroutine_handle<> continuation_ = std::noop_coroutine();
  bool* destroyed_mark_ = nullptr;
};

/// Destroys a suspended or finished coroutine, exactly once and whatever its destructors throw; what they throw is
/// dropped.
inline void destroy_frame(std::coroutine_handle<> frame, task_promise_base& promise) noexcept {
  bool is_destroyed = false;
  promise.continuation_ = std::noop_coroutine();
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdangling-pointer" // the promise is gone before the mark is
#endif
  promise.destroyed_mark_ = &is_destroyed;
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  while (!is_destroyed) {
    try {
      frame.destroy();
    } catch (...) {
      continue; // a parameter's destructor threw; parameters go after the promise, so the mark is set
    }
  }
}

} // namespace weir::detail
