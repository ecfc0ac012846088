// SPDX-License-Identifier: Apache-2.0
#include <weir/semaphore.hpp>

#include "sync/test_support.hpp"

namespace weir::testing {
namespace {

TEST(semaphore, takes_what_is_free_and_no_more) {
  semaphore permits(3);
  EXPECT_TRUE(permits.try_acquire(2));
  EXPECT_FALSE(permits.try_acquire(2));
  EXPECT_EQ(permits.available(), 1U);
  permits.release(2);
  EXPECT_TRUE(permits.acquire(3).wait().has_value());
  EXPECT_EQ(permits.available(), 0U);
}

TEST(semaphore, large_request_in_front_is_not_overtaken) {
  semaphore permits(0);
  live_runtime rt({.permits = 1});
  std::vector<int> order;
  auto take = [&](int number, std::size_t count) -> task<> {
    EXPECT_TRUE((co_await permits.acquire(count)).has_value());
    order.push_back(number);
  };
  std::vector<join_handle<void>> handles;
  handles.push_back(rt->spawn(take(0, 3)));
  handles.push_back(rt->spawn(take(1, 1)));
  handles.push_back(rt->spawn(take(2, 2)));
  auto release = [&]() -> task<> {
    for (int i = 0; i != 2; ++i) permits.release();
    EXPECT_FALSE(permits.try_acquire()); // two are free, and somebody waits
    co_await yield();
    EXPECT_TRUE(order.empty());
    permits.release(4);
  };
  rt->spawn(release()).wait().value();
  for (auto& each : handles) each.wait().value();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(permits.available(), 0U);
}

TEST(semaphore, stop_of_the_front_lets_smaller_requests_through) {
  semaphore permits(1);
  live_runtime rt({.permits = 1});
  auto take = [&](std::size_t count) -> task<> { EXPECT_TRUE((co_await permits.acquire(count)).has_value()); };
  auto large = rt->spawn(take(2));
  auto small = rt->spawn(take(1));
  auto other = []() -> task<> { co_await yield(); };
  rt->spawn(other()).wait().value();
  EXPECT_FALSE(small.is_done());
  large.abort();
  EXPECT_TRUE(large.wait().is_stopped());
  small.wait().value();
}

TEST(semaphore, close_ends_waits_and_refuses_later_ones) { // peers.md 4
  semaphore permits(0);
  live_runtime rt({.permits = 1});
  auto take = [&]() -> task<std::error_code> {
    auto outcome = co_await permits.acquire();
    co_return outcome ? std::error_code() : outcome.error();
  };
  auto waiting = rt->spawn(take());
  auto other = []() -> task<> { co_await yield(); };
  rt->spawn(other()).wait().value();
  permits.close();
  EXPECT_EQ(waiting.wait().value(), make_error_code(sync_errc::closed));
  permits.release();
  EXPECT_FALSE(permits.try_acquire());
  EXPECT_EQ(permits.acquire().wait().error(), make_error_code(sync_errc::closed));
  EXPECT_TRUE(permits.is_closed());
}

TEST(semaphore, close_races_suspend_and_nobody_is_left_waiting) { // peers.md 4
  live_runtime rt({.permits = 2});
  for (int round = 0; round != 300; ++round) {
    semaphore permits(1);
    auto take = [&]() -> task<bool> { co_return (co_await permits.acquire()).has_value(); };
    std::vector<join_handle<bool>> handles;
    for (int i = 0; i != 4; ++i) handles.push_back(rt->spawn(take()));
    permits.close();
    int taken = 0;
    for (auto& each : handles) taken += each.wait().value() ? 1 : 0;
    EXPECT_LE(taken, 1);
  }
}

// A grant that meets a stop goes to the next in line.
TEST(semaphore, permits_are_never_lost_nor_doubled_in_a_storm_of_stops) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    live_runtime rt({.permits = count});
    semaphore permits(3);
    detail::atomic<int> held{0};
    auto body = [&](std::size_t some) -> task<> {
      for (int i = 0; i != 20; ++i) {
        if (!(co_await permits.acquire(some)).has_value()) co_return;
        struct holder {
          semaphore& of;
          detail::atomic<int>& total;
          int some;
          ~holder() {
            total.fetch_sub(some);
            of.release(static_cast<std::size_t>(some));
          }
        } mine{permits, held, static_cast<int>(some)};
        EXPECT_LE(held.fetch_add(static_cast<int>(some)) + static_cast<int>(some), 3);
        co_await yield();
      }
    };
    for (int round = 0; round != 30; ++round) {
      std::vector<join_handle<void>> handles;
      for (std::size_t i = 0; i != 12; ++i) handles.push_back(rt->spawn(body(1 + i % 3)));
      for (std::size_t i = 0; i < handles.size(); i += 3) handles[i].abort();
      for (auto& each : handles) static_cast<void>(each.wait());
      ASSERT_EQ(permits.available(), 3U);
    }
  }
}

TEST(semaphore, tasks_fibers_and_threads_share_one_line) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    live_runtime rt({.permits = count});
    semaphore permits(1);
    int counter = 0;
    way_runner runner(*rt);
    for (int i = 0; i != 8; ++i) {
      runner.start(
          all_ways[i % 4],
          [&]() -> task<> {
            for (int turn = 0; turn != 200; ++turn) {
              EXPECT_TRUE((co_await permits.acquire()).has_value());
              ++counter;
              permits.release();
            }
          },
          [&] {
            for (int turn = 0; turn != 200; ++turn) {
              EXPECT_TRUE(permits.acquire().wait().has_value());
              ++counter;
              permits.release();
            }
          });
    }
    runner.join();
    EXPECT_EQ(counter, 1600);
  }
}

} // namespace
} // namespace weir::testing
