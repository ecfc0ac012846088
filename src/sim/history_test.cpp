// SPDX-License-Identifier: Apache-2.0
#include <weir/sim/run.hpp>

#include <weir/detail/atomic.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>

namespace weir::sim {
namespace {

using ::testing::HasSubstr;

struct shared {
  weir::detail::atomic<int> rounds{0};
  weir::detail::atomic<bool> is_doomed{false};
};

/// Becomes doomed in the middle and fails at the end.
void slow_failure() {
  auto state = std::make_shared<shared>();
  start_thread("worker", [state] {
    for (int round = 0; round != 4000; ++round) {
      if (round == 2000) state->is_doomed.store(true);
      state->rounds.fetch_add(1);
      block_for(std::chrono::nanoseconds(10));
    }
    require(!state->is_doomed.load(), "the worker is not doomed");
  });
}

TEST(history, a_step_of_a_failed_run_is_seen_again_at_once) {
  const outcome ran = run({.seed = 3, .copies = 16}, slow_failure);
  ASSERT_EQ(ran.failure, failure_kind::requirement);
  ASSERT_NE(ran.way, nullptr);
  const std::uint64_t step = ran.steps - 50;
  const std::string state = ran.way->at(step);
  EXPECT_THAT(state, HasSubstr("worker"));
  EXPECT_THAT(state, HasSubstr("step " + std::to_string(step)));
  std::chrono::nanoseconds shortest = std::chrono::hours(1);
  for (int round = 0; round != 5; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(ran.way->at(step), state);
    shortest = std::min<std::chrono::nanoseconds>(shortest, std::chrono::steady_clock::now() - begin);
  }
  EXPECT_LT(shortest, std::chrono::seconds(1));
  EXPECT_EQ(ran.way->at(0), "");
}

TEST(history, copies_are_few_and_closer_to_the_end) {
  const outcome ran = run({.seed = 3, .copies = 8}, slow_failure);
  ASSERT_NE(ran.way, nullptr);
  const auto steps = ran.way->steps();
  ASSERT_GE(steps.size(), 3u);
  EXPECT_LE(steps.size(), 8u);
  EXPECT_LT(steps.back() - steps[steps.size() - 2], steps[1] - steps[0]);
}

TEST(history, the_run_does_not_notice_its_copies) {
  const outcome plain = run({.seed = 3}, slow_failure);
  const outcome kept = run({.seed = 3, .copies = 8}, slow_failure);
  EXPECT_EQ(plain.hash, kept.hash);
  EXPECT_EQ(plain.steps, kept.steps);
}

/// Fails when the first of two threads to come is the wrong one.
void race_in_the_middle() {
  auto state = std::make_shared<shared>();
  const auto count = [state](int rounds) {
    for (int round = 0; round != rounds; ++round) {
      state->rounds.fetch_add(1);
      block_for(std::chrono::nanoseconds(10));
    }
  };
  start_thread("left", [state, count] {
    count(500);
    if (state->rounds.load() < 1000) state->is_doomed.store(true);
    count(500);
    require(!state->is_doomed.load(), "the right one was first");
  });
  start_thread("right", [count] { count(500); });
}

TEST(history, chances_show_where_a_failure_became_inevitable) {
  std::uint64_t seed = 1;
  outcome ran = run({.seed = seed, .copies = 12}, race_in_the_middle);
  while (ran.passed() && seed != 50) ran = run({.seed = ++seed, .copies = 12}, race_in_the_middle);
  ASSERT_EQ(ran.failure, failure_kind::requirement);
  const auto chances = ran.way->chances(8);
  ASSERT_FALSE(chances.empty());
  EXPECT_LT(chances.front().failures, 8u); // another schedule could have gone well
  EXPECT_EQ(chances.back().failures, 8u);  // in the end none
}

} // namespace
} // namespace weir::sim
