// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

#include <weir/timeout.hpp>

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::destruction_probe;
using testing::eventually;
using testing::manual_runtime;
using namespace std::chrono_literals;

task<int> value_after(std::chrono::nanoseconds span, int value) {
  co_await sleep_for(span);
  co_return value;
}

TEST(timeout, of_zero_around_a_poll_that_blocks_gives_the_value) { // test 78, C27
  runtime rt({.permits = 1});
  auto blocks = []() -> task<int> {
    blocking([] { std::this_thread::sleep_for(2ms); });
    co_return 42;
  };
  EXPECT_EQ(rt.block_on(with_timeout(0ms, blocks())), 42);
  EXPECT_EQ(rt.spawn(with_timeout(0ms, blocks())).wait().value(), 42);
}

TEST(timeout, of_zero_ends_a_body_that_suspends) {
  runtime rt({.permits = 1});
  auto outcome = rt.block_on(with_timeout(0ms, value_after(1h, 1)));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error(), errc::timed_out);
}

TEST(timeout, body_in_time_gives_its_value_and_leaves_no_timer) {
  manual_runtime rt;
  auto waits = rt->spawn(with_timeout(1h, value_after(10ms, 7)));
  ASSERT_TRUE(eventually([&] { return !rt.core().timers().next().is_never() && rt.is_settled(); }));
  rt.advance(11ms);
  rt.scan();
  EXPECT_EQ(waits.wait().value(), 7);
}

task<int> hold_probe(detail::atomic<int>& destroyed) {
  destruction_probe probe(destroyed);
  co_await sleep_for(1h);
  co_return 1;
}

task<bool> is_destroyed_when_it_returns(detail::atomic<int>& destroyed) {
  auto outcome = co_await with_timeout(5ms, hold_probe(destroyed));
  co_return !outcome && destroyed.load() == 1;
}

TEST(timeout, body_is_destroyed_before_the_timeout_is_reported) {
  runtime rt({.permits = 1});
  detail::atomic<int> destroyed{0};
  EXPECT_TRUE(rt.spawn(is_destroyed_when_it_returns(destroyed)).wait().value());
  EXPECT_EQ(destroyed.load(), 1);
}

TEST(timeout, exception_of_the_body_is_rethrown) {
  runtime rt({.permits = 1});
  auto fails = []() -> task<int> {
    co_await sleep_for(1ms);
    throw std::runtime_error("inner");
  };
  EXPECT_THROW(rt.block_on(with_timeout(1h, fails())), std::runtime_error);
  EXPECT_THROW(rt.spawn(with_timeout(1h, fails())).wait().value(), std::runtime_error);
}

TEST(timeout, inner_and_outer_deadlines_each_end_their_own_body) {
  runtime rt({.permits = 1});
  auto inner_first = rt.block_on(with_timeout(1h, with_timeout(2ms, value_after(1h, 1))));
  ASSERT_TRUE(inner_first);
  EXPECT_FALSE(*inner_first);
  EXPECT_FALSE(rt.block_on(with_timeout(2ms, with_timeout(1h, value_after(1h, 1)))));
  EXPECT_EQ(rt.block_on(with_timeout(1h, with_timeout(1h, value_after(1ms, 3)))).value(), 3);
}

task<int> yield_for_ever() {
  for (;;) co_await yield();
}

TEST(timeout, body_that_only_yields_is_ended) {
  runtime rt({.permits = 1});
  EXPECT_FALSE(rt.block_on(with_timeout(2ms, yield_for_ever())));
  EXPECT_FALSE(rt.spawn(with_timeout(2ms, yield_for_ever())).wait().value());
}

TEST(timeout, body_may_join_tasks_and_a_stopped_wait_leaves_them_running) {
  runtime rt({.permits = 1});
  auto joins = [](task<int> other) -> task<int> { co_return (co_await spawn(std::move(other))).value(); };
  EXPECT_EQ(rt.block_on(with_timeout(1h, joins(value_after(1ms, 5)))).value(), 5);
  detail::atomic<bool> may_end{false};
  detail::atomic<bool> has_ended{false};
  auto lasts = [](detail::atomic<bool>& until, detail::atomic<bool>& ended) -> task<int> {
    while (!until.load()) co_await sleep_for(1ms);
    ended.store(true);
    co_return 5;
  };
  EXPECT_FALSE(rt.block_on(with_timeout(1ms, joins(lasts(may_end, has_ended)))));
  EXPECT_FALSE(has_ended.load());
  may_end.store(true);
  EXPECT_TRUE(eventually([&] { return has_ended.load(); }));
}

TEST(timeout, abort_of_the_task_stops_the_body_too) {
  manual_runtime rt;
  detail::atomic<int> destroyed{0};
  auto waits = rt->spawn(with_timeout(1h, hold_probe(destroyed)));
  ASSERT_TRUE(eventually([&] { return !rt.core().timers().next().is_never() && rt.is_settled(); }));
  waits.abort();
  EXPECT_TRUE(waits.wait().is_stopped());
  EXPECT_EQ(destroyed.load(), 1);
}

TEST(timeout, deadline_that_has_passed_still_polls_the_body_once) {
  runtime rt({.permits = 1});
  auto at_once = []() -> task<std::string> { co_return "value"; };
  EXPECT_EQ(rt.block_on(with_deadline(now() - 1h, at_once())).value(), "value");
}

} // namespace
} // namespace weir
