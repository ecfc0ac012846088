// SPDX-License-Identifier: Apache-2.0
#include "sched/next_cell.hpp"

#include "sched/task_state.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace weir::rt {
namespace {

struct plain_task : detail::task_header {
  plain_task() : task_header(none, detail::task_kind::closure) { task_state::init(*this); }

private:
  static constexpr detail::task_operations none{};
};

TEST(next_cell, newer_task_displaces_the_older_one) {
  next_cell cell;
  plain_task older;
  plain_task newer;
  EXPECT_EQ(cell.take(), nullptr);
  EXPECT_EQ(cell.put(older), nullptr);
  EXPECT_EQ(cell.put(newer), &older);
  EXPECT_EQ(cell.take(), &newer);
  EXPECT_FALSE(cell.is_occupied());
  EXPECT_EQ(cell.take(), nullptr);
}

TEST(next_cell, each_task_comes_out_once_whoever_takes_it) {
  constexpr int rounds = 20'000;
  next_cell cell;
  plain_task task;
  int kept = 0;
  int stolen = 0;
  detail::atomic<bool> is_over{false};
  detail::atomic<bool> is_back{true};
  std::thread thief([&] {
    while (!is_over.load()) {
      if (cell.take() == nullptr) continue;
      ++stolen;
      is_back.store(true);
    }
  });
  for (int round = 0; round != rounds; ++round) {
    while (!is_back.load()) std::this_thread::yield();
    is_back.store(false);
    EXPECT_EQ(cell.put(task), nullptr);
    if (cell.take() == nullptr) continue;
    ++kept;
    is_back.store(true);
  }
  while (!is_back.load()) std::this_thread::yield();
  is_over.store(true);
  thief.join();
  EXPECT_EQ(kept + stolen, rounds);
}

} // namespace
} // namespace weir::rt
