// SPDX-License-Identifier: Apache-2.0
// Where a worker takes tasks from and puts them: its permit's queues, the injectors, other permits' queues. The orders are
// those of idle.hpp, next_cell.hpp and run_queue.hpp.
#include "sched/runtime_core.hpp"

namespace weir::rt {
namespace {

constexpr std::size_t largest_batch = 128;
constexpr int search_passes = 4;
constexpr duration until_stuck = std::chrono::microseconds(20);   // for how long a holder's poll must not move
constexpr std::uint32_t all_timers_period = 16 * injector_period; // own timers: every injector_period

static_assert(checkpoint_period % injector_period == 0);

} // namespace

task_header* worker::next_task() noexcept {
  bool is_injectors_turn = ++held_->tick % injector_period == 0;
  if (is_injectors_turn) pay_dues();
  if (core_.uses_priorities()) {
    if (task_header* task = take_by_turns(is_injectors_turn)) return task;
  } else {
    if (is_overflows_turn(task_priority::normal, is_injectors_turn)) {
      if (task_header* task = take_overflow(task_priority::normal)) return task;
    }
    if (is_injectors_turn) {
      if (task_header* task = take_from_injector(task_priority::normal)) return task;
    }
    if (task_header* task = take_queued()) return task;
    if (task_header* task = take_from_injector(task_priority::normal)) return task;
  }
  return core_.permit_count() == 1 ? nullptr : search();
}

void worker::pay_dues() noexcept {
  permit& mine = *held_;
  if (mine.tick % all_timers_period == 0) {
    core_.timers().fire_due();
  } else {
    core_.timers().fire_due_of(mine.timers);
  }
  if (mine.tick % checkpoint_period == 0) core_.tidy(mine);
}

bool worker::is_overflows_turn(task_priority of, bool is_injectors_turn) noexcept {
  if (core_.permit_count() == 1) return false;
  std::uint32_t& since = held_->since_overflow[static_cast<std::size_t>(of)];
  // Polls that use up their slices make every turn the injector's, and two counts in lockstep might.
  if (++since < overflow_period * (is_injectors_turn ? 2 : 1)) return false;
  since = 0;
  return true;
}

task_header* worker::take_overflow(task_priority of) noexcept {
  permit& mine = *held_;
  if (mine.overflow.of(of).size() != 0) return take_batch(mine.overflow.of(of), of, 1);
  // A permit whose ring is never empty steals nothing; so it takes its share of what others have too much of.
  mine.next_victim = static_cast<std::uint32_t>((mine.next_victim + 1) % core_.permit_count());
  return take_share(core_.permit_at(mine.next_victim).overflow.of(of), of);
}

task_header* worker::take_own(task_priority of) noexcept {
  run_queue& queue = held_->queues.of(of);
  if (core_.permit_count() == 1) return queue.pop_front_alone();
  if (task_header* task = queue.pop_front()) return task;
  injector& overflow = held_->overflow.of(of);
  return overflow.size() != 0 ? take_batch(overflow, of, largest_batch) : nullptr;
}

task_header* worker::take_queued() noexcept {
  permit& mine = *held_;
  if (core_.permit_count() == 1) return take_own(task_priority::normal);
  bool owes_publish = std::exchange(mine.owes_publish, false);
  if (mine.next_in_row < next_cell::most_in_row && mine.tick % oldest_period != 0) {
    if (task_header* woken = mine.next.take()) {
      ++mine.next_in_row;
      if (owes_publish && mine.has_queued(task_priority::normal)) core_.publish(); // idle.hpp, own requeue
      return woken;
    }
  }
  mine.next_in_row = 0;
  task_header* oldest = take_own(task_priority::normal);
  return oldest != nullptr ? oldest : mine.next.take();
}

task_header* worker::take_by_turns(bool from_injector_first) noexcept {
  permit& mine = *held_;
  bool is_alone = core_.permit_count() == 1;
  bool owes_publish = std::exchange(mine.owes_publish, false);
  task_header* taken = mine.turns.take([&](task_priority of) {
    task_header* task = nullptr;
    bool looks_outside_first = mine.turns.next(of) % injector_period == 0 || from_injector_first;
    if (is_overflows_turn(of, looks_outside_first)) task = take_overflow(of);
    if (task == nullptr && looks_outside_first) task = take_from_injector(of);
    if (task == nullptr) task = of == task_priority::normal ? take_queued() : take_own(of);
    if (task != nullptr) return task;
    return is_alone ? take_from_injector(of) : steal_for_turn(of);
  });
  if (owes_publish && taken != nullptr && !is_searching_ && mine.has_queued()) core_.publish(); // idle.hpp, own requeue
  return taken;
}

task_header* worker::take_from_injector(task_priority of) noexcept {
  injector& from = core_.injected(of);
  if (core_.permit_count() != 1) return take_share(from, of);
  run_queue& queue = held_->queues.of(of);
  if (task_header* kept = queue.pop_injected()) return kept;
  if (from.size() == 0) return nullptr;
  queue.keep_injected(from.pop(largest_batch));
  return queue.pop_injected();
}

task_header* worker::take_share(injector& from, task_priority of) noexcept {
  std::size_t waiting = from.size();
  return waiting != 0 ? take_batch(from, of, std::min(waiting / core_.permit_count() + 1, largest_batch)) : nullptr;
}

task_header* worker::take_batch(injector& from, task_priority of, std::size_t limit) noexcept {
  run_queue& queue = held_->queues.of(of);
  task_chain batch = from.pop(std::clamp<std::size_t>(queue.room(), 1, limit)); // a thief may copy still: no room
  task_header* oldest = batch.pop_front();
  while (task_header* task = batch.pop_front()) static_cast<void>(queue.push_back(*task));
  // What moved was invisible, and what was in the queue stays behind the task that is taken now: idle.hpp, batches, own
  // requeue.
  if (oldest != nullptr && !is_searching_ && !queue.is_empty()) core_.publish();
  return oldest;
}

task_header* worker::search() noexcept {
  if (!is_searching_) {
    if (!core_.idle().try_begin_search(core_.permit_count() - core_.idle().count_free())) return nullptr;
    is_searching_ = true;
  }
  for (int pass = 0; pass != search_passes; ++pass) {
    if (!core_.uses_priorities()) {
      if (task_header* task = steal(task_priority::normal)) return task;
    } else {
      for (task_priority each : by_urgency) {
        if (task_header* task = steal(each)) return task;
      }
    }
    spin_pause();
  }
  return steal_next();
}

task_header* worker::steal(task_priority of) noexcept {
  permit& mine = *held_;
  std::size_t permits = core_.permit_count();
  for (std::size_t step = 0; step != permits; ++step) {
    permit& victim = core_.permit_at((mine.next_victim + step) % permits);
    if (&victim == &mine || !victim.has_queued(of)) continue;
    task_header* task = mine.queues.of(of).steal_from(victim.queues.of(of));
    if (task == nullptr) task = take_share(victim.overflow.of(of), of);
    if (task == nullptr) continue;
    mine.next_victim = static_cast<std::uint32_t>(victim.index);
    mine.steals.add();
    return task;
  }
  return take_from_injector(of);
}

task_header* worker::steal_for_turn(task_priority of) noexcept {
  task_header* task = steal(of);
  if (task != nullptr && !is_searching_ && held_->has_queued(of)) core_.publish(); // idle.hpp, batches
  return task;
}

task_header* worker::steal_next() noexcept { // next_cell.hpp, delay
  permit& mine = *held_;
  std::size_t permits = core_.permit_count();
  for (std::size_t step = 0; step != permits; ++step) {
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

void worker::queue_here(task_header& task) noexcept {
  run_queue& queue = held_->queues.of(task.block.priority);
  if (core_.permit_count() == 1) {
    queue.push_back_ordered(task);
    return;
  }
  task_chain overflow = queue.push_back(task);
  if (overflow.size == 0) return;
  held_->overflow.of(task.block.priority).push(overflow);
  core_.publish(); // they were invisible between
}

} // namespace weir::rt
