// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

#include <weir/spawn.hpp>
#include <weir/time.hpp>

#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::destruction_probe;
using testing::eventually;
using testing::gate;
using testing::manual_runtime;
using namespace std::chrono_literals;

// Waits until `count` tasks sleep and nothing runs.
[[nodiscard]] bool wait_for_sleepers(manual_runtime& rt, detail::atomic<int>& begun, int count) {
  return eventually([&] { return begun.load() == count && rt.is_settled(); });
}

task<> sleep_and_count(std::chrono::nanoseconds span, detail::atomic<int>& begun, detail::atomic<int>& ended) {
  begun.fetch_add(1);
  co_await sleep_for(span);
  ended.fetch_add(1);
}

TEST(sleep, ends_at_its_deadline_and_never_before) {
  for (std::size_t permits : {1u, 2u}) {
    manual_runtime rt({.permits = permits});
    detail::atomic<int> begun{0};
    detail::atomic<int> ended{0};
    auto sleeper = rt->spawn(sleep_and_count(10ms, begun, ended));
    ASSERT_TRUE(wait_for_sleepers(rt, begun, 1));
    rt.advance(10ms - 1ns);
    rt.scan();
    ASSERT_TRUE(eventually([&] { return rt.is_settled(); }));
    EXPECT_EQ(ended.load(), 0);
    rt.advance(66us);
    rt.scan();
    sleeper.wait().value();
    EXPECT_EQ(ended.load(), 1);
  }
}

TEST(sleep, of_zero_or_less_and_until_a_past_instant_does_not_suspend) {
  manual_runtime rt;
  auto all = []() -> task<std::uint64_t> {
    co_await sleep_for(0ms);
    co_await sleep_for(-5s);
    co_await sleep_until(now());
    co_await sleep_until(now() - 1h);
    co_return detail::current_task()->stats.polls;
  };
  EXPECT_EQ(rt->spawn(all()).wait().value(), 1u);
}

TEST(sleep, many_timers_due_together_wake_a_worker_once_a_millisecond) {
  detail::atomic<int> parks{0};
  runtime_options options{.permits = 1};
  options.hooks.park = [&] { parks.fetch_add(1); };
  runtime rt(options);
  auto sleepers = []() -> task<> {
    constexpr int count = 20'000; // in 20 ms: more than twice many_at_once in each tick
    auto first = now() + 400ms;
    std::vector<join_handle<void>> all;
    for (int i = 0; i != count; ++i)
      all.push_back(spawn([](auto until) -> task<> { co_await sleep_until(until); }(first + i * 1us)));
    for (auto& each : all) (co_await each).value();
  };
  rt.spawn(sleepers()).wait().value();
  EXPECT_LT(parks.load(), 150);
  rt.shutdown(); // the hook counts until then
}

TEST(sleep, many_sleepers_end_in_the_order_of_their_deadlines) {
  manual_runtime rt({.permits = 1}); // one after the other
  std::vector<int> order;
  detail::atomic<int> begun{0};
  auto sleeper = [](int number, std::vector<int>& into, detail::atomic<int>& seen) -> task<> {
    seen.fetch_add(1);
    co_await sleep_for(number * 1ms);
    into.push_back(number);
  };
  std::vector<join_handle<void>> all;
  for (int i = 0; i != 100; ++i) all.push_back(rt->spawn(sleeper(1 + i * 37 % 100, order, begun)));
  ASSERT_TRUE(wait_for_sleepers(rt, begun, 100));
  rt.advance(1s);
  rt.scan();
  for (auto& each : all) each.wait().value();
  for (int i = 0; i != 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i + 1);
}

TEST(sleep, year_passes_in_simulation) { // peers 25
  manual_runtime rt;
  int days = 0;
  detail::atomic<int> begun{0};
  auto calendar = rt->spawn([](int& passed, detail::atomic<int>& seen) -> task<> {
    for (; passed != 366; ++passed) {
      seen.fetch_add(1);
      co_await sleep_for(24h);
    }
  }(days, begun));
  detail::atomic<int> begun_long{0};
  detail::atomic<int> ended{0};
  auto whole_year = rt->spawn(sleep_and_count(24h * 366, begun_long, ended));
  for (int day = 1; day <= 366; ++day) {
    ASSERT_TRUE(wait_for_sleepers(rt, begun, day));
    ASSERT_TRUE(wait_for_sleepers(rt, begun_long, 1));
    EXPECT_EQ(days, day - 1);
    EXPECT_EQ(ended.load(), 0) << day;
    rt.advance(24h + 66us);
    rt.scan();
  }
  calendar.wait().value();
  whole_year.wait().value();
}

TEST(sleep, abort_ends_it_at_once_and_destroys_its_locals) {
  manual_runtime rt;
  detail::atomic<int> destroyed{0};
  detail::atomic<int> begun{0};
  auto sleeper = rt->spawn([](detail::atomic<int>& count, detail::atomic<int>& seen) -> task<> {
    destruction_probe probe(count);
    seen.fetch_add(1);
    co_await sleep_for(1h);
  }(destroyed, begun));
  ASSERT_TRUE(wait_for_sleepers(rt, begun, 1));
  sleeper.abort();
  EXPECT_TRUE(sleeper.wait().is_stopped());
  EXPECT_EQ(destroyed.load(), 1);
  rt.advance(2h);
  rt.scan(); // the cell is still in the wheel; nobody is woken
}

TEST(sleep, wake_for_another_reason_does_not_end_it) {
  manual_runtime rt;
  detail::waker waker;
  detail::atomic<bool> has_waker{false};
  detail::atomic<int> ended{0};
  auto sleeper = rt->spawn([](detail::waker& out, detail::atomic<bool>& is_out, detail::atomic<int>& count) -> task<> {
    out = detail::waker(*detail::current_task());
    is_out.store(true);
    co_await sleep_for(10ms);
    count.fetch_add(1);
  }(waker, has_waker, ended));
  ASSERT_TRUE(eventually([&] { return has_waker.load() && rt.is_settled(); }));
  std::uint64_t polls = rt.snapshot().polls;
  waker.wake();
  ASSERT_TRUE(eventually([&] { return rt.snapshot().polls > polls && rt.is_settled(); }));
  EXPECT_EQ(ended.load(), 0);
  rt.advance(11ms);
  rt.scan();
  sleeper.wait().value();
}

TEST(sleep, fiber_sleeps_and_is_unwound_by_an_abort) {
  manual_runtime rt;
  detail::atomic<int> begun{0};
  detail::atomic<int> destroyed{0};
  auto body = [&] {
    destruction_probe probe(destroyed);
    begun.fetch_add(1);
    sleep_for(10ms).wait();
    return 3;
  };
  auto first = rt->spawn_fiber(body);
  auto second = rt->spawn_fiber(body);
  ASSERT_TRUE(wait_for_sleepers(rt, begun, 2));
  second.abort();
  EXPECT_TRUE(second.wait().is_stopped());
  EXPECT_EQ(destroyed.load(), 1);
  rt.advance(11ms);
  rt.scan();
  EXPECT_EQ(first.wait().value(), 3);
}

TEST(sleep, thread_outside_a_runtime_sleeps_by_the_steady_clock) {
  time_point begin = now();
  sleep_for(3ms).wait();
  EXPECT_GE(now() - begin, 3ms);
  sleep_until(begin).wait();
}

TEST(sleep, root_of_a_thread_from_outside_sleeps) {
  runtime rt({.permits = 1});
  auto body = []() -> task<std::chrono::nanoseconds> {
    time_point begin = now();
    co_await sleep_for(3ms);
    co_return now() - begin;
  };
  EXPECT_GE(rt.block_on(body()), 3ms);
}

TEST(sleep, nested_block_on_sleeps_on_one_permit) {
  runtime rt({.permits = 1});
  auto outer = []() -> task<int> {
    co_return block_on([]() -> task<int> {
      co_await sleep_for(2ms);
      co_return 4;
    }());
  };
  EXPECT_EQ(rt.spawn(outer()).wait().value(), 4);
}

TEST(sleep, timers_of_a_permit_in_a_region_fire) {
  gate opens;
  manual_runtime rt({.permits = 1});
  detail::atomic<int> begun{0};
  detail::atomic<int> ended{0};
  auto sleeper = rt->spawn(sleep_and_count(10ms, begun, ended));
  ASSERT_TRUE(wait_for_sleepers(rt, begun, 1));
  auto blocked = rt->spawn([](gate& until) -> task<> {
    blocking([&] { until.wait(); });
    co_return;
  }(opens));
  ASSERT_TRUE(rt.wait_for_regions(1));
  rt.advance(11ms);
  rt.scan(); // fires the timer, and sees demand beside a region that is older than the grace
  sleeper.wait().value();
  opens.open();
  blocked.wait().value();
}

TEST(sleep, idle_worker_fires_timers_of_other_permits) {
  gate opens;
  runtime rt({.permits = 2});
  detail::atomic<int> begun{0};
  detail::atomic<int> ended{0};
  std::vector<join_handle<void>> sleepers;
  for (int i = 0; i != 64; ++i) sleepers.push_back(rt.spawn(sleep_and_count(20ms, begun, ended)));
  auto hog = rt.spawn([](gate& until) -> task<> {
    until.wait(); // unmarked: holds its permit
    co_return;
  }(opens));
  for (auto& each : sleepers) each.wait().value();
  opens.open();
  hog.wait().value();
}

TEST(sleep, poll_that_never_ends_delays_no_timer_of_its_permit) { // complaint 2
  gate opens;
  runtime rt({.permits = 2});
  detail::atomic<int> ended{0};
  auto parent = rt.spawn([](gate& until, detail::atomic<int>& count) -> task<> {
    detail::atomic<int> begun{0};
    auto child = spawn(sleep_and_count(5ms, begun, count));
    while (begun.load() == 0) co_await yield();
    until.wait(); // the child's timer is most likely in this permit's wheel
    co_await child;
  }(opens, ended));
  EXPECT_TRUE(eventually([&] { return ended.load() == 1; }));
  opens.open();
  parent.wait().value();
}

TEST(sleep, close_ends_sleepers_at_once) { // peers 14
  runtime rt({.permits = 2});
  detail::atomic<int> begun{0};
  detail::atomic<int> ended{0};
  std::vector<join_handle<void>> sleepers;
  for (int i = 0; i != 10'000; ++i) sleepers.push_back(rt.spawn(sleep_and_count(1h, begun, ended)));
  ASSERT_TRUE(eventually([&] { return begun.load() == 10'000; }));
  EXPECT_TRUE(rt.shutdown_for(60s));
  EXPECT_EQ(rt.snapshot().tasks, 0u);
  EXPECT_EQ(ended.load(), 0);
  for (auto& each : sleepers) EXPECT_TRUE(each.wait().is_stopped());
}

} // namespace
} // namespace weir
