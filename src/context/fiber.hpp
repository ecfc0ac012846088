// SPDX-License-Identifier: Apache-2.0
#pragma once

// A stackful coroutine: its own stack, resumed by a worker and suspended from within. No scheduling, no atomics;
// context.hpp and the scheduler build on it.
//
//   state      who runs it            next
//   fresh      nobody                 running (resume), ended (cancel: the entry never runs)
//   running    the resuming thread    suspended (suspend), ended (the entry returns or throws)
//   suspended  nobody                 running (resume, cancel)
//   ended      nobody
//
// Who writes  R1 one thread at a time resumes; whoever hands the fiber from thread to thread orders the two (a queue, a
// lock, or
//                the state word of a context).
//             R2 while it runs, only code on the fiber and the resume() below it touch the object.
// Cancel      resume with `cancels_` set: suspend() throws fiber_cancelled, so destructors run in reverse order. A
// suspend while
//             the stack unwinds works as ever; one after somebody swallowed the exception throws again.
// Inlining    resume() and suspend() are inlined so that the worker's loop and the fiber's code meet in one jump; see
//             machine.hpp. A function in which one of them is inlined must not keep addresses of thread-locals across
//             it; resume() may, as its thread does not change.
// Rejected    swapping exception state on the fiber's side (after the switch the compiler may hold the address of the
// state of
//             the thread that the fiber has left).
#include "base/lock_depth.hpp"
#include "context/exception_state.hpp"
#include "context/fiber_stack.hpp"
#include "context/machine.hpp"
#include "context/outcome.hpp"
#include "context/sanitizer.hpp"

#include <weir/check.hpp>

#include <exception>
#include <utility>

namespace weir::rt {

class fiber;

/// The innermost fiber that runs on this thread; null on a thread's own stack. Not inlined, since a fiber changes
/// threads.
WEIR_NOINLINE fiber* current_fiber() noexcept;

class fiber : private machine_state {
public:
  enum class phase : std::uint8_t { fresh, running, suspended, ended };

  /// Makes a fiber that will run `entry(argument)` on a stack of `pool`.
  ///
  /// Errors: bad_alloc is thrown when the pool has no stack and the system no memory.
  /// Lifetime: the pool and, until the fiber has ended, `argument` must outlive it.
  fiber(stack_pool& pool, void (*entry)(void*), void* argument);
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;
  /// The fiber must be fresh or ended.
  ~fiber() { close(); }

  /// Runs the fiber until it suspends or ends.
  ///
  /// Thread: any, one at a time; never from the fiber itself.
  /// Returns: suspended or an end.
  WEIR_ALWAYS_INLINE outcome resume() noexcept;

  /// Ends a fiber that does not run, by unwinding its stack; a fresh one ends at once.
  ///
  /// Returns: an end, or `suspended` when a destructor suspends; then resume() goes on unwinding.
  outcome cancel() noexcept;

  /// Goes back to the thread that resumed, until the next resume().
  ///
  /// Cancels: throws fiber_cancelled.
  /// Thread:  the fiber itself.
  WEIR_ALWAYS_INLINE void suspend();

  /// Throws fiber_cancelled when the fiber is cancelled and no exception is in flight. suspend() begins with it.
  void throw_if_cancelled() const {
    if (cancels_ && std::uncaught_exceptions() == 0) [[unlikely]]
      throw_cancelled();
  }

  /// The exception that ended the fiber, once; null otherwise.
  std::exception_ptr take_error() noexcept { return std::exchange(error_, nullptr); }

  phase current_phase() const noexcept { return phase_; }
  bool is_cancelled() const noexcept { return cancels_; }
  std::span<std::byte> stack() const noexcept { return stack_.usable(); }

  /// Gives the stack back to the pool; a second call does nothing.
  void close() noexcept;

private:
  friend class fiber_entry;

  [[noreturn]] static WEIR_NOINLINE void throw_cancelled();
  WEIR_ALWAYS_INLINE void switch_out(bool ends) noexcept;

  machine_state resumer_; // where the resuming thread waits
  library_state library_;
  [[no_unique_address]] sanitized_stack own_;
  [[no_unique_address]] sanitized_stack resumers_;
  phase phase_ = phase::fresh;
  outcome last_ = outcome::suspended;
  bool cancels_ = false;
  void (*entry_)(void*);
  void* argument_;
  std::exception_ptr error_;
  fiber_stack stack_;
  stack_pool& pool_;
};

inline outcome fiber::resume() noexcept {
  WEIR_DEBUG_CHECK(phase_ == phase::fresh || phase_ == phase::suspended, "a fiber is resumed that runs or has ended",
                   phase_);
  check_no_lock_held();
  phase_ = phase::running;
  last_ = outcome::suspended;
  fiber_thread& thread = this_fiber_thread;
  if (thread.exceptions == nullptr) [[unlikely]]
    thread.learn();
  fiber* outer = std::exchange(thread.current, this);
  thread.exchange(library_);
  resumers_.note_running();
  resumers_.leave(own_, false);
  switch_machine(resumer_, *this);
  resumers_.arrive(own_);
  thread.exchange(library_);
  thread.current = outer;
  return last_;
}

inline void fiber::switch_out(bool ends) noexcept {
  own_.leave(resumers_, ends);
  switch_machine(*this, resumer_);
  own_.arrive(resumers_);
}

inline void fiber::suspend() {
  throw_if_cancelled();
  WEIR_DEBUG_CHECK(phase_ == phase::running, "a fiber suspends that does not run", phase_);
  check_no_lock_held();
  phase_ = phase::suspended;
  switch_out(false);
  throw_if_cancelled();
}

} // namespace weir::rt
