// SPDX-License-Identifier: Apache-2.0
#include "time/timer_wheel.hpp"

#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace weir::rt {
namespace {

constexpr std::size_t all = ~std::size_t{0};

std::vector<timer_cell*> advance(timer_wheel& wheel, std::uint64_t now, std::size_t limit = all) {
  cell_chain due;
  EXPECT_TRUE(wheel.try_begin_advance());
  wheel.advance(now, due, limit);
  wheel.end_advance();
  std::vector<timer_cell*> cells;
  while (timer_cell* cell = due.pop_front()) cells.push_back(cell);
  return cells;
}

std::size_t place(timer_wheel& wheel, timer_cell& cell, std::uint64_t tick) {
  cell_chain due;
  cell.tick = tick;
  cell.arm();
  wheel.place(cell, due);
  return due.size;
}

TEST(timer_wheel, empty_wheel_has_no_next_tick) {
  timer_wheel wheel(17);
  EXPECT_EQ(wheel.next(), timer_wheel::never);
  EXPECT_TRUE(advance(wheel, 1'000'000'000).empty());
  EXPECT_EQ(wheel.next(), timer_wheel::never);
}

TEST(timer_wheel, cell_comes_out_at_its_tick_and_not_before) {
  for (std::uint64_t span : {1u, 63u, 64u, 65u, 4095u, 4096u, 4097u, 262'144u, 1'000'000'007u}) {
    for (std::uint64_t start : {0u, 1u, 62u, 63u, 4095u, 123'456'789u}) {
      timer_wheel wheel(start);
      timer_cell cell;
      place(wheel, cell, start + span);
      EXPECT_LE(wheel.next(), start + span);
      EXPECT_TRUE(advance(wheel, start + span - 1).empty()) << start << " + " << span;
      EXPECT_EQ(wheel.next(), start + span);
      EXPECT_EQ(advance(wheel, start + span).size(), 1u) << start << " + " << span;
      EXPECT_EQ(wheel.next(), timer_wheel::never);
    }
  }
}

TEST(timer_wheel, tick_that_has_passed_is_due_at_once) {
  timer_wheel wheel(100);
  timer_cell cells[3];
  EXPECT_EQ(place(wheel, cells[0], 99), 1u);
  EXPECT_EQ(place(wheel, cells[1], 100), 1u);
  EXPECT_EQ(place(wheel, cells[2], 101), 0u);
}

TEST(timer_wheel, cells_come_out_by_tick_and_within_one_in_the_order_they_were_placed) {
  timer_wheel wheel;
  std::vector<timer_cell> cells(3000);
  std::mt19937_64 random(7);
  std::multimap<std::uint64_t, timer_cell*> expected; // keeps the order of equal keys
  for (timer_cell& cell : cells) {
    std::uint64_t tick = 1 + random() % (random() % 2 == 0 ? 100 : 300'000);
    place(wheel, cell, tick);
    expected.emplace(tick, &cell);
  }
  auto found = advance(wheel, 400'000);
  ASSERT_EQ(found.size(), cells.size());
  auto at = expected.begin();
  for (timer_cell* cell : found) EXPECT_EQ(cell, (at++)->second);
}

TEST(timer_wheel, random_steps_take_out_exactly_what_is_due) {
  for (unsigned seed = 0; seed != 20; ++seed) {
    std::mt19937_64 random(seed);
    timer_wheel wheel(random() % 10'000);
    std::vector<timer_cell> cells(2000);
    std::multimap<std::uint64_t, timer_cell*> expected;
    std::uint64_t now = 10'000;
    advance(wheel, now);
    for (std::size_t made = 0; made != cells.size() || !expected.empty();) {
      for (std::size_t some = random() % 20; some != 0 && made != cells.size(); --some) {
        std::uint64_t tick = now + 1 + random() % (std::uint64_t{1} << random() % 30);
        place(wheel, cells[made], tick);
        expected.emplace(tick, &cells[made++]);
      }
      std::uint64_t first = expected.empty() ? timer_wheel::never : expected.begin()->first;
      EXPECT_LE(wheel.next(), first) << seed; // never too late
      now = first != timer_wheel::never && random() % 2 == 0 ? first : now + random() % 5000;
      for (timer_cell* cell : advance(wheel, now)) {
        ASSERT_FALSE(expected.empty());
        EXPECT_LE(cell->tick, now) << seed;
        EXPECT_EQ(cell->tick, expected.begin()->first) << seed;
        expected.erase(expected.begin());
      }
      ASSERT_TRUE(expected.empty() || expected.begin()->first > now) << seed << " at " << now;
    }
  }
}

TEST(timer_wheel, limit_leaves_the_rest_for_the_next_advance) {
  timer_wheel wheel;
  std::vector<timer_cell> cells(100);
  for (std::size_t at = 0; at != cells.size(); ++at) place(wheel, cells[at], 1 + at / 2);
  EXPECT_EQ(advance(wheel, 1000, 10).size(), 10u);
  EXPECT_EQ(wheel.next(), 6u);
  EXPECT_EQ(advance(wheel, 1000).size(), 90u);
}

TEST(timer_wheel, advance_has_one_holder_at_a_time) {
  timer_wheel wheel;
  EXPECT_TRUE(wheel.try_begin_advance());
  EXPECT_FALSE(wheel.try_begin_advance());
  wheel.end_advance();
  EXPECT_TRUE(wheel.try_begin_advance());
  wheel.end_advance();
}

TEST(timer_wheel, sweep_takes_out_what_was_cancelled_and_leaves_the_rest_in_order) {
  timer_wheel wheel(5);
  std::vector<timer_cell> cells(1000);
  for (std::size_t at = 0; at != cells.size(); ++at) place(wheel, cells[at], 10 + at * at);
  for (std::size_t at = 0; at != cells.size(); ++at) {
    if (at % 3 != 0) {
      EXPECT_TRUE(cells[at].cancel(timer_cell::armed));
    }
  }
  cell_chain dead;
  ASSERT_TRUE(wheel.try_begin_advance());
  wheel.sweep(dead);
  wheel.end_advance();
  EXPECT_EQ(dead.size, 666u);
  auto left = advance(wheel, 2'000'000);
  ASSERT_EQ(left.size(), 334u);
  for (std::size_t at = 0; at != left.size(); ++at) EXPECT_EQ(left[at], &cells[3 * at]);
}

TEST(timer_cell, fires_or_is_cancelled_and_never_both) {
  timer_cell cell;
  std::uint64_t first = cell.arm();
  EXPECT_FALSE(cell.has_fired(first));
  EXPECT_TRUE(cell.claim());
  EXPECT_TRUE(cell.has_fired(first));
  EXPECT_FALSE(cell.cancel(first));
  std::uint64_t second = cell.arm();
  EXPECT_TRUE(cell.has_fired(first));
  EXPECT_FALSE(cell.cancel(first)) << "a late cancel must not reach the next arming";
  EXPECT_TRUE(cell.cancel(second));
  EXPECT_FALSE(cell.claim());
}

} // namespace
} // namespace weir::rt
