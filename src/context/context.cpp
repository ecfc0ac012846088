// SPDX-License-Identifier: Apache-2.0
#include "context/context.hpp"

#include "context/fiber.hpp"

#include <weir/check.hpp>

#include <utility>

namespace weir::rt {
namespace {

using order = detail::memory_order;

constexpr std::uint32_t state_mask = 7;
constexpr std::uint32_t one_generation = 8;

constexpr context_state state_of(std::uint32_t word) noexcept { return static_cast<context_state>(word & state_mask); }
constexpr std::uint32_t with_state(std::uint32_t word, context_state state) noexcept {
  return (word & ~state_mask) | static_cast<std::uint32_t>(state);
}

constinit thread_local context* current = nullptr;

} // namespace

context::~context() { WEIR_CHECK(is_closed_, "a context is destroyed before close()", state()); }

context_state context::state() const noexcept { return state_of(word_.load(order::acquire)); }
bool context::is_cancel_requested() const noexcept { return cancel_asked_.load(order::relaxed); }
context::generation context::suspend_generation() const noexcept { return word_.load(order::relaxed) / one_generation; }

// Until it has suspended or ended; an end is returned as such, anything else as `suspended`.
WEIR_ALWAYS_INLINE outcome context::run() noexcept {
  if (fiber_ != nullptr) return fiber_->resume();
  leaf_.resume();
  // A chain that waits is not published yet, so the state is still this worker's to read.
  if (state_of(word_.load(order::relaxed)) != context_state::running) return outcome::suspended;
  WEIR_CHECK(root_.done(), "a coroutine suspended without telling its worker; what it awaits is not made for weir");
  return end_of_coroutine();
}

outcome context::resume() noexcept {
  std::uint32_t word = word_.load(order::relaxed);
  context_state before = state_of(word);
  WEIR_CHECK(before == context_state::ready || before == context_state::fresh,
             "only a fresh or ready context can be resumed", before);
  word_.store(with_state(word, context_state::running), order::relaxed); // R1
  bool unwinds = cancel_asked_.load(order::relaxed) && !cancel_taken_;
  if (unwinds) cancel_taken_ = true;
  context*& current_here = current; // a thread's own stack, or one that does not move while this call lasts
  context* outer = std::exchange(current_here, this);
  outcome why = unwinds ? unwind() : run();
  for (;;) {
    if (is_end(why)) {
      word_.store(with_state(word, context_state::done), order::release);
      break;
    }
    word = word_.load(order::relaxed);
    if (state_of(word) == context_state::ready) { // it yielded
      why = outcome::ready;
      break;
    }
    WEIR_CHECK(state_of(word) == context_state::suspending, "a context suspended past its own functions",
               state_of(word));
    if (commit_ == nullptr || commit_(*this, commit_argument_)) {
      why = settle();
      break;
    }
    word_.store(with_state(word, context_state::running), order::relaxed);
    why = run();
  }
  current_here = outer; // reads nothing of the context, which may be gone (R4)
  return why;
}

// The second phase: the frames are saved and the hook has run.
outcome context::settle() noexcept {
  std::uint32_t word = word_.load(order::seq_cst);
  if (cancel_asked_.load(order::seq_cst) && !cancel_taken_) make_ready(word); // O3
  if (state_of(word) == context_state::suspending &&
      word_.compare_exchange_strong(word, with_state(word, context_state::suspended), order::release,
                                    order::acquire)) // O1, O2
    return outcome::suspended;
  WEIR_DEBUG_CHECK(state_of(word) == context_state::ready, "a waker left another state than ready", state_of(word));
  return outcome::ready;
}

// True when this call made a suspended context ready, so that its caller must enqueue it.
bool context::make_ready(std::uint32_t seen) noexcept {
  for (;;) {
    context_state before = state_of(seen);
    if (before != context_state::suspending && before != context_state::suspended) return false;
    if (word_.compare_exchange_weak(seen, with_state(seen, context_state::ready), order::seq_cst,
                                    order::relaxed)) // O1, O2
      return before == context_state::suspended;
  }
}

bool context::wake() noexcept { return make_ready(word_.load(order::relaxed)); }

bool context::wake(generation of) noexcept {
  std::uint32_t seen = word_.load(order::relaxed);
  for (;;) {
    context_state before = state_of(seen);
    if (seen / one_generation != of) return false;
    if (before != context_state::suspending && before != context_state::suspended) return false;
    if (word_.compare_exchange_weak(seen, with_state(seen, context_state::ready), order::acq_rel,
                                    order::relaxed)) // O1, O2
      return before == context_state::suspended;
  }
}

bool context::request_cancel() noexcept {
  if (cancel_asked_.exchange(true, order::seq_cst)) return false;
  return make_ready(word_.load(order::seq_cst)); // O3
}

void context::note_waiting(detail::commit_hook commit, void* argument) noexcept {
  commit_ = commit;
  commit_argument_ = argument;
  std::uint32_t next = word_.load(order::relaxed) + one_generation;
  word_.store(with_state(next, context_state::suspending), order::seq_cst); // O3
}

void context::note_yielding() noexcept {
  word_.store(with_state(word_.load(order::relaxed), context_state::ready), order::relaxed); // R1
}

void context::wait_at(std::coroutine_handle<> leaf) noexcept {
  WEIR_CHECK(fiber_ == nullptr, "co_await on a fiber; a coroutine inside a fiber needs a task of its own");
  leaf_ = leaf;
}

WEIR_ALWAYS_INLINE fiber& context::running_fiber() const {
  WEIR_CHECK(fiber_ != nullptr, "a fiber's call inside a coroutine; it must use co_await");
  fiber_->throw_if_cancelled();
  return *fiber_;
}

void context::close() noexcept {
  if (is_closed_) return;
  WEIR_CHECK(state() == context_state::fresh || state() == context_state::done,
             "a context is closed while it is live; cancel it and resume it to its end first", state());
  is_closed_ = true;
  release();
}

} // namespace weir::rt

namespace weir::detail {
namespace {

WEIR_ALWAYS_INLINE rt::context& running_context() noexcept {
  rt::context* context = rt::current; // the caller is not inlined, so it looks once and before it suspends
  WEIR_CHECK(context != nullptr, "waiting needs a task; this thread runs none");
  return *context;
}

} // namespace

rt::context* current_context() noexcept {
  asm volatile(""); // keeps calls apart: two of them may run on two threads
  return rt::current;
}

WEIR_NOINLINE void suspend_coroutine(std::coroutine_handle<> leaf, commit_hook commit, void* argument) noexcept {
  rt::context& self = running_context();
  self.wait_at(leaf);
  self.note_waiting(commit, argument);
}

WEIR_NOINLINE void yield_coroutine(std::coroutine_handle<> leaf) noexcept {
  rt::context& self = running_context();
  self.wait_at(leaf);
  self.note_yielding();
}

WEIR_NOINLINE void suspend_fiber(commit_hook commit, void* argument) {
  rt::context& self = running_context();
  rt::fiber& stack = self.running_fiber();
  self.note_waiting(commit, argument);
  stack.suspend();
}

WEIR_NOINLINE void yield_fiber_context() {
  rt::context& self = running_context();
  rt::fiber& stack = self.running_fiber();
  self.note_yielding();
  stack.suspend();
}

} // namespace weir::detail
