// SPDX-License-Identifier: Apache-2.0
#include "time/timer_store.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace weir::rt {
namespace {

struct armed_cell {
  timer_cell* cell;
  std::uint64_t ticket;
};

armed_cell arm(timer_store& store, std::uint64_t tick) {
  timer_cell& cell = store.take_cell();
  cell.tick = tick;
  armed_cell armed{&cell, cell.arm()};
  cell_chain due;
  store.wheel.place(cell, due);
  EXPECT_EQ(due.size, 0u);
  return armed;
}

void cancel(timer_store& store, armed_cell armed) {
  EXPECT_TRUE(armed.cell->cancel(armed.ticket));
  store.note_cancelled();
}

TEST(timer_store, cells_are_distinct_and_come_back) {
  timer_store store;
  std::set<timer_cell*> cells;
  cell_chain back;
  for (int i = 0; i != 1000; ++i) {
    timer_cell& cell = store.take_cell();
    EXPECT_TRUE(cells.insert(&cell).second);
    back.push_back(cell);
  }
  std::size_t capacity = store.capacity();
  store.give_back(back);
  for (int i = 0; i != 1000; ++i) store.take_cell();
  EXPECT_EQ(store.capacity(), capacity);
}

TEST(timer_store, timeouts_that_are_always_cancelled_need_no_more_cells_however_late_they_are_due) {
  timer_store store;
  std::vector<armed_cell> live;
  for (int i = 0; i != 10; ++i) live.push_back(arm(store, 1'000'000));
  for (int i = 0; i != 100'000; ++i) cancel(store, arm(store, 10'000'000 + static_cast<std::uint64_t>(i)));
  EXPECT_LE(store.capacity(), 192u);
  for (armed_cell each : live) EXPECT_FALSE(each.cell->has_fired(each.ticket));
}

TEST(timer_store, sweep_leaves_armed_cells_to_fire) {
  timer_store store;
  std::vector<armed_cell> live;
  for (int i = 0; i != 20'000; ++i) {
    armed_cell each = arm(store, 100 + static_cast<std::uint64_t>(i));
    if (i % 5 == 0) {
      live.push_back(each);
    } else {
      cancel(store, each);
    }
  }
  EXPECT_LT(store.capacity(), 16'000u);
  cell_chain due;
  ASSERT_TRUE(store.wheel.try_begin_advance());
  store.wheel.advance(30'000, due, ~std::size_t{0});
  store.wheel.end_advance();
  std::size_t fired = 0;
  while (timer_cell* cell = due.pop_front()) {
    if (cell->claim()) {
      EXPECT_EQ(cell, live[fired++].cell);
    }
  }
  EXPECT_EQ(fired, live.size());
}

} // namespace
} // namespace weir::rt
