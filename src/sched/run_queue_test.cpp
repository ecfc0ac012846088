// SPDX-License-Identifier: Apache-2.0
#include "sched/run_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <thread>
#include <vector>

namespace weir::rt {
namespace {

struct numbered_task final : detail::task_header {
  explicit numbered_task(int what) : task_header(none, detail::task_kind::coroutine), number(what) {}
  int number;

private:
  static constexpr detail::task_operations none{};
};

class run_queue_tasks : public ::testing::Test {
protected:
  task_header& make() { return tasks_.emplace_back(static_cast<int>(tasks_.size())); }
  static int number(task_header* task) { return task == nullptr ? -1 : static_cast<numbered_task*>(task)->number; }

private:
  std::deque<numbered_task> tasks_;
};

using run_queue_test = run_queue_tasks;

TEST_F(run_queue_test, gives_tasks_in_the_order_they_came) {
  run_queue queue;
  for (int i = 0; i != 10; ++i) EXPECT_EQ(queue.push_back(make()).size, 0u);
  EXPECT_EQ(queue.size(), 10u);
  for (int i = 0; i != 10; ++i) EXPECT_EQ(number(queue.pop_front()), i);
  EXPECT_EQ(queue.pop_front(), nullptr);
  EXPECT_TRUE(queue.is_empty());
}

TEST_F(run_queue_test, overflow_gives_up_the_older_half_and_the_new_task_in_order) {
  run_queue queue;
  constexpr int capacity = run_queue::capacity;
  for (int i = 0; i != capacity; ++i) EXPECT_EQ(queue.push_back(make()).size, 0u);
  task_chain overflow = queue.push_back(make());
  ASSERT_EQ(overflow.size, capacity / 2 + 1u);
  for (int i = 0; i != capacity / 2; ++i) EXPECT_EQ(number(overflow.pop_front()), i);
  EXPECT_EQ(number(overflow.pop_front()), capacity);
  for (int i = capacity / 2; i != capacity; ++i) EXPECT_EQ(number(queue.pop_front()), i);
}

TEST_F(run_queue_test, thief_takes_the_older_half_and_gets_the_oldest) {
  run_queue victim;
  run_queue thief;
  for (int i = 0; i != 9; ++i) EXPECT_EQ(victim.push_back(make()).size, 0u);
  EXPECT_EQ(number(thief.steal_from(victim)), 0);
  for (int i = 1; i != 5; ++i) EXPECT_EQ(number(thief.pop_front()), i);
  EXPECT_EQ(thief.pop_front(), nullptr);
  for (int i = 5; i != 9; ++i) EXPECT_EQ(number(victim.pop_front()), i);
  EXPECT_EQ(thief.steal_from(victim), nullptr);
}

TEST_F(run_queue_test, positions_wrap_around) {
  run_queue queue;
  for (int round = 0; round != 2000; ++round) {
    EXPECT_EQ(queue.push_back(make()).size, 0u);
    EXPECT_EQ(number(queue.pop_front()), round);
  }
}

TEST_F(run_queue_test, ordered_push_keeps_every_task_in_order) {
  run_queue queue;
  for (int i = 0; i != 1000; ++i) queue.push_back_ordered(make());
  EXPECT_EQ(queue.size(), 1000u);
  for (int i = 0; i != 600; ++i) EXPECT_EQ(number(queue.pop_front()), i);
  for (int i = 0; i != 50; ++i) queue.push_back_ordered(make());
  for (int i = 600; i != 1050; ++i) EXPECT_EQ(number(queue.pop_front()), i);
  EXPECT_EQ(queue.pop_front(), nullptr);
}

TEST_F(run_queue_test, kept_batch_of_the_injector_has_its_own_order) {
  run_queue queue;
  queue.push_back_ordered(make());
  task_chain batch;
  batch.push_back(make());
  batch.push_back(make());
  queue.keep_injected(batch);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(number(queue.pop_injected()), 1);
  EXPECT_EQ(number(queue.pop_front()), 0);
  EXPECT_EQ(number(queue.pop_injected()), 2);
  EXPECT_EQ(queue.pop_injected(), nullptr);
}

TEST_F(run_queue_test, each_task_is_popped_or_stolen_once) { // I13
  constexpr int count = 50'000;
  run_queue owner_queue;
  std::vector<task_header*> all;
  for (int i = 0; i != count; ++i) all.push_back(&make());
  std::vector<int> seen[3];
  detail::atomic<bool> done{false};
  auto steal = [&](std::vector<int>& into) {
    run_queue mine;
    while (!done.load() || !owner_queue.is_empty()) {
      task_header* task = mine.steal_from(owner_queue);
      if (task == nullptr) std::this_thread::yield();
      for (; task != nullptr; task = mine.pop_front()) into.push_back(number(task));
    }
  };
  std::thread first([&] { steal(seen[1]); });
  std::thread second([&] { steal(seen[2]); });
  for (int i = 0; i != count; ++i) {
    task_chain overflow = owner_queue.push_back(*all[static_cast<std::size_t>(i)]);
    while (task_header* task = overflow.pop_front()) seen[0].push_back(number(task));
    if (i % 3 == 0) {
      if (task_header* task = owner_queue.pop_front()) seen[0].push_back(number(task));
    }
  }
  while (task_header* task = owner_queue.pop_front()) seen[0].push_back(number(task));
  done.store(true);
  first.join();
  second.join();
  std::vector<int> times(count, 0);
  for (auto& part : seen) {
    for (int number : part) ++times[static_cast<std::size_t>(number)];
  }
  EXPECT_EQ(std::count(times.begin(), times.end(), 1), count);
}

} // namespace
} // namespace weir::rt
