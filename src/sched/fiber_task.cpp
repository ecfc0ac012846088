// SPDX-License-Identifier: Apache-2.0
// Tasks whose context is a fiber. The task's state word orders the threads that resume it one after the other.
#include "sched/fiber_task.hpp"

#include "context/fiber.hpp"
#include "sched/runtime_core.hpp"

#include <weir/checkpoint.hpp>
#include <weir/detail/fiber_cell.hpp>

#include <exception>

namespace weir::detail {

rt::fiber* make_fiber(rt::runtime_core& core, void (*entry)(void*), void* argument) {
  return new rt::fiber(core.stacks(), entry, argument);
}

void destroy_fiber(rt::fiber* fiber) noexcept { delete fiber; }

poll_outcome poll_fiber(rt::fiber& fiber, std::exception_ptr& error) noexcept {
  rt::outcome why = fiber.resume();
  if (!rt::is_end(why)) return poll_outcome::suspended;
  error = fiber.take_error();
  return poll_outcome::completed;
}

void cancel_fiber(rt::fiber& fiber) noexcept {
  // A destructor may suspend by fiber::suspend() itself; what weir offers does not suspend while the stack unwinds.
  rt::outcome why = fiber.cancel();
  while (!rt::is_end(why)) why = fiber.resume();
}

task_header* suspendable_fiber() noexcept {
  rt::thread_context* context = rt::current_context();
  if (context == nullptr || context->task == nullptr || context->task->kind() != task_kind::fiber) return nullptr;
  if (context->on != nullptr && context->on->is_in_region()) return nullptr;
  rt::fiber* running = rt::current_fiber();
  bool unwinds = running == nullptr || (running->is_cancelled() && std::uncaught_exceptions() != 0);
  return unwinds ? nullptr : context->task; // after an unwinding that was swallowed, suspending throws again
}

void suspend_fiber() { rt::current_fiber()->suspend(); }

void yield_fiber(bool was_asked) {
  task_header* self = suspendable_fiber();
  if (self == nullptr) return;
  self->block.self_woken = true;
  if (was_asked) {
    ++self->stats.preemptions;
    rt::worker* here = rt::current_context()->on;
    if (here != nullptr && here->can_queue()) here->count_preemption();
  }
  suspend_fiber();
}

} // namespace weir::detail
