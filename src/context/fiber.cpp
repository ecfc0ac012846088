// SPDX-License-Identifier: Apache-2.0
#include "context/fiber.hpp"

#include <weir/fiber.hpp>

#include <cerrno>
#include <cxxabi.h>
#include <new>

namespace weir {

struct fiber_cancelled_access {
  [[noreturn]] static void raise() { throw fiber_cancelled(); }
};

} // namespace weir

namespace weir::rt {

WEIR_THREAD_LOCAL fiber_thread this_fiber_thread;

void fiber_thread::learn() noexcept {
  exceptions = reinterpret_cast<exception_globals*>(abi::__cxa_get_globals());
  error_number = &errno;
}

// The lowest frame of every fiber.
class fiber_entry {
public:
  static void start(machine_state* machine) noexcept {
    fiber& self = static_cast<fiber&>(*machine);
    self.own_.arrive(self.resumers_);
    run(self);
    self.phase_ = fiber::phase::ended;
    check_no_lock_held();
    self.switch_out(true);
    std::terminate(); // nobody resumes a fiber that has ended
  }

private:
  // Apart from start(), so that no handler is active when the stack is left for good.
  static WEIR_NOINLINE void run(fiber& self) noexcept {
    try {
      self.entry_(self.argument_);
      self.last_ = outcome::returned;
    } catch (const fiber_cancelled&) {
      self.last_ = outcome::cancelled;
    } catch (...) {
      self.error_ = std::current_exception();
      self.last_ = outcome::failed;
    }
  }
};

fiber* current_fiber() noexcept {
  asm volatile(""); // keeps calls apart: two of them may run on two threads
  return this_fiber_thread.current;
}

fiber::fiber(stack_pool& pool, void (*entry)(void*), void* argument) : entry_(entry), argument_(argument), pool_(pool) {
  auto stack = pool.take();
  if (!stack) throw std::bad_alloc();
  stack_ = std::move(*stack);
  own_.create(stack_.usable());
  prepare_machine(*this, stack_.usable(), &fiber_entry::start);
}

outcome fiber::cancel() noexcept {
  cancels_ = true;
  if (phase_ != phase::fresh) return resume();
  phase_ = phase::ended;
  return outcome::cancelled;
}

void fiber::throw_cancelled() { fiber_cancelled_access::raise(); }

void fiber::close() noexcept {
  if (stack_.empty()) return;
  WEIR_CHECK(phase_ == phase::fresh || phase_ == phase::ended,
             "a fiber is closed while it runs or waits; cancel it and resume it to its end first", phase_);
  phase_ = phase::ended;
  own_.destroy();
  pool_.give(std::exchange(stack_, fiber_stack()));
}

} // namespace weir::rt
