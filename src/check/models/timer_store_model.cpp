// SPDX-License-Identifier: Apache-2.0

// A cell that was fired is its store's owner's again, with all that was done with it before.

#include "time/timer_store.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using namespace weir::rt;
using small_store = basic_timer_store<basic_timer_wheel<2, 1>, 2>;

namespace {

timer_cell& arm(small_store& store, std::uint64_t tick) {
  timer_cell& cell = store.take_cell();
  cell.tick = tick;
  cell.arm();
  return cell;
}

// timer_set::fire()
void fire(small_store& store, timer_cell& cell) {
  if (!cell.claim()) store.note_claimed_cancelled();
  cell_chain done;
  done.push_back(cell);
  store.give_back(done);
}

} // namespace

WEIR_MODEL(timer_store_takes_back_what_others_fired) {
  small_store store;
  timer_cell* first[2] = {&arm(store, 1), &arm(store, 2)};
  m.spawn("one", [&, cell = first[0]] { fire(store, *cell); });
  m.spawn("two", [&, cell = first[1]] { fire(store, *cell); });
  timer_cell& third = arm(store, 3);
  m.sometimes("a cell that was fired is armed again", store.capacity() == 2);
  m.sometimes("both were under way", store.capacity() != 2);
  m.join_all();
  timer_cell& fourth = arm(store, 3);
  m.require(&third != &fourth, "a cell is armed once at a time");
}

WEIR_MODEL(timer_store_gets_a_cancelled_cell_back_once) {
  small_store store;
  timer_cell& cell = arm(store, 1);
  const std::uint64_t ticket = timer_cell::armed;
  m.spawn("firer", [&] { fire(store, cell); });
  if (cell.cancel(ticket)) store.note_cancelled();
  m.join_all();
  timer_cell& other = store.take_cell(); // of the slab
  timer_cell& again = store.take_cell();
  m.require(&other != &again && &again == &cell, "it is free once");
}
