// SPDX-License-Identifier: Apache-2.0
// How a task's end reaches whoever waits for it, and who destroys the result: rules R4 and R5 of task_header.hpp.
#include "base/parker.hpp"
#include "sched/fiber_task.hpp"
#include "sched/finish.hpp"
#include "sched/runtime_core.hpp"
#include "sched/task_state.hpp"
#include "sched/worker.hpp"

#include <weir/detail/task_cell.hpp>

#include <coroutine>
#include <cstdio>

namespace weir {
namespace rt {
namespace {

void report_unhandled(const detail::task_header& task, std::exception_ptr exception) noexcept {
  const detail::task_extras* extras = task.extras();
  std::source_location site = task.site();
  unhandled_exception report{task.name(), site, std::move(exception)};
  if (extras != nullptr && extras->on_unhandled != nullptr) {
    (*extras->on_unhandled)(report);
    return;
  }
  std::fprintf(stderr,
               "weir: an exception left a task whose outcome nobody takes\n  task:    \"%.*s\", spawned at %s:%u\n"
               "  to do:   join the task, catch inside it, or set runtime_options::on_unhandled\n",
               static_cast<int>(report.task_name.size()), report.task_name.data(), site.file_name(),
               static_cast<unsigned>(site.line()));
  std::fflush(stderr);
  std::rethrow_exception(report.exception); // leaves a noexcept function: the terminate handler sees the exception
}

void discard_result(detail::task_header& task) noexcept {
  if (std::exception_ptr unobserved = task.operations->discard(task)) report_unhandled(task, std::move(unobserved));
}

void prepare_failure(detail::task_header& task) noexcept {
  if (task.block.has_failed && task.core()->on_unhandled() != nullptr)
    task.need_extras().on_unhandled = task.core()->on_unhandled();
}

} // namespace

void set_task_complete(detail::task_header& task) noexcept {
  prepare_failure(task);
  task.clear_wait();
  std::uint64_t before = task_state::set_complete(task);
  if ((before & task_state::waiter) != 0) {
    detail::completion_waiter waiter = task.waiter;
    waiter.wake();
  } else if ((before & task_state::join) == 0) {
    discard_result(task);
  }
}

void complete_task(detail::task_header& task) noexcept {
  prepare_failure(task);
  if (task_state::set_complete_and_drop(task)) return;
  set_task_complete(task);
  detail::drop_reference(task);
}

} // namespace rt

namespace detail {

using rt::task_state::cancel;
using rt::task_state::complete;
using rt::task_state::reference;

void add_reference(task_header& task) noexcept { task.state.fetch_add(reference, memory_order::relaxed); }

void drop_reference(task_header& task) noexcept {
  if (rt::task_state::drop(task)) task.operations->destroy(task);
}

namespace {

void schedule_woken(task_header& task) noexcept {
  if (task.operations->schedule != nullptr) {
    task.operations->schedule(task);
  } else {
    task.core()->schedule(task);
  }
}

} // namespace

void wake(task_header& task) noexcept {
  if (rt::task_state::set_notified(task)) schedule_woken(task);
}

void completion_waiter::wake() const noexcept {
  switch (word_ & tags) {
  case tag_task: {
    auto& waiting = *static_cast<task_header*>(address());
    if (waiting.operations->schedule != nullptr) {
      detail::wake(waiting); // a root may see that it is woken and end before it is told: no queue entry keeps it
      drop_reference(waiting);
      return;
    }
    bool is_last = false;
    // Between the drop and the schedule the queue entry keeps the task, as the scheduler has a reference.
    if (rt::task_state::set_notified_and_drop(waiting, is_last)) schedule_woken(waiting);
    if (is_last) waiting.operations->destroy(waiting);
    return;
  }
  case tag_coroutine: std::coroutine_handle<>::from_address(address()).resume(); return;
  default: {
    auto& hook = *static_cast<completion_hook*>(address());
    hook.wake(hook);
  }
  }
}

void completion_waiter::drop() const noexcept {
  if ((word_ & tags) == tag_task) {
    drop_reference(*static_cast<task_header*>(address()));
  } else if ((word_ & tags) == tag_hook) {
    auto& hook = *static_cast<completion_hook*>(address());
    if (hook.drop != nullptr) hook.drop(hook);
  }
}

void request_cancel(task_header& task) noexcept {
  if (rt::task_state::set_notified(task, cancel)) schedule_woken(task);
}

bool is_complete(const task_header& task) noexcept {
  return (task.state.load(memory_order::acquire) & complete) != 0; // O3
}

bool set_waiter(task_header& task, completion_waiter waiter) noexcept {
  if ((task.state.load(memory_order::relaxed) & rt::task_state::waiter) != 0 && !clear_waiter(task)) return false;
  task.waiter = waiter;
  std::uint64_t before = task.state.fetch_or(rt::task_state::waiter, memory_order::acq_rel); // O4
  if ((before & complete) == 0 || WEIR_MUTANT("join: a waiter that comes late is not told")) return true;
  task.state.fetch_and(~rt::task_state::waiter, memory_order::relaxed);
  return false;
}

bool clear_waiter(task_header& task) noexcept {
  std::uint64_t before = task.state.fetch_and(~rt::task_state::waiter, memory_order::acq_rel);
  if ((before & complete) != 0) return false;
  if ((before & rt::task_state::waiter) != 0) task.waiter.drop();
  return true;
}

void drop_join(task_header& task, bool result_taken) noexcept {
  completion_waiter waiter = task.waiter;
  std::uint64_t before = rt::task_state::give_up_join(task);
  if ((before & complete) == 0) {
    if ((before & rt::task_state::waiter) != 0) waiter.drop();
    return;
  }
  if (!result_taken) rt::discard_result(task);
  drop_reference(task);
}

task_header* current_task() noexcept {
  rt::thread_context* context = rt::current_context();
  return context != nullptr ? context->task : nullptr;
}

namespace {

bool is_task_complete(void* task) noexcept { return is_complete(*static_cast<task_header*>(task)); }

constexpr wait_kind waits_for_task{.what = "a task", .is_over = is_task_complete, .is_for_task = true};

// What a thread sleeps on until a task completes. The completer's part and the thread's are counted, because the one
// that sees the end first leaves while the other still is at it.
struct thread_waiter : completion_hook {
  rt::parker parker;
  atomic<bool> is_over{false};
  atomic<unsigned> owners{2};

  thread_waiter() noexcept : completion_hook{wake_thread, release} {}

  static void wake_thread(completion_hook& self) noexcept {
    auto& waiter = static_cast<thread_waiter&>(self);
    waiter.is_over.store(true, memory_order::release);
    waiter.parker.unpark();
    release(waiter);
  }
  static void release(completion_hook& self) noexcept {
    auto& waiter = static_cast<thread_waiter&>(self);
    if (waiter.owners.fetch_sub(1, memory_order::acq_rel) == 1) delete &waiter;
  }
  static bool is_done(void* self) noexcept {
    return static_cast<thread_waiter*>(self)->is_over.load(memory_order::acquire);
  }
};

} // namespace

bool suspend_until_complete(task_header& target, std::coroutine_handle<> self, bool is_part_of_task) noexcept {
  task_header* task = is_part_of_task ? current_task() : nullptr;
  if (task == nullptr || task->kind() == task_kind::fiber)
    return set_waiter(target, completion_waiter::coroutine(self));
  task->set_leaf(self);
  task->set_wait(waits_for_task, &target);
  add_reference(*task);
  if (set_waiter(target, completion_waiter::task(*task))) return true;
  task->clear_wait();
  drop_reference(*task);
  return false;
}

void wait_for_completion(task_header& target) {
  if (is_complete(target)) return;
  if (task_header* self = suspendable_fiber()) {
    add_reference(*self);
    if (!set_waiter(target, completion_waiter::task(*self))) {
      drop_reference(*self);
      return;
    }
    while (!is_complete(target)) {
      self->set_wait(waits_for_task, &target);
      suspend_fiber();
    }
    return;
  }
  rt::thread_context* context = rt::current_context();
  rt::worker* here = context != nullptr ? context->on : nullptr;
  auto* waiter = new thread_waiter;
  if (!set_waiter(target, completion_waiter::hook(*waiter))) {
    delete waiter;
    return;
  }
  if (here != nullptr && !here->is_in_region()) {
    here->wait_blocked(waiter->parker, thread_waiter::is_done, waiter);
  } else {
    while (!thread_waiter::is_done(waiter)) waiter->parker.park();
  }
  thread_waiter::release(*waiter);
}

} // namespace detail
} // namespace weir
