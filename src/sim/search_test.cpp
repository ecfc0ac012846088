// SPDX-License-Identifier: Apache-2.0
#include <weir/sim.hpp>

#include <weir/check.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace weir::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// Two threads add without a lock around it; `other` may come between reading and writing.
void racy_counter() {
  struct shared {
    weir::detail::atomic<int> count{0};
    weir::detail::atomic<int> done{0};
  };
  auto state = std::make_shared<shared>();
  for (int thread = 0; thread != 2; ++thread) {
    start_thread("adder", [state] {
      for (int i = 0; i != 3; ++i) state->count.store(state->count.load() + 1);
      if (state->done.fetch_add(1) == 1) require(state->count.load() == 6, "no addition is lost");
    });
  }
}

TEST(search, finds_a_seed_that_fails_and_the_seed_fails_again) {
  const search_result found = search({.base = {.grain = granularity::fine}, .seeds = 500}, racy_counter);
  ASSERT_TRUE(found.failing_seed.has_value());
  EXPECT_EQ(found.failing.failure, failure_kind::requirement);
  EXPECT_THAT(found.report(), HasSubstr("no addition is lost"));
  EXPECT_THAT(found.report(), HasSubstr("seed " + std::to_string(*found.failing_seed)));
  const outcome again = run({.seed = *found.failing_seed, .grain = granularity::fine}, racy_counter);
  EXPECT_EQ(again.failure, failure_kind::requirement);
  EXPECT_EQ(again.hash, found.failing.hash);
  EXPECT_EQ(again.steps, found.failing.steps);
}

TEST(search, a_crash_is_a_result_that_names_the_seed) {
  const search_result found = search({.seeds = 10, .twice_one_in = 0}, [] {
    if (seed() == 4) std::abort();
  });
  ASSERT_TRUE(found.failing_seed.has_value());
  EXPECT_EQ(*found.failing_seed, 4u);
  EXPECT_EQ(found.failing.failure, failure_kind::crash);
}

TEST(search, a_goal_that_no_run_reaches_fails_it) {
  const search_result found = search({.seeds = 20}, [] {
    sometimes("a seed is even", seed() % 2 == 0);
    sometimes("a seed is over a thousand", seed() > 1000);
  });
  EXPECT_FALSE(found.failing_seed.has_value());
  EXPECT_FALSE(found.passed());
  EXPECT_THAT(found.never_reached, ::testing::ElementsAre("a seed is over a thousand"));
}

TEST(search, a_body_that_depends_on_more_than_the_seed_is_reported) {
  int calls = 0;
  const search_result found = search_here({.seeds = 3, .twice_one_in = 1}, [&] {
    note(7);
    note(static_cast<std::uint64_t>(++calls));
  });
  ASSERT_TRUE(found.failing_seed.has_value());
  EXPECT_EQ(found.failing.failure, failure_kind::nondeterminism);
  EXPECT_EQ(*found.failing_seed, 1u);
}

TEST(search, a_run_that_is_shorter_the_second_time_is_reported) {
  int calls = 0;
  const outcome ran = run_twice({.seed = 1}, [&] {
    note(7);
    if (calls++ == 0) note(8);
  });
  EXPECT_EQ(ran.failure, failure_kind::nondeterminism);
}

} // namespace
} // namespace weir::sim
