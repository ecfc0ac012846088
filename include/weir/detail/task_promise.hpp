// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of a task's coroutine frame that is the same for every result type.
//
// A task is resumed by symmetric transfer and, at its end, transfers to its continuation: the awaiting coroutine, or,
// for a root frame, a handle that does nothing, so that the root's last resume() returns to the worker. Only the
// innermost suspended frame, the leaf, is ever resumed; nobody walks the chain.
//
// Who writes  R1 the continuation is written by the awaiter before the first resume, and by destroy_frame().
//             R2 everything else is written by the coroutine itself while it runs.
// Destroying  A local whose destructor throws while a suspended coroutine is destroyed leaves the coroutine suspended
//             at its end with the exception in its promise, and destroy() returns with the frame still there.
//             destroy_frame() sees by the mark that the promise lives and destroys once more. Until then the
//             continuation is cut, or the end of the destroyed coroutine would resume its awaiter.
//             A parameter whose destructor throws leaves destroy(); the memory is then freed or not, see task_block.hpp.
// Rejected    resuming from a loop with a trampoline slot: symmetric transfer costs less and uses constant stack in
//             every supported build (clang at every level and under every sanitizer; GCC from -O2, see
//             doc/design/context.md).
#include <weir/config.hpp>
#include <weir/detail/task_block.hpp>

#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>

namespace weir::detail {

class task_promise_base {
public:
  task_promise_base() noexcept = default;
  task_promise_base(const task_promise_base&) = delete;
  task_promise_base& operator=(const task_promise_base&) = delete;
  ~task_promise_base() {
    if ((link_ & marked) != 0) *static_cast<destroyed_mark*>(address()) = {true};
  }

  struct final_awaiter {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      return ended.promise().continuation();
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  final_awaiter final_suspend() const noexcept { return {}; }

  void set_continuation(std::coroutine_handle<> continuation) noexcept {
    link_ = reinterpret_cast<std::uintptr_t>(continuation.address()) | (link_ & allocated);
  }
  std::coroutine_handle<> continuation() const noexcept {
    if (link_ <= allocated || (link_ & marked) != 0) return std::noop_coroutine();
    return std::coroutine_handle<>::from_address(address());
  }

  /// True when the frame came from operator new, so that origin_of() has its block.
  bool is_allocated() const noexcept { return (link_ & allocated) != 0; }

protected:
  void note_frame(void* frame) noexcept {
    if (take_announced(frame)) link_ |= allocated;
  }

private:
  template <class Promise>
  friend std::exception_ptr destroy_frame(std::coroutine_handle<> frame, Promise& promise) noexcept;

  static constexpr std::uintptr_t allocated = 1;
  static constexpr std::uintptr_t marked = 2;
  struct alignas(8) destroyed_mark {
    bool is_set = false;
  };
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the low bits of the address are tags
  void* address() const noexcept { return reinterpret_cast<void*>(link_ & ~(allocated | marked)); }

  std::uintptr_t link_ = 0; // the continuation, or while the frame is destroyed the mark; and the two flags
};

/// Destroys a suspended or finished coroutine, exactly once and whatever its destructors throw. Returns what the last one
/// threw.
template <class Promise> std::exception_ptr destroy_frame(std::coroutine_handle<> frame, Promise& promise) noexcept {
  std::exception_ptr thrown;
  task_promise_base::destroyed_mark mark;
  bool is_allocated = promise.is_allocated();
  promise.link_ = reinterpret_cast<std::uintptr_t>(&mark) | task_promise_base::marked |
                  (is_allocated ? task_promise_base::allocated : 0);
  while (!mark.is_set) {
    try {
      forget_released();
      frame.destroy();
      if constexpr (requires { promise.exception(); }) {
        if (!mark.is_set) thrown = promise.exception(); // a local's destructor threw: it stopped there, at its end
      }
    } catch (...) {
      thrown = std::current_exception();
      // A parameter's destructor threw; parameters go after the promise, so the mark is set.
      if (is_allocated && !was_released_last(frame.address())) release_frame(frame.address());
    }
  }
  return thrown;
}

} // namespace weir::detail
