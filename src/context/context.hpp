// SPDX-License-Identifier: Apache-2.0
#pragma once

// One interface over everything a worker can resume: coroutine chains and fibers. (A WebAssembly guest is a coroutine
// that drives an interpreter.) It owns the protocol by which a context waits and is woken, the two-phase suspend.
//
//   state       who may touch the frames         next
//   fresh       who owns the context             running (resume), done (resume after a cancel)
//   ready       the queue entry, then a worker   running (resume), done (resume after a cancel)
//   running     the worker in resume()           suspending, ready (yield), done
//   suspending  the worker in resume()           suspended, ready (woken or cancelled meanwhile), running (nothing to
//   wait for) suspended   nobody                           ready (woken or cancelled) done        who owns the context
//
// The state word carries a generation in its upper bits, raised by every suspend; a wake meant for an earlier one does
// nothing.
//
// Who writes  R1 fresh, ready, running: only the worker that took the context from its queue; plain stores are enough.
//             R2 suspending → suspended: the worker, by compare-exchange. suspending or suspended → ready: any waker,
//             by
//                compare-exchange; exactly one wins.
//             R3 a waker that found `suspended` must enqueue the context; one that found `suspending` must not: the
//             worker sees
//                `ready` and does. So there is exactly one queue entry for each ready.
//             R4 after the worker stored `suspended` it touches the context no more. The commit hook runs before that.
//             R5 `cancel_asked_` by anybody, false → true once. `cancel_taken_`, the hook and the generation: R1's
//             worker.
// Orderings   O1 suspended (release) pairs with the waker's compare-exchange (acquire): the frames are saved before the
// next
//                worker, which the waker reaches through a queue, resumes them.
//             O2 the waker's ready (release) pairs with the worker's failed compare-exchange (acquire): what the waker
//             wrote is
//                seen by the context although no queue lies between.
//             O3 suspending is stored before cancel_asked_ is read; cancel_asked_ is stored before the state is read;
//             all four
//                seq_cst. So either the worker sees the request, or the canceller sees a state that it can make ready.
// Shutdown    a context is closed when it is fresh or done; a live one is cancelled and resumed to its end first.
// Rejected    waking a running context and remembering it (a leaf would be resumed before what it waits for is there; a
// wake
//             belongs to one suspend). Publishing before the switch with a flag that the waker spins on. A cancel bit
//             in the state word (every plain store of R1 would have to be a read-modify-write: 10 ns for each yield).
#include "context/outcome.hpp"

#include <weir/detail/atomic.hpp>
#include <weir/detail/suspend.hpp>

#include <cstdint>

namespace weir::rt {

class fiber;

enum class context_state : std::uint8_t { fresh, ready, running, suspending, suspended, done };

class context {
public:
  /// Identifies one suspend of one context.
  using generation = std::uint32_t;

  context(const context&) = delete;
  context& operator=(const context&) = delete;
  virtual ~context();

  /// Runs the context until it suspends or ends. It must be fresh, or ready and taken from its queue by the caller.
  ///
  /// Order: a context that was cancelled before does not enter or go on, but unwinds.
  outcome resume() noexcept;

  /// Ends the suspend that the commit hook published. True: the caller must enqueue the context, exactly once. False:
  /// it was woken already, or its worker will put it back.
  ///
  /// Thread: any that keeps the context alive.
  [[nodiscard]] bool wake() noexcept;
  /// As wake(), unless the context has gone on since the suspend with this generation.
  [[nodiscard]] bool wake(generation of) noexcept;
  /// The generation of the current suspend. Thread: the commit hook.
  generation suspend_generation() const noexcept;

  /// Asks the context to end by unwinding at its current or next suspend. True: as for wake(), the caller must enqueue
  /// it.
  ///
  /// Thread: any that keeps the context alive.
  [[nodiscard]] bool request_cancel() noexcept;
  bool is_cancel_requested() const noexcept;

  /// A snapshot; only the context's owner can rely on it.
  context_state state() const noexcept;

  /// Releases what a fresh or ended context holds; a second call does nothing.
  void close() noexcept;

protected:
  explicit context(fiber& runs) noexcept : fiber_(&runs) {}
  explicit context(std::coroutine_handle<> root) noexcept : root_(root), leaf_(root) {}

private:
  friend void detail::suspend_coroutine(std::coroutine_handle<>, detail::commit_hook, void*) noexcept;
  friend void detail::yield_coroutine(std::coroutine_handle<>) noexcept;
  friend void detail::suspend_fiber(detail::commit_hook, void*);
  friend void detail::yield_fiber_context();

  // How a coroutine has ended: returned or failed.
  virtual outcome end_of_coroutine() const noexcept = 0;
  // Unwinds, on the worker's stack or its own; may suspend.
  virtual outcome unwind() noexcept = 0;
  // Gives up what a context that is not live holds.
  virtual void release() noexcept = 0;

  outcome run() noexcept;
  void note_waiting(detail::commit_hook commit, void* argument) noexcept;
  void note_yielding() noexcept;
  void wait_at(std::coroutine_handle<> leaf) noexcept;
  fiber& running_fiber() const;
  outcome settle() noexcept;
  bool make_ready(std::uint32_t seen) noexcept;

  // Apart from these two the kinds differ only where a context ends, so that a switch passes through as few calls as
  // possible: each return on the other side of a switch is one that the processor predicts wrongly.
  fiber* const fiber_ = nullptr;
  const std::coroutine_handle<> root_;
  std::coroutine_handle<> leaf_; // resumed next; the innermost frame
  detail::atomic<std::uint32_t> word_{0};
  detail::atomic<bool> cancel_asked_{false};
  bool cancel_taken_ = false;
  bool is_closed_ = false;
  detail::commit_hook commit_ = nullptr;
  void* commit_argument_ = nullptr;
};

} // namespace weir::rt
