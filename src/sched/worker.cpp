// SPDX-License-Identifier: Apache-2.0
// The worker's loop: find a task, poll it, go idle.
#include "sched/worker.hpp"

#include "sched/finish.hpp"
#include "sched/runtime_core.hpp"
#include "sched/task_state.hpp"

namespace weir::rt {
namespace {

constexpr std::size_t largest_batch = 128;
constexpr int search_passes = 4;
constexpr duration until_stuck = std::chrono::microseconds(20);   // for how long a holder's poll must not move
constexpr std::uint32_t all_timers_period = 16 * injector_period; // own timers: every injector_period

static_assert(checkpoint_period % injector_period == 0);

} // namespace

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

task_header* worker::next_task() noexcept {
  permit& mine = *held_;
  if (++mine.tick % injector_period == 0) {
    if (mine.tick % all_timers_period == 0) {
      core_.timers().fire_due();
    } else {
      core_.timers().fire_due_of(mine.timers);
    }
    if (mine.tick % checkpoint_period == 0) core_.tidy(mine);
    if (task_header* task = take_from_injector()) return task;
  }
  if (task_header* task = take_queued()) return task;
  if (task_header* task = take_from_injector()) return task;
  return core_.permit_count() == 1 ? nullptr : search();
}

task_header* worker::take_queued() noexcept {
  permit& mine = *held_;
  if (core_.permit_count() == 1) return mine.queue.pop_front_alone();
  bool owes_publish = std::exchange(mine.owes_publish, false);
  if (mine.next_in_row < next_cell::most_in_row && mine.tick % oldest_period != 0) {
    if (task_header* woken = mine.next.take()) {
      ++mine.next_in_row;
      if (owes_publish && !mine.queue.is_empty()) core_.publish(); // idle.hpp, own requeue
      return woken;
    }
  }
  mine.next_in_row = 0;
  task_header* oldest = mine.queue.pop_front();
  return oldest != nullptr ? oldest : mine.next.take();
}

task_header* worker::take_from_injector() noexcept {
  permit& mine = *held_;
  if (task_header* kept = mine.queue.pop_injected()) return kept;
  std::size_t waiting = core_.injected().size();
  if (waiting == 0) return nullptr;
  if (core_.permit_count() == 1) {
    mine.queue.keep_injected(core_.injected().pop(largest_batch));
    return mine.queue.pop_injected();
  }
  std::size_t share = std::min(waiting / core_.permit_count() + 1, largest_batch);
  task_chain batch = core_.injected().pop(std::clamp<std::size_t>(mine.queue.room(), 1, share));
  task_header* oldest = batch.pop_front();
  while (task_header* task = batch.pop_front()) static_cast<void>(mine.queue.push_back(*task));
  // What moved was invisible, and what was in the queue stays behind the task that is taken now: idle.hpp, batches, own
  // requeue.
  if (oldest != nullptr && !is_searching_ && !mine.queue.is_empty()) core_.publish();
  return oldest;
}

task_header* worker::search() noexcept {
  std::size_t permits = core_.permit_count();
  if (!is_searching_) {
    if (!core_.idle().try_begin_search(permits - core_.idle().count_free())) return nullptr;
    is_searching_ = true;
  }
  permit& mine = *held_;
  for (int pass = 0; pass != search_passes; ++pass) {
    for (std::size_t step = 0; step != permits; ++step) {
      permit& victim = core_.permit_at((mine.next_victim + step) % permits);
      if (&victim == &mine || victim.queue.is_empty()) continue;
      if (task_header* task = mine.queue.steal_from(victim.queue)) {
        mine.next_victim = static_cast<std::uint32_t>(victim.index);
        mine.steals.add();
        return task;
      }
    }
    if (task_header* task = take_from_injector()) return task;
    spin_pause();
  }
  for (std::size_t step = 0; step != permits; ++step) { // next_cell.hpp, delay
    permit& victim = core_.permit_at((mine.next_victim + step) % permits);
    if (&victim == &mine || !victim.next.is_occupied() || !is_stuck(victim)) continue;
    if (task_header* task = victim.next.take()) {
      mine.steals.add();
      return task;
    }
  }
  return nullptr;
}

bool worker::is_stuck(const permit& victim) noexcept {
  std::uint64_t poll = victim.polls.get();
  instant end = rt::now() + until_stuck;
  do {
    permit_phase phase = victim.word().phase;
    if (is_call(phase)) return true;
    if (phase != permit_phase::run || victim.polls.get() != poll) return false;
    spin_pause();
  } while (rt::now() < end);
  return true;
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
  bool leaves_work = !mine.queue.is_empty();
  head->grant(mine);
  core_.wake_next_returner();
  if (leaves_work) core_.publish(); // its holder goes on with a poll: idle.hpp, own requeue
  return true;
}

void worker::queue_here(task_header& task) noexcept {
  if (core_.permit_count() == 1) {
    held_->queue.push_back_ordered(task);
    return;
  }
  task_chain overflow = held_->queue.push_back(task);
  if (overflow.size == 0) return;
  core_.injected().push(overflow);
  core_.publish(); // they were invisible between
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
  held_->owes_publish = true; // when it is not taken next: take_queued(), take_from_injector()
}

} // namespace weir::rt
