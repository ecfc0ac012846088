// SPDX-License-Identifier: Apache-2.0
// Giving way: yields and checkpoints of tasks, and how running code is asked to come to one.
#include <weir/detail/preempt.hpp>

#include "sched/runtime_core.hpp"

#include <weir/checkpoint.hpp>

namespace weir {
namespace rt {

void worker::set_running_code(detail::preemptible* code) noexcept {
  std::lock_guard guard(attention_lock_); // worker.hpp O2
  running_code_ = code;
}

bool worker::ask_to_yield(permit& held, std::uint64_t poll) noexcept {
  std::lock_guard guard(attention_lock_);
  if (held.polls.get() != poll || held.word().worker != number_) return false;
  held.asked_poll.store(poll, detail::memory_order::relaxed);
  if (running_code_ == nullptr) return false;
  running_code_->ask_to_yield();
  return true;
}

bool worker::is_asked_to_yield() const noexcept {
  if (!can_queue()) return false;
  return core_.returners().size() != 0 || held_->asked_poll.load(detail::memory_order::relaxed) == held_->polls.get();
}

void worker::count_preemption() noexcept {
  held_->preemptions.add();
  held_->tick = injector_period - 1; // a long poll: the injector's turn has come
  held_->slice_began.store(core_.now().nanoseconds, detail::memory_order::relaxed);
  held_->slice_poll.store(held_->polls.get() + 1, detail::memory_order::release);
}

} // namespace rt

namespace detail {
namespace {

rt::worker* current_worker() noexcept {
  rt::thread_context* context = rt::current_context();
  return context != nullptr ? context->on : nullptr;
}

} // namespace

preempt_scope::preempt_scope(preemptible& code) noexcept : worker_(current_worker()) {
  if (worker_ == nullptr) return;
  auto* here = static_cast<rt::worker*>(worker_);
  outer_ = here->running_code();
  here->set_running_code(&code);
  if (here->is_asked_to_yield()) code.ask_to_yield(); // a returner that came before looked at the scope outside
}

preempt_scope::~preempt_scope() {
  if (worker_ != nullptr) static_cast<rt::worker*>(worker_)->set_running_code(outer_);
}

task_stats current_task_stats() noexcept {
  rt::thread_context* context = rt::current_context();
  if (context == nullptr || context->task == nullptr) return {};
  task_stats stats = context->task->all_stats();
  if (context->task->block.accounts_cpu) stats.cpu_time += rt::os::this_thread_cpu_time() - context->cpu_since;
  return stats;
}

bool is_asked_to_yield() noexcept {
  rt::worker* here = current_worker();
  return here != nullptr && here->is_asked_to_yield();
}

bool suspend_to_yield(std::coroutine_handle<> self, bool was_asked) noexcept {
  rt::thread_context* context = rt::current_context();
  if (context == nullptr || context->task == nullptr || context->task->kind() == task_kind::fiber) return false;
  task_header& task = *context->task;
  task.set_leaf(self);
  task.block.self_woken = true;
  if (was_asked) {
    ++task.stats.preemptions;
    if (context->on != nullptr && context->on->can_queue()) context->on->count_preemption();
  }
  return true;
}

} // namespace detail
} // namespace weir
