// SPDX-License-Identifier: Apache-2.0
// The worker's loop: take a task (worker_queues.cpp), poll it, go idle.
#include "sched/worker.hpp"

#include "sched/finish.hpp"
#include "sched/runtime_core.hpp"
#include "sched/task_state.hpp"

namespace weir::rt {
void worker::work() noexcept {
  while (held_ != nullptr) {
    if (core_.returners().size() != 0 && give_to_returner()) return;
    if (task_header* task = next_task()) {
      if (is_searching_) stop_searching();
      execute(*task);
    } else if (detail::fork_node* fork = core_.take_fork()) {
      run_fork(*fork);
    } else if (!run_stranded_closure() && !core_.timers().fire_due()) {
      go_idle();
    }
  }
}

void worker::stop_searching() noexcept {
  is_searching_ = false;
  core_.idle().end_search();                   // idle.hpp, finder (f)
  detail::seq_cst_fence();                     // (g)
  if (core_.has_stealable()) core_.wake_one(); // (h)
}

void worker::go_idle() noexcept {
  core_.tidy(*held_);
  permit& mine = *std::exchange(held_, nullptr);
  WEIR_DEBUG_CHECK(!mine.next.is_occupied(), "a permit is freed while its next task waits", mine.index);
  attached_ = &mine;
  mine.set(permit_phase::free, number_);
  core_.idle().set_free(mine.index);                                  // idle.hpp, parker (a)
  if (std::exchange(is_searching_, false)) core_.idle().end_search(); // (b)
  detail::seq_cst_fence();                                            // (c)
  if (core_.returners().size() != 0) core_.serve_returners();         // return_queue.hpp O1
  if (WEIR_MUTANT("idle: the parker does not look again")) return;
  if (!core_.has_stealable() && !core_.closures().are_stranded()) return; // (d)
  held_ = claim_attached();
  if (held_ == nullptr) core_.wake_one();
}

permit* worker::claim_attached() noexcept {
  if (attached_ == nullptr || !core_.idle().claim(attached_->index)) return nullptr;
  permit& mine = *attached_;
  core_.idle().begin_search();
  // The permit may have been used since, and be free again with another worker attached, which then is the one to go
  // on.
  if (std::uint16_t attached = mine.word().worker; attached != number_) {
    core_.threads().at(attached).grant(mine, true);
    return nullptr;
  }
  mine.set(permit_phase::run, number_);
  is_searching_ = true;
  return &mine;
}

bool worker::give_to_returner() noexcept {
  permit& mine = *held_;
  if (is_searching_) stop_searching();
  worker* head = core_.returners().pop_if([](worker&) { return true; });
  if (head == nullptr) return false;
  held_ = nullptr;
  core_.threads().put_back_warm(*this);
  bool leaves_work = mine.has_queued();
  head->grant(mine);
  core_.wake_next_returner();
  if (leaves_work) core_.publish(); // its holder goes on with a poll: idle.hpp, own requeue
  return true;
}

void worker::execute(task_header& task) noexcept {
  std::uint64_t before = task_state::start(task);
  poll_budget budget(context_);
  task_header* outer = std::exchange(context_.task, &task);
  begin_polled(task);
  held_->polls.add();
  bool is_stopped = (before & task_state::cancel) != 0;
  bool wakes_itself = false;
  if (!is_stopped && task.is_wait_over()) {
    task.count_poll();
    if (task.block.accounts_cpu) context_.cpu_since = os::this_thread_cpu_time();
    auto outcome = task.operations->poll(task);
    if (task.block.accounts_cpu) task.extras()->cpu_time += os::this_thread_cpu_time() - context_.cpu_since;
    if (outcome == detail::poll_outcome::completed) {
      end_polled(outer);
      context_.task = outer;
      core_.finish(task, *held_);
      return;
    }
    wakes_itself = task.take_self_wake();
  }
  end_polled(outer); // before anybody else may poll the task
  auto next = is_stopped ? task_state::after_poll::cancelled : task_state::suspend(task, wakes_itself);
  if (next == task_state::after_poll::cancelled) {
    begin_polled(task);
    task.operations->cancel(task);
    end_polled(outer);
    context_.task = outer;
    core_.finish(task, *held_);
    return;
  }
  context_.task = outer;
  if (next != task_state::after_poll::requeue) return;
  queue_here(task);
  held_->owes_publish = true; // when it is not taken next: take_queued(), take_by_turns(), take_batch()
}

} // namespace weir::rt
