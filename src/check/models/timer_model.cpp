// SPDX-License-Identifier: Apache-2.0

// A timer that is armed fires or is cancelled, and time never passes it by.

#include "time/timer_wheel.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using weir::rt::cell_chain;
using weir::rt::timer_cell;
using small_wheel = weir::rt::basic_timer_wheel<2, 1>; // ticks 0 to 3

namespace {

// A cell and what its target points at, which only the one may use that fires it.
struct numbered_cell : timer_cell {
  check::cell<int> number;
};

void arm(numbered_cell& cell, int number, std::uint64_t tick) {
  cell.number.set(number);
  cell.tick = tick;
  cell.arm();
}

void fire(check::model& m, cell_chain due) {
  while (timer_cell* cell = due.pop_front()) {
    if (cell->claim()) m.got(static_cast<numbered_cell*>(cell)->number.get());
  }
}

void place(check::model& m, small_wheel& wheel, numbered_cell& cell) {
  cell_chain due;
  wheel.place(cell, due);
  fire(m, due);
}

void advance(check::model& m, small_wheel& wheel, std::uint64_t now) {
  if (!wheel.try_begin_advance()) return;
  cell_chain due;
  wheel.advance(now, due, 100);
  wheel.end_advance();
  fire(m, due);
}

} // namespace

WEIR_MODEL(timer_fire_or_cancel) {
  numbered_cell cell;
  arm(cell, 1, 1);
  const std::uint64_t ticket = timer_cell::armed;
  const unsigned taker = m.spawn("taker", [&] {
    cell_chain due;
    due.push_back(cell);
    fire(m, due);
  });
  const bool is_cancelled = cell.cancel(ticket);
  m.join_all();
  m.require(is_cancelled != m.has_got(taker, 1), "it fires or is cancelled");
  m.require(cell.has_fired(ticket), "the ticket names no later arming");
  m.sometimes("it fires", !is_cancelled);
  m.sometimes("it is cancelled", is_cancelled);
}

// Time passes while a timer is placed: from 0 to 2 and 3, across a digit.
WEIR_MODEL(timer_place_against_advance) {
  small_wheel wheel;
  numbered_cell cell;
  arm(cell, 1, 3);
  const unsigned advancer = m.spawn("advancer", [&] { advance(m, wheel, 2); });
  place(m, wheel, cell);
  m.join_all();
  m.require(wheel.next() <= 3, "the sleeper's deadline is not too late");
  m.require(!m.has_got(advancer, 1) && !m.has_got(0, 1), "never early");
  advance(m, wheel, 3);
  m.expect_each_once({1});
}

WEIR_MODEL(timer_due_while_it_is_placed) {
  small_wheel wheel;
  numbered_cell cell;
  arm(cell, 1, 2);
  const unsigned advancer = m.spawn("advancer", [&] { advance(m, wheel, 3); });
  place(m, wheel, cell);
  m.join_all();
  m.sometimes("the advancer fires it", m.has_got(advancer, 1));
  m.sometimes("who placed it fires it", m.has_got(0, 1));
  m.expect_each_once({1}); // nobody advances any more
}

WEIR_MODEL(timer_two_advancers) {
  small_wheel wheel;
  numbered_cell cell;
  arm(cell, 1, 2);
  place(m, wheel, cell);
  m.spawn("slow", [&] { advance(m, wheel, 1); });
  advance(m, wheel, 2);
  m.join_all();
  advance(m, wheel, 2); // the token may have been taken before
  m.expect_each_once({1});
}

// A slot is taken and used again at once: who pushes there must not believe the bit of its first use.
WEIR_MODEL(timer_slot_is_used_again) {
  small_wheel wheel;
  numbered_cell cells[2];
  arm(cells[0], 1, 1);
  arm(cells[1], 2, 3);
  place(m, wheel, cells[0]);
  m.spawn("advancer", [&] { advance(m, wheel, 2); });
  place(m, wheel, cells[1]);
  m.join_all();
  advance(m, wheel, 3);
  m.expect_each_once({1, 2});
}

WEIR_MODEL(timer_sweep_beside_advance) {
  small_wheel wheel;
  numbered_cell cell;
  arm(cell, 1, 3);
  place(m, wheel, cell);
  m.spawn("sweeper", [&] {
    if (!wheel.try_begin_advance()) return;
    cell_chain dead;
    wheel.sweep(dead);
    wheel.end_advance();
    m.require(dead.size == 0, "nothing was cancelled");
  });
  advance(m, wheel, 2);
  m.join_all();
  advance(m, wheel, 3);
  m.expect_each_once({1});
}

WEIR_MODEL(timer_two_placers_of_one_slot) {
  small_wheel wheel;
  numbered_cell cells[2];
  arm(cells[0], 1, 1);
  arm(cells[1], 2, 1);
  m.spawn("one", [&] { place(m, wheel, cells[0]); });
  m.spawn("two", [&] { place(m, wheel, cells[1]); });
  advance(m, wheel, 1);
  m.join_all();
  m.expect_each_once({1, 2});
}
