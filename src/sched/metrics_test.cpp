// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

namespace weir::testing {
namespace {

class metrics_of_runtime : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(permits, metrics_of_runtime, tested_permits);

void expect_identities(const metrics& at) {
  EXPECT_EQ(at.spawned, at.tasks + at.finished);
  EXPECT_LE(at.finished, at.polls + at.closures);
  EXPECT_EQ(at.permits, at.active + at.free + at.changing_hands);
  EXPECT_LE(at.in_regions, at.active);
  EXPECT_EQ(at.spawned_threads, at.threads + at.ended_threads);
  EXPECT_LE(at.ended_threads, at.spawned_threads);
}

void expect_not_smaller(const metrics& before, const metrics& after) {
  EXPECT_LE(before.spawned, after.spawned);
  EXPECT_LE(before.finished, after.finished);
  EXPECT_LE(before.polls, after.polls);
  EXPECT_LE(before.closures, after.closures);
  EXPECT_LE(before.spawned_threads, after.spawned_threads);
  EXPECT_LE(before.ended_threads, after.ended_threads);
  EXPECT_LE(before.handoffs, after.handoffs);
  EXPECT_LE(before.steals, after.steals);
}

// Each task of a chain spawns the next one and ends, so one or two of a chain live at any moment.
task<> link_of_chain(detail::atomic<bool>& is_over, detail::atomic<int>& chains) {
  if (is_over.load()) {
    chains.fetch_sub(1);
    co_return;
  }
  spawn(link_of_chain(is_over, chains)).detach();
}

TEST_P(metrics_of_runtime, count_exactly_the_tasks_that_live_at_one_moment) {
  manual_runtime rt({.permits = GetParam()});
  constexpr int chain_count = 4;
  detail::atomic<bool> is_over{false};
  detail::atomic<int> chains{chain_count};
  for (int i = 0; i != chain_count; ++i) rt->spawn(link_of_chain(is_over, chains)).detach();
  metrics before = rt.snapshot();
  for (int i = 0; i != 20'000; ++i) {
    metrics at = rt.snapshot();
    expect_identities(at);
    expect_not_smaller(before, at);
    ASSERT_GE(at.tasks, std::size_t{chain_count});
    ASSERT_LE(at.tasks, std::size_t{2 * chain_count});
    before = at;
    if (i % 64 == 0) std::this_thread::yield();
  }
  EXPECT_TRUE(eventually([&] { return rt.snapshot().finished > std::uint64_t{chain_count}; }));
  is_over.store(true);
  ASSERT_TRUE(eventually([&] { return chains.load() == 0 && rt.snapshot().tasks == 0; }));
}

TEST_P(metrics_of_runtime, satisfy_every_identity_in_each_snapshot_under_load) {
  runtime rt({.permits = GetParam(), .max_threads = 40, .grace = 20us, .keep_alive = 1ms});
  detail::atomic<bool> is_over{false};
  auto short_lived = []() -> task<> { co_await yield(); };
  auto mixed = [&]() -> task<> {
    while (!is_over.load()) {
      for (int i = 0; i != 20; ++i) static_cast<void>(spawn(short_lived()));
      auto inside = blocking([&] {
        block_for(50us);
        return spawn(short_lived()); // through the injector
      });
      auto closure = spawn_blocking([] { return 1; });
      inside.abort();
      static_cast<void>(co_await inside);
      EXPECT_EQ((co_await closure).value(), 1);
    }
  };
  std::vector<join_handle<void>> tasks;
  for (int i = 0; i != 4; ++i) tasks.push_back(rt.spawn(mixed()));
  std::thread outside([&] {
    while (!is_over.load()) static_cast<void>(rt.spawn(short_lived()).wait());
  });
  metrics before = rt.snapshot();
  EXPECT_TRUE(eventually([&] {
    metrics at = rt.snapshot();
    expect_identities(at);
    expect_not_smaller(before, at);
    before = at;
    return HasFailure() || (at.finished >= 10'000 && at.handoffs >= 20 && at.ended_threads >= 1);
  }));
  is_over.store(true);
  outside.join();
  for (auto& each : tasks) each.wait().value();
  rt.shutdown();
  metrics last = rt.snapshot();
  expect_identities(last);
  EXPECT_EQ(last.tasks, 0u);
  EXPECT_EQ(last.threads, 0u);
  EXPECT_EQ(last.active, 0u);
}

TEST_P(metrics_of_runtime, include_what_the_caller_has_seen_to_happen) {
  runtime rt({.permits = GetParam()});
  auto nothing = []() -> task<> { co_return; };
  for (std::uint64_t done = 1; done != 2'000; ++done) {
    rt.spawn(nothing()).wait().value();
    metrics at = rt.snapshot();
    ASSERT_EQ(at.spawned, done);
    ASSERT_EQ(at.finished, done);
    ASSERT_EQ(at.tasks, 0u);
  }
}

} // namespace
} // namespace weir::testing
