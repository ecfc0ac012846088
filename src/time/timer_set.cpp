// SPDX-License-Identifier: Apache-2.0
#include "time/timer_set.hpp"

#include "sched/runtime_core.hpp"
#include "sched/task_state.hpp"

#include <mutex>

namespace weir::rt {
namespace {

constexpr std::size_t largest_batch = 1024; // cells between two looks at the queues
constexpr std::size_t many_at_once = 32;
constexpr std::uint64_t coarse_tick = 16;

} // namespace

std::uint64_t timer_set::tick_of(instant deadline) noexcept {
  if (deadline.nanoseconds <= 0) return 0;
  auto up = static_cast<std::uint64_t>(deadline.nanoseconds) + ((std::uint64_t{1} << tick_bits) - 1);
  if (WEIR_MUTANT("timers: a deadline is rounded down")) up = static_cast<std::uint64_t>(deadline.nanoseconds);
  return up >> tick_bits;
}

instant timer_set::instant_of(std::uint64_t tick) noexcept {
  constexpr std::uint64_t last = static_cast<std::uint64_t>(instant::never().nanoseconds) >> tick_bits;
  return tick > last ? instant::never() : instant{static_cast<std::int64_t>(tick << tick_bits)};
}

detail::timer_ticket timer_set::arm(detail::task_header& task, instant deadline) {
  thread_context* context = current_context();
  worker* here = context != nullptr ? context->on : nullptr;
  timer_store* store = &shared_;
  timer_cell* cell = nullptr;
  if (here != nullptr && &here->core() == &core_ && here->can_queue()) {
    store = &here->held().timers;
    cell = &store->take_cell();
  } else {
    std::lock_guard guard(shared_lock_);
    cell = &store->take_cell();
  }
  detail::add_reference(task);
  cell->target = &task;
  cell->tick = std::min(tick_of(deadline), timer_wheel::last_tick);
  detail::timer_ticket ticket{cell, store, cell->arm()};
  cell_chain due;
  store->wheel.place(*cell, due);
  if (due.size != 0) fire(*store, due);
  tell_monitor(deadline);
  return ticket;
}

void timer_set::tell_monitor(instant deadline) noexcept {
  if (backstop_.is_too_late_for(deadline)) core_.watch().wake();
}

bool timer_set::fire_store(timer_store& store, instant now) noexcept {
  std::uint64_t tick = static_cast<std::uint64_t>(std::max<std::int64_t>(now.nanoseconds, 0)) >> tick_bits;
  if (store.wheel.next() > tick || !store.wheel.try_begin_advance()) return false;
  cell_chain due;
  store.wheel.advance(tick, due, largest_batch);
  store.wheel.end_advance();
  detail::seq_cst_fence(); // backstop.hpp O1
  if (std::uint64_t later = store.wheel.next(); later != timer_wheel::never) tell_monitor(instant_of(later));
  bool was_due = due.size != 0;
  if (was_due) burst_.store(due.size, detail::memory_order::relaxed);
  fire(store, due);
  return was_due;
}

void timer_set::fire(timer_store& store, cell_chain due) noexcept {
  task_chain woken;
  cell_chain done;
  while (timer_cell* cell = due.pop_front()) {
    if (cell->claim()) {
      auto& task = *static_cast<detail::task_header*>(cell->target);
      if (task_state::set_notified(task)) {
        if (task.operations->schedule != nullptr) {
          task.operations->schedule(task);
        } else {
          woken.push_back(task);
        }
      }
      detail::drop_reference(task);
    } else {
      store.note_claimed_cancelled();
    }
    done.push_back(*cell);
  }
  store.give_back(done);
  core_.schedule(woken);
}

bool timer_set::fire_due_of(timer_store& store) noexcept {
  return store.wheel.next() != timer_wheel::never && fire_store(store, core_.now());
}

bool timer_set::fire_due(duration late) noexcept {
  bool has_fired = false;
  std::optional<instant> now;
  for (std::size_t index = 0; index <= core_.permit_count(); ++index) {
    timer_store& store = index == core_.permit_count() ? shared_ : core_.permit_at(index).timers;
    if (store.wheel.next() == timer_wheel::never) continue;
    if (!now) now = core_.now() + -late;
    has_fired |= fire_store(store, *now);
  }
  return has_fired;
}

instant timer_set::next() const noexcept {
  std::uint64_t first = timer_wheel::never;
  for (std::size_t index = 0; index != core_.permit_count(); ++index)
    first = std::min(first, core_.permit_at(index).timers.wheel.next());
  return instant_of(first);
}

instant timer_set::next_watch() const noexcept {
  instant first = next();
  if (first == instant::never() || burst_.load(detail::memory_order::relaxed) < many_at_once) return first;
  std::uint64_t tick = tick_of(first) + coarse_tick - 1;
  return instant_of(tick - tick % coarse_tick);
}

bool timer_set::park(parker& sleeper) noexcept {
  std::int64_t until = has_manual_clock_ ? instant::never().nanoseconds : next_watch().nanoseconds;
  std::int64_t watched = watched_.load(detail::memory_order::relaxed);
  while (until < watched && !watched_.compare_exchange_weak(watched, until, detail::memory_order::relaxed,
                                                            detail::memory_order::relaxed)) {
  }
  if (until >= watched) { // nothing is armed, or somebody watches that sleeps no longer
    sleeper.park();
    return true;
  }
  bool was_notified = sleeper.park_until({until});
  watched_.compare_exchange_strong(until, instant::never().nanoseconds, detail::memory_order::relaxed,
                                   detail::memory_order::relaxed);
  return was_notified;
}

void timer_set::park_root(parker& sleeper) noexcept {
  instant until = has_manual_clock_ ? instant::never() : instant_of(shared_.wheel.next());
  if (!sleeper.park_until(until)) fire_due_of(shared_);
}

bool timer_set::park_monitor(parker& sleeper, instant limit) noexcept {
  if (has_manual_clock_) return sleeper.park_until(limit);
  bool was_notified = sleeper.park_until(backstop_.set(limit, [&] { return next(); }));
  backstop_.clear();
  return was_notified;
}

} // namespace weir::rt

namespace weir::detail {

bool armed_timer::has_fired() const noexcept { return ticket_.cell->has_fired(ticket_.armed); }

void armed_timer::arm(task_header& task, std::chrono::nanoseconds deadline) {
  ticket_ = task.core()->timers().arm(task, rt::instant{deadline.count()});
  task_ = &task;
}

void armed_timer::cancel() noexcept {
  if (task_ == nullptr) return;
  if (ticket_.cell->cancel(ticket_.armed) || WEIR_MUTANT("timers: a cancel that comes late drops the task")) {
    ticket_.store->note_cancelled();
    drop_reference(*task_);
  }
  task_ = nullptr;
}

} // namespace weir::detail
