// SPDX-License-Identifier: Apache-2.0

// The monitor never sleeps past a timer by more than its patience: it sees the timer, or whoever armed or moved it wakes the
// monitor. Over the shipped wheel; timer_set::arm(), fire_store() and park_monitor() take the same steps in the same order.

#include "time/backstop.hpp"
#include "time/timer_wheel.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using namespace weir::rt;
using small_wheel = basic_timer_wheel<2, 1>; // ticks 0 to 3

namespace {

// A tick is a hundred times the monitor's patience, so that which tick it sleeps until is plain.
instant instant_of(std::uint64_t tick) {
  if (tick == small_wheel::never) return instant::never();
  return {static_cast<std::int64_t>(tick) * backstop::patience.count() * 100};
}

struct world {
  small_wheel wheel;
  backstop stop;
  check::atomic<bool> is_woken{false};

  instant first() const { return instant_of(wheel.next()); }
  void tell_monitor(std::uint64_t tick) {
    if (stop.is_too_late_for(instant_of(tick))) is_woken.store(true, std::memory_order::relaxed);
  }
  void place(timer_cell& cell) {
    cell_chain due;
    wheel.place(cell, due);
    tell_monitor(cell.tick);
  }
  void advance(std::uint64_t now) {
    if (!wheel.try_begin_advance()) return;
    cell_chain due;
    wheel.advance(now, due, 100);
    wheel.end_advance();
    if (check::is_mutated("who advances does not look again")) return;
    if (!check::is_mutated("who advances has no fence")) weir::detail::seq_cst_fence();
    if (const std::uint64_t later = wheel.next(); later != small_wheel::never) tell_monitor(later);
  }
  void require_in_time(check::model& m, instant until, std::uint64_t tick) const {
    const bool sleeps_in_time = until <= instant_of(tick) + backstop::patience;
    m.require(sleeps_in_time || is_woken.load(std::memory_order::relaxed), "no timer is slept past");
    m.sometimes("the monitor sees the timer", sleeps_in_time);
    m.sometimes("the monitor is woken", is_woken.load(std::memory_order::relaxed));
  }
};

void arm(timer_cell& cell, std::uint64_t tick) {
  cell.tick = tick;
  cell.arm();
}

} // namespace

WEIR_MODEL(backstop_meets_a_timer_that_is_armed) {
  world w;
  timer_cell cell;
  arm(cell, 1);
  m.spawn("armer", [&] { w.place(cell); });
  instant until;
  if (check::is_mutated("the monitor looks once")) {
    until = w.first() + backstop::patience;
    static_cast<void>(w.stop.set(until, [&] { return until; }));
  } else {
    until = w.stop.set(instant::never(), [&] { return w.first(); });
  }
  m.join_all();
  w.require_in_time(m, until, 1);
}
WEIR_MUTATIONS(backstop_meets_a_timer_that_is_armed, "the monitor looks once");

// Time moves a cell from one slot to another, and between the two nobody sees it.
WEIR_MODEL(backstop_meets_a_timer_that_moves) {
  world w;
  timer_cell cell;
  arm(cell, 3);
  cell_chain due;
  w.wheel.place(cell, due);
  m.spawn("advancer", [&] { w.advance(2); });
  const instant until = w.stop.set(instant::never(), [&] { return w.first(); });
  m.join_all();
  w.require_in_time(m, until, 3);
}
WEIR_MUTATIONS(backstop_meets_a_timer_that_moves, "who advances does not look again", "who advances has no fence");
