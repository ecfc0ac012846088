// SPDX-License-Identifier: Apache-2.0
// How a task's end reaches whoever waits for it, and who destroys the result: rules R4 and R5 of task_header.hpp.
#include "base/parker.hpp"
#include "sched/fiber_task.hpp"
#include "sched/finish.hpp"
#include "sched/runtime_core.hpp"
#include "sched/task_state.hpp"
#include "sched/worker.hpp"

#include <weir/detail/task_cell.hpp>

#include <cstdio>

namespace weir {
namespace rt {
namespace {

void report_unhandled(const detail::task_header& task, std::exception_ptr exception) noexcept {
  const auto* extras = task.extras.get();
  unhandled_exception report{extras != nullptr ? std::string_view(extras->name) : std::string_view(), task.site,
                             std::move(exception)};
  if (extras != nullptr && extras->on_unhandled != nullptr) {
    (*extras->on_unhandled)(report);
    return;
  }
  std::fprintf(stderr,
               "weir: an exception left a task whose outcome nobody takes\n  task:    \"%.*s\", spawned at %s:%u\n"
               "  to do:   join the task, catch inside it, or set runtime_options::on_unhandled\n",
               static_cast<int>(report.task_name.size()), report.task_name.data(), task.site.file_name(),
               static_cast<unsigned>(task.site.line()));
  std::fflush(stderr);
  std::rethrow_exception(report.exception); // leaves a noexcept function: the terminate handler sees the exception
}

void discard_result(detail::task_header& task) noexcept {
  if (std::exception_ptr unobserved = task.operations->discard(task)) report_unhandled(task, std::move(unobserved));
}

} // namespace

void complete_task(detail::task_header& task) noexcept {
  if (task.has_failed && task.core->on_unhandled() != nullptr) {
    if (task.extras == nullptr) task.extras = std::make_unique<detail::task_extras>();
    task.extras->on_unhandled = task.core->on_unhandled();
  }
  std::uint64_t before = task_state::set_complete(task);
  if ((before & task_state::waiter) != 0) {
    detail::completion_waiter waiter = task.waiter;
    waiter.wake(waiter.argument);
  } else if ((before & task_state::join) == 0) {
    discard_result(task);
  }
  detail::drop_reference(task);
}

} // namespace rt

namespace detail {

using rt::task_state::cancel;
using rt::task_state::complete;
using rt::task_state::join;
using rt::task_state::reference;

void add_reference(task_header& task) noexcept { task.state.fetch_add(reference, memory_order::relaxed); }

void drop_reference(task_header& task) noexcept {
  std::uint64_t before = task.state.fetch_sub(reference, memory_order::acq_rel); // O5
  if (before / reference == 1) task.operations->destroy(task);
}

void wake(task_header& task) noexcept {
  if (!rt::task_state::set_notified(task)) return;
  if (task.operations->schedule != nullptr) {
    task.operations->schedule(task);
  } else {
    task.core->schedule(task);
  }
}

void request_cancel(task_header& task) noexcept {
  if (rt::task_state::set_notified(task, cancel)) task.core->schedule(task);
}

bool is_complete(const task_header& task) noexcept {
  return (task.state.load(memory_order::acquire) & complete) != 0; // O3
}

bool set_waiter(task_header& task, completion_waiter waiter) noexcept {
  if ((task.state.load(memory_order::relaxed) & rt::task_state::waiter) != 0 && !clear_waiter(task)) return false;
  task.waiter = waiter;
  std::uint64_t before = task.state.fetch_or(rt::task_state::waiter, memory_order::acq_rel); // O4
  if ((before & complete) == 0) return true;
  task.state.fetch_and(~rt::task_state::waiter, memory_order::relaxed);
  return false;
}

bool clear_waiter(task_header& task) noexcept {
  std::uint64_t before = task.state.fetch_and(~rt::task_state::waiter, memory_order::acq_rel);
  if ((before & complete) != 0) return false;
  if ((before & rt::task_state::waiter) != 0 && task.waiter.drop != nullptr) task.waiter.drop(task.waiter.argument);
  return true;
}

void drop_join(task_header& task, bool result_taken) noexcept {
  std::uint64_t before = task.state.fetch_and(~(join | rt::task_state::waiter), memory_order::acq_rel); // O3
  if ((before & complete) != 0) {
    if (!result_taken) rt::discard_result(task);
  } else if ((before & rt::task_state::waiter) != 0 && task.waiter.drop != nullptr) {
    task.waiter.drop(task.waiter.argument);
  }
  drop_reference(task);
}

task_header* current_task() noexcept {
  rt::thread_context* context = rt::current_context();
  return context != nullptr ? context->task : nullptr;
}

namespace {

void drop_task(void* task) noexcept { drop_reference(*static_cast<task_header*>(task)); }
void wake_task(void* task) noexcept {
  wake(*static_cast<task_header*>(task));
  drop_task(task);
}
void resume_coroutine(void* frame) noexcept { std::coroutine_handle<>::from_address(frame).resume(); }
bool is_task_complete(void* task) noexcept { return is_complete(*static_cast<task_header*>(task)); }

// What a thread sleeps on until a task completes. The completer's part and the thread's are counted, because the one
// that sees the end first leaves while the other still is at it.
struct thread_waiter {
  rt::parker parker;
  atomic<bool> is_over{false};
  atomic<unsigned> owners{2};

  static void wake(void* self) noexcept {
    auto* waiter = static_cast<thread_waiter*>(self);
    waiter->is_over.store(true, memory_order::release);
    waiter->parker.unpark();
    drop(self);
  }
  static void drop(void* self) noexcept {
    auto* waiter = static_cast<thread_waiter*>(self);
    if (waiter->owners.fetch_sub(1, memory_order::acq_rel) == 1) delete waiter;
  }
  static bool is_done(void* self) noexcept {
    return static_cast<thread_waiter*>(self)->is_over.load(memory_order::acquire);
  }
};

} // namespace

bool suspend_until_complete(task_header& target, std::coroutine_handle<> self, bool is_part_of_task) noexcept {
  task_header* task = is_part_of_task ? current_task() : nullptr;
  if (task == nullptr || task->kind == task_kind::fiber)
    return set_waiter(target, {resume_coroutine, nullptr, self.address()});
  task->leaf = self;
  task->ready = is_task_complete;
  task->ready_argument = &target;
  add_reference(*task);
  if (set_waiter(target, {wake_task, drop_task, task})) return true;
  task->ready = nullptr;
  drop_reference(*task);
  return false;
}

void wait_for_completion(task_header& target) {
  if (is_complete(target)) return;
  if (task_header* self = suspendable_fiber()) {
    add_reference(*self);
    if (!set_waiter(target, {wake_task, drop_task, self})) {
      drop_reference(*self);
      return;
    }
    while (!is_complete(target)) suspend_fiber();
    return;
  }
  rt::thread_context* context = rt::current_context();
  rt::worker* here = context != nullptr ? context->on : nullptr;
  auto* waiter = new thread_waiter;
  if (!set_waiter(target, {thread_waiter::wake, thread_waiter::drop, waiter})) {
    delete waiter;
    return;
  }
  if (here != nullptr && !here->is_in_region()) {
    here->wait_blocked(waiter->parker, thread_waiter::is_done, waiter);
  } else {
    while (!thread_waiter::is_done(waiter)) waiter->parker.park();
  }
  thread_waiter::drop(waiter);
}

} // namespace detail
} // namespace weir
