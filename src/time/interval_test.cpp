// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

#include <weir/time.hpp>

#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::eventually;
using testing::manual_runtime;
using namespace std::chrono_literals;

TEST(interval, policies_say_when_the_tick_after_a_late_one_is_due) { // test 79
  auto after = [](std::chrono::nanoseconds late, missed_tick policy) {
    return detail::tick_after(100ms, 100ms + late, 10ms, policy) - 100ms;
  };
  EXPECT_EQ(after(35ms, missed_tick::burst), 10ms);
  EXPECT_EQ(after(35ms, missed_tick::delay), 45ms);
  EXPECT_EQ(after(35ms, missed_tick::skip), 40ms);
  for (missed_tick policy : {missed_tick::burst, missed_tick::delay, missed_tick::skip}) {
    EXPECT_EQ(after(3ms, policy), 10ms);
    EXPECT_EQ(after(0ms, policy), 10ms);
  }
  EXPECT_EQ(after(40ms, missed_tick::skip), 50ms) << "a tick that is due right now has been missed";
}

TEST(interval, period_of_a_century_does_not_wrap) {
  constexpr auto century = std::chrono::hours(876'000);
  EXPECT_GT(detail::tick_after(century, century, century, missed_tick::burst), century);
  EXPECT_EQ(detail::tick_after(2 * century, 2 * century + 1h, century, missed_tick::delay),
            std::chrono::nanoseconds::max());
}

task<> take_ticks(interval& every, int count, std::vector<std::chrono::nanoseconds>& due) {
  for (int i = 0; i != count; ++i) due.push_back((co_await every.tick()).time_since_epoch());
}

TEST(interval, ticks_come_at_once_and_then_every_period) {
  manual_runtime rt;
  std::vector<std::chrono::nanoseconds> due;
  detail::atomic<std::size_t> taken{0};
  auto ticker = rt->spawn([](std::vector<std::chrono::nanoseconds>& into, detail::atomic<std::size_t>& seen) -> task<> {
    interval every(10ms);
    for (int i = 0; i != 4; ++i) {
      into.push_back((co_await every.tick()).time_since_epoch());
      seen.fetch_add(1);
    }
  }(due, taken));
  for (std::size_t ticks = 1; ticks != 4; ++ticks) {
    ASSERT_TRUE(eventually([&] { return taken.load() == ticks; }));
    rt.advance(10ms + 66us); // deadlines are rounded up to a tick
    ASSERT_TRUE(eventually([&] { return rt.is_settled(); }));
    rt.scan();
  }
  ticker.wait().value();
  std::vector<std::chrono::nanoseconds> expected{1000ms, 1010ms, 1020ms, 1030ms};
  EXPECT_EQ(due, expected);
}

TEST(interval, burst_catches_up_without_waiting) {
  runtime rt({.permits = 1});
  std::vector<std::chrono::nanoseconds> due;
  time_point first = now() - 100ms;
  interval every(first, 10ms);
  rt.block_on(take_ticks(every, 11, due));
  for (std::size_t at = 0; at != due.size(); ++at)
    EXPECT_EQ(due[at], first.time_since_epoch() + static_cast<int>(at) * 10ms);
}

TEST(interval, serves_fibers_and_threads) {
  runtime rt({.permits = 1});
  auto twice = [] {
    interval every(2ms, missed_tick::skip);
    time_point begin = every.tick().wait();
    time_point second = every.tick().wait();
    return now() >= second && second - begin >= 2ms;
  };
  EXPECT_TRUE(rt.spawn_fiber(twice).wait().value());
  EXPECT_TRUE(twice());
}

TEST(interval, reset_begins_a_period_from_now) {
  interval every(1h);
  every.reset();
  EXPECT_GT(every.next(), now() + 59min);
}

} // namespace
} // namespace weir
