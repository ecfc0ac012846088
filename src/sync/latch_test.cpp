// SPDX-License-Identifier: Apache-2.0
#include <weir/latch.hpp>

#include "sync/test_support.hpp"

#include <memory>

namespace weir::testing {
namespace {

TEST(latch, wait_ends_when_the_count_is_zero_and_not_before) {
  latch three(3);
  three.count_down(2);
  EXPECT_FALSE(three.is_done());
  live_runtime rt;
  detail::atomic<bool> is_over{false};
  auto body = [&]() -> task<> {
    co_await three;
    is_over.store(true);
  };
  auto handle = rt->spawn(body());
  auto other = []() -> task<> { co_await yield(); };
  rt->spawn(other()).wait().value();
  EXPECT_FALSE(is_over.load());
  three.count_down();
  handle.wait().value();
  EXPECT_TRUE(three.is_done());
}

TEST(latch, of_zero_is_done) {
  latch none(0);
  EXPECT_TRUE(none.is_done());
  none.wait();
}

TEST(latch, all_who_arrive_see_what_the_others_did_before) {
  for (std::size_t permits : {std::size_t{1}, std::size_t{2}}) {
    live_runtime rt({.permits = permits});
    for (int round = 0; round != 50; ++round) {
      constexpr int parties = 8;
      latch all(parties);
      int written[parties] = {};
      way_runner runner(*rt);
      for (int i = 0; i != parties; ++i) {
        runner.start(
            all_ways[i % 4],
            [&, i]() -> task<> {
              written[i] = 1;
              co_await all.arrive_and_wait();
              for (int each : written) EXPECT_EQ(each, 1);
            },
            [&, i] {
              written[i] = 1;
              all.arrive_and_wait().wait();
              for (int each : written) EXPECT_EQ(each, 1);
            });
      }
      runner.join();
    }
  }
}

TEST(latch, may_be_destroyed_by_the_waiter_as_soon_as_its_wait_has_ended) { // peers.md 12
  live_runtime rt({.permits = 2});
  for (int round = 0; round != 500; ++round) {
    auto one = std::make_unique<latch>(2);
    latch* at = one.get();
    auto body = [&]() -> task<> {
      co_await *one;
      one.reset();
    };
    auto handle = rt->spawn(body());
    std::thread other([at] { at->count_down(); });
    at->count_down();
    other.join();
    handle.wait().value();
  }
}

} // namespace
} // namespace weir::testing
