// SPDX-License-Identifier: Apache-2.0
#include <weir/sim.hpp>

#include "os/poll.hpp"
#include "os/thread.hpp"

#include <weir/channel.hpp>
#include <weir/checkpoint.hpp>
#include <weir/detail/atomic.hpp>
#include <weir/runtime.hpp>
#include <weir/spawn.hpp>
#include <weir/time.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace weir::sim {
namespace {

using namespace std::chrono_literals;

task<int> add(int a, int b) {
  co_await yield();
  co_return a + b;
}

task<void> sleep_an_hour() {
  const time_point begin = now();
  co_await sleep_for(1h);
  require(now() - begin >= 1h, "a sleep is never early");
  require(now() - begin < 1h + 1s, "and not much too late");
}

TEST(world, a_runtime_runs_tasks_and_ends) {
  for (std::size_t permits = 1; permits <= 4; ++permits) {
    const outcome ran = run({.seed = permits}, [&] {
      runtime pool({.permits = permits});
      require(pool.block_on(add(2, 3)) == 5, "the sum is right");
      auto one = pool.spawn(add(1, 1));
      auto two = pool.spawn(add(2, 2));
      require(one.wait().value() + two.wait().value() == 6, "joined values are right");
      pool.shutdown();
    });
    EXPECT_TRUE(ran.passed()) << ran.report;
    EXPECT_GE(ran.threads, permits + 3);
  }
}

TEST(world, an_hour_of_sleep_is_over_at_once) {
  const auto begin = std::chrono::steady_clock::now();
  const outcome ran = run({.seed = 1}, [] {
    runtime pool({.permits = 2});
    pool.block_on(sleep_an_hour());
    pool.spawn(sleep_an_hour()).wait().value();
  });
  EXPECT_TRUE(ran.passed()) << ran.report;
  EXPECT_GE(ran.time, 2h);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TEST(world, a_day_of_waiting_for_a_descriptor_takes_few_steps) {
  const outcome ran = run({.seed = 1, .limit = 48h}, [] { require(rt::os::poll({}, 24h) == 0u, "nothing is ready"); });
  EXPECT_TRUE(ran.passed()) << ran.report;
  EXPECT_GE(ran.time, 24h);
  EXPECT_LT(ran.time, 25h);
  EXPECT_LT(ran.steps, 10'000u);
}

TEST(world, a_thread_that_spins_is_interrupted_after_the_longest_stretch_whatever_the_seed_draws) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const outcome ran = run({.seed = seed, .grain = granularity::coarse, .longest_stretch = 100}, [] {
      weir::detail::atomic<bool> is_there{false};
      auto other = rt::os::thread::start({.name = "other"}, [&] { is_there.store(true); });
      while (!is_there.load()) continue;
      other.value().join();
    });
    EXPECT_TRUE(ran.passed()) << ran.report;
  }
}

} // namespace
} // namespace weir::sim
