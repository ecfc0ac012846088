// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace weir::testing {
namespace {

using enum task_priority;
using counter = detail::atomic<int>;

struct plain_task : detail::task_header {
  plain_task() : task_header(none, detail::task_kind::coroutine) {}

private:
  static constexpr detail::task_operations none{};
};

// How many of `turns` calls of priority_turns::take() each class gets when those in `ready` always have a task.
std::map<task_priority, int> share_out(int turns, std::initializer_list<task_priority> ready) {
  rt::priority_turns of_permit;
  plain_task task;
  std::map<task_priority, int> got;
  for (int turn = 0; turn != turns; ++turn) {
    of_permit.take([&](task_priority asked) -> detail::task_header* {
      if (std::ranges::find(ready, asked) == ready.end()) return nullptr;
      ++got[asked];
      return &task;
    });
  }
  return got;
}

using counts = std::map<task_priority, int>;

TEST(priority_turns, are_shared_eight_to_three_to_one) {
  EXPECT_EQ(share_out(120, {high, normal, background}), (counts{{high, 80}, {normal, 30}, {background, 10}}));
}

TEST(priority_turns, of_a_class_without_tasks_go_to_the_others) {
  EXPECT_EQ(share_out(40, {normal, background}), (counts{{normal, 30}, {background, 10}}));
  EXPECT_EQ(share_out(40, {background}), (counts{{background, 40}}));
  EXPECT_EQ(share_out(40, {}), counts{});
}

class priorities : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(permits, priorities, tested_permits);

constexpr int no_limit = 0;

struct tallies {
  std::array<counter, 3> polls{};
  detail::atomic<bool> is_over{false};
  counter& of(task_priority priority) { return polls[static_cast<std::size_t>(priority)]; }
};

/// Counts its polls until `is_over`, which the poll that brings its class to `limit` sets.
task<> yield_until_over(tallies& all, task_priority mine, int limit) {
  while (!all.is_over.load()) {
    if (all.of(mine).fetch_add(1) + 1 == limit) all.is_over.store(true);
    co_await yield();
  }
}

TEST_P(priorities, background_gets_a_twelfth_of_the_polls_under_full_load) { // test 39
  manual_runtime rt({.permits = GetParam()});
  std::size_t permits = rt.snapshot().permits;
  tallies all;
  std::vector<join_handle<void>> tasks;
  gate start;
  detail::atomic<std::size_t> held{0};
  auto hold = [&]() -> task<> {
    held.fetch_add(1);
    start.wait();
    co_return;
  };
  for (std::size_t i = 0; i != permits; ++i) tasks.push_back(rt->spawn(hold()));
  ASSERT_TRUE(eventually([&] { return held.load() == permits; }));
  for (std::size_t i = 0; i != 16 * permits; ++i) {
    for (task_priority each : {normal, high, background})
      tasks.push_back(
          rt->spawn(yield_until_over(all, each, each == background ? 2'000 : no_limit), {.priority = each}));
  }
  start.open();
  for (auto& each : tasks) each.wait().value();
  std::array<int, 3> seen{};
  for (task_priority each : {background, normal, high}) seen[static_cast<std::size_t>(each)] = all.of(each).load();
  // With several permits tasks move between them, and a permit may be without tasks of one class for a while.
  int total = seen[0] + seen[1] + seen[2];
  EXPECT_GE(seen[static_cast<std::size_t>(background)] * 12, permits == 1 ? total - total / 50 : total / 2);
  EXPECT_GT(seen[static_cast<std::size_t>(high)], seen[static_cast<std::size_t>(normal)]);
  EXPECT_GT(seen[static_cast<std::size_t>(normal)], seen[static_cast<std::size_t>(background)]);
}

TEST(priorities_of_one, urgent_tasks_overtake_those_that_wait) {
  gate start;
  manual_runtime rt({.permits = 1});
  std::vector<task_priority> order;
  auto note = [&](task_priority mine) -> task<> {
    order.push_back(mine);
    co_return;
  };
  std::vector<join_handle<void>> tasks;
  detail::atomic<bool> is_held{false};
  auto hold = [&]() -> task<> {
    is_held.store(true);
    start.wait();
    co_return;
  };
  tasks.push_back(rt->spawn(hold()));
  ASSERT_TRUE(eventually([&] { return is_held.load(); }));
  for (task_priority each : {background, normal, high})
    tasks.push_back(rt->spawn(note(each), {.priority = each})); // from outside: by the injectors
  start.open();
  for (auto& each : tasks) each.wait().value();
  EXPECT_EQ(order, (std::vector{high, normal, background}));
  order.clear();
  auto spawner = [&]() -> task<> { // and by the permit's own queues
    auto late = spawn(note(background), {.priority = background});
    auto usual = spawn(note(normal));
    auto soon = spawn(note(high), {.priority = high});
    static_cast<void>(co_await late);
  };
  rt->spawn(spawner()).wait().value();
  EXPECT_EQ(order, (std::vector{high, normal, background}));
}

TEST(priorities_of_one, background_task_from_outside_runs_beside_one_that_never_waits) {
  manual_runtime rt({.permits = 1});
  tallies all;
  auto busy = rt->spawn(yield_until_over(all, background, no_limit), {.priority = background});
  auto urgent = rt->spawn(yield_until_over(all, high, no_limit), {.priority = high});
  auto answer = []() -> task<int> { co_return 5; };
  EXPECT_EQ(rt->spawn(answer(), {.priority = background}).wait().value(), 5);
  all.is_over.store(true);
  busy.wait().value();
  urgent.wait().value();
}

TEST(priorities_of_two, tasks_of_each_class_are_stolen_from_a_poll_that_does_not_end) {
  for (task_priority each : {normal, high, background}) {
    gate has_run;
    runtime rt({.permits = 2});
    auto child = [&]() -> task<> {
      has_run.open();
      co_return;
    };
    auto parent = [&]() -> task<> {
      auto other = spawn(child(), {.priority = each});
      has_run.wait(); // holds its permit
      co_await std::move(other);
    };
    static_cast<void>(rt.spawn(parent()).wait());
  }
}

TEST_P(priorities, queues_that_overflow_lose_no_task) {
  manual_runtime rt({.permits = GetParam()});
  constexpr int many = 3 * rt::run_queue::capacity;
  std::array<counter, 3> runs{};
  auto spawner = [&]() -> task<> {
    std::vector<join_handle<void>> children;
    auto child = [&](task_priority mine) -> task<> {
      runs[static_cast<std::size_t>(mine)].fetch_add(1);
      co_return;
    };
    for (int i = 0; i != many; ++i) {
      for (task_priority each : {normal, high, background}) children.push_back(spawn(child(each), {.priority = each}));
    }
    EXPECT_GE(rt.snapshot().queued, GetParam() == 1 ? std::size_t{3 * many} : std::size_t{0});
    for (auto& each : children) static_cast<void>(co_await std::move(each));
  };
  rt->spawn(spawner()).wait().value();
  for (counter& each : runs) EXPECT_EQ(each.load(), many);
}

TEST_P(priorities, woken_tasks_keep_their_class_and_shutdown_stops_all) {
  runtime rt({.permits = GetParam()});
  counter woken{0};
  auto waiter = [&](task_priority mine) -> task<> {
    auto other = spawn([]() -> task<> { co_return; }(), {.priority = mine});
    static_cast<void>(co_await other);
    woken.fetch_add(1);
    for (;;) co_await yield();
  };
  std::vector<join_handle<void>> tasks;
  for (int i = 0; i != 100; ++i) {
    for (task_priority each : {normal, high, background}) tasks.push_back(rt.spawn(waiter(each), {.priority = each}));
  }
  ASSERT_TRUE(eventually([&] { return woken.load() == 300; }));
  rt.shutdown();
  for (auto& each : tasks) EXPECT_TRUE(each.wait().is_stopped());
}

} // namespace
} // namespace weir::testing
