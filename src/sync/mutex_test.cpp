// SPDX-License-Identifier: Apache-2.0
#include <weir/mutex.hpp>

#include "sync/test_support.hpp"

namespace weir::testing {
namespace {

TEST(mutex, one_holder_at_a_time_among_tasks_fibers_and_threads) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    live_runtime rt({.permits = count});
    mutex lock;
    int counter = 0;
    bool is_inside = false;
    auto step = [&] {
      EXPECT_FALSE(std::exchange(is_inside, true));
      ++counter;
      is_inside = false;
    };
    way_runner runner(*rt);
    for (int i = 0; i != 8; ++i) {
      runner.start(
          all_ways[i % 4],
          [&]() -> task<> {
            for (int turn = 0; turn != 200; ++turn) {
              auto guard = co_await lock.scoped_lock();
              step();
              if (turn % 16 == 0) co_await yield(); // kept across a suspension
            }
          },
          [&] {
            for (int turn = 0; turn != 200; ++turn) {
              std::lock_guard guard(lock);
              step();
            }
          });
    }
    runner.join();
    EXPECT_EQ(counter, 1600);
    EXPECT_TRUE(lock.try_lock());
    EXPECT_FALSE(lock.try_lock());
    lock.unlock();
  }
}

TEST(mutex, goes_to_the_one_that_waits_longest_and_is_not_overtaken) {
  live_runtime rt({.permits = 1});
  mutex lock;
  std::vector<int> order;
  lock.lock();
  auto take = [&](int number) -> task<> {
    auto guard = co_await lock.scoped_lock();
    order.push_back(number);
  };
  std::vector<join_handle<void>> handles;
  for (int i = 0; i != 4; ++i) handles.push_back(rt->spawn(take(i)));
  auto other = []() -> task<> { co_await yield(); };
  rt->spawn(other()).wait().value();
  lock.unlock();
  for (auto& each : handles) each.wait().value();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

TEST(mutex, handed_to_a_stopped_task_goes_to_the_next) {
  live_runtime rt({.permits = 1});
  mutex lock;
  detail::atomic<int> waiting{0};
  auto take = [&]() -> task<> {
    waiting.fetch_add(1);
    auto guard = co_await lock.scoped_lock();
  };
  auto hold = [&]() -> task<> {
    auto guard = co_await lock.scoped_lock();
    auto first = spawn(take());
    auto second = spawn(take());
    while (waiting.load() != 2) co_await yield();
    guard.unlock(); // handed to the first, which is stopped before it runs
    first.abort();
    EXPECT_TRUE((co_await first).is_stopped());
    EXPECT_TRUE((co_await second).has_value());
  };
  rt->spawn(hold()).wait().value();
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

TEST(mutex, stopped_fiber_unwinds_without_the_mutex) {
  live_runtime rt({.permits = 1});
  mutex lock;
  lock.lock();
  detail::atomic<bool> is_waiting{false};
  bool got_it = false;
  auto fiber = rt->spawn_fiber([&] {
    is_waiting.store(true);
    std::lock_guard guard(lock);
    got_it = true;
  });
  ASSERT_TRUE(eventually([&] { return is_waiting.load(); }));
  fiber.abort();
  EXPECT_TRUE(fiber.wait().is_stopped());
  EXPECT_FALSE(got_it);
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

TEST(mutex, unlock_of_a_free_mutex_ends_the_program) {
  mutex lock;
  EXPECT_DEATH(lock.unlock(), "a mutex is unlocked that is not locked");
}

TEST(mutex, stays_consistent_in_a_storm_of_stops) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    live_runtime rt({.permits = count});
    mutex lock;
    int inside = 0;
    auto body = [&]() -> task<> {
      for (int i = 0; i != 50; ++i) {
        auto guard = co_await lock.scoped_lock();
        EXPECT_EQ(++inside, 1);
        --inside;
      }
    };
    for (int round = 0; round != 40; ++round) {
      std::vector<join_handle<void>> handles;
      for (int i = 0; i != 8; ++i) handles.push_back(rt->spawn(body()));
      for (std::size_t i = 0; i < handles.size(); i += 2) handles[i].abort();
      for (auto& each : handles) static_cast<void>(each.wait());
      ASSERT_TRUE(lock.try_lock());
      lock.unlock();
    }
  }
}

} // namespace
} // namespace weir::testing
