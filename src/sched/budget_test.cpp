// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

#include <weir/budget.hpp>

#include <stdexcept>

#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::eventually;

std::uint64_t polls_so_far() { return detail::current_task()->stats.polls; }

task<> spend(int steps) {
  for (int i = 0; i != steps; ++i) co_await consume_budget();
}

TEST(budget, poll_has_128_steps_and_the_next_one_suspends) { // test 76, C26
  static_assert(steps_per_poll == 128);
  runtime rt({.permits = 1});
  auto body = []() -> task<bool> {
    std::uint64_t first = polls_so_far();
    co_await spend(128);
    bool is_same_poll = polls_so_far() == first && remaining_budget() == 0;
    co_await consume_budget();
    co_return is_same_poll&& polls_so_far() == first + 1 && remaining_budget() == 128;
  };
  EXPECT_TRUE(rt.spawn(body()).wait().value());
  EXPECT_TRUE(rt.block_on(body()));
}

TEST(budget, branches_of_a_task_share_the_steps) {
  runtime rt({.permits = 1});
  auto body = []() -> task<bool> {
    co_await spend(100);
    co_await spend(28);
    std::uint64_t before = polls_so_far();
    co_await spend(1);
    co_return polls_so_far() == before + 1;
  };
  EXPECT_TRUE(rt.spawn(body()).wait().value());
}

TEST(budget, nested_poll_has_steps_of_its_own) {
  runtime rt({.permits = 1});
  auto body = []() -> task<bool> {
    co_await spend(100);
    std::uint32_t inside = block_on([]() -> task<std::uint32_t> {
      co_await spend(3);
      co_return remaining_budget();
    }());
    co_return inside == 125 && remaining_budget() == 28;
  };
  EXPECT_TRUE(rt.spawn(body()).wait().value());
}

TEST(budget, steps_are_restored_when_a_nested_poll_throws) {
  runtime rt({.permits = 1});
  auto body = []() -> task<std::uint32_t> {
    co_await spend(7);
    try {
      block_on([]() -> task<> {
        co_await spend(90);
        throw std::runtime_error("inner");
      }());
    } catch (const std::runtime_error&) {
      co_return remaining_budget();
    }
    co_return 0u;
  };
  EXPECT_EQ(rt.spawn(body()).wait().value(), 121u);
}

TEST(budget, outside_a_task_it_does_nothing) {
  for (int i = 0; i != 1000; ++i) ASSERT_TRUE(consume_budget().await_ready());
  for (int i = 0; i != 1000; ++i) this_fiber::consume_budget();
  EXPECT_EQ(remaining_budget(), 128u);
}

TEST(budget, fiber_gives_way_at_the_129th_step) {
  runtime rt({.permits = 1});
  auto polls = rt.spawn_fiber([] {
    std::uint64_t first = polls_so_far();
    for (int i = 0; i != 128; ++i) this_fiber::consume_budget();
    std::uint64_t before = polls_so_far() - first;
    this_fiber::consume_budget();
    return before * 10 + (polls_so_far() - first);
  });
  EXPECT_EQ(polls.wait().value(), 1u);
}

TEST(budget, loop_that_never_waits_is_stopped_by_its_sibling_on_one_permit) { // test 77
  runtime rt({.permits = 1});
  detail::atomic<int> turns{0};
  auto parent = rt.spawn([](detail::atomic<int>& count) -> task<bool> {
    auto loop = spawn([](detail::atomic<int>& seen) -> task<> {
      for (;;) {
        seen.fetch_add(1);
        co_await consume_budget();
      }
    }(count));
    auto sibling = spawn([](abort_handle of) -> task<> {
      of.abort();
      co_return;
    }(loop.get_abort_handle()));
    static_cast<void>(co_await sibling);
    co_return (co_await loop).is_stopped();
  }(turns));
  EXPECT_TRUE(parent.wait().value());
  EXPECT_GE(turns.load(), 129);
}

} // namespace
} // namespace weir
