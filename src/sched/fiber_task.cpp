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

namespace {

// The fiber's list of forks is the current one while its stack runs.
class fork_scope {
public:
  explicit fork_scope(fork_list& forks) noexcept : context_(*rt::current_context()), outer_(context_.forks) {
    forks.core = context_.own_forks.core;
    forks.idle_permits = context_.own_forks.idle_permits;
    context_.forks = &forks;
  }
  fork_scope(const fork_scope&) = delete;
  fork_scope& operator=(const fork_scope&) = delete;
  ~fork_scope() { context_.forks = outer_; }

private:
  rt::thread_context& context_; // a resume returns on the thread that began it
  fork_list* outer_;
};

} // namespace

poll_outcome poll_fiber(rt::fiber& fiber, fork_list& forks, std::exception_ptr& error) noexcept {
  fork_scope scope(forks);
  rt::outcome why = fiber.resume();
  if (!rt::is_end(why)) return poll_outcome::suspended;
  error = fiber.take_error();
  return poll_outcome::completed;
}

void cancel_fiber(rt::fiber& fiber, fork_list& forks) noexcept {
  if (fiber.current_phase() == rt::fiber::phase::fresh) {
    static_cast<void>(fiber.cancel()); // maybe on a thread that runs nothing for the runtime
    return;
  }
  fork_scope scope(forks);
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
