// SPDX-License-Identifier: Apache-2.0
// Regions that give their permit away at entry: where calls were long before, and where the caller says so. The monitor
// never scans unless the test says so, so that every other handoff is an early one.
#include "sched/test_support.hpp"

namespace weir::testing {
namespace {

constexpr auto grace = 100us;

task<> add(detail::atomic<int>& to) {
  to.fetch_add(1);
  co_return;
}

const call_site blocking_place;

task<> block_at(const call_site& site, gate& until) {
  blocking(site, [&] { until.wait(); });
  co_return;
}

// Lets a call at `site` lose its permit by age, twice: from then on the place is long.
void teach(manual_runtime& rt, const call_site& site) {
  for (int i = 0; i != 2; ++i) {
    gate end;
    detail::atomic<int> runs{0};
    auto caller = rt->spawn(block_at(site, end));
    ASSERT_TRUE(rt.wait_for_regions(1));
    auto queued = rt->spawn(add(runs));
    rt.advance(grace);
    rt.scan();
    queued.wait().value();
    end.open();
    caller.wait().value();
  }
}

TEST(eager_region, place_is_long_after_two_calls_that_lost_their_permit) { // 3.8
  manual_runtime rt({.permits = 1});
  EXPECT_EQ(rt.core().sites().score(blocking_place), 0u);
  teach(rt, blocking_place);
  EXPECT_TRUE(rt.core().sites().is_long(blocking_place));
  manual_runtime other({.permits = 1});
  EXPECT_EQ(other.core().sites().score(blocking_place), 0u);
}

TEST(eager_region, call_at_a_long_place_gives_its_permit_away_at_entry) { // test 22
  for (std::size_t permits : {1u, 2u}) {
    manual_runtime rt({.permits = permits});
    if (permits == 1) teach(rt, blocking_place);
    std::uint64_t handoffs = rt.snapshot().handoffs;
    gate ran;
    std::vector<join_handle<void>> tasks;
    detail::atomic<int> blocked{0};
    auto parent = [&]() -> task<> {
      auto open = [](gate& of) -> task<> {
        of.open();
        co_return;
      };
      while (blocked.load() + 1 < static_cast<int>(permits)) std::this_thread::yield();
      spawn(open(ran)).detach();
      // Without a handoff the child would run after this call only.
      if (permits == 1) {
        blocking(blocking_place, [&] { ran.wait(); });
      } else {
        blocking(expect_long, [&] { ran.wait(); });
      }
      co_return;
    };
    auto hold = [&]() -> task<> {
      blocked.fetch_add(1);
      ran.wait(); // unmarked
      co_return;
    };
    for (std::size_t i = 1; i < permits; ++i) tasks.push_back(rt->spawn(hold()));
    tasks.push_back(rt->spawn(parent()));
    for (auto& each : tasks) each.wait().value();
    EXPECT_EQ(rt.snapshot().handoffs, handoffs + 1);
  }
}

TEST(eager_region, call_without_demand_keeps_its_permit_until_somebody_publishes) { // 3.8
  gate end;
  manual_runtime rt({.permits = 1});
  auto block = [&]() -> task<> {
    blocking(expect_long, [&] { end.wait(); });
    co_return;
  };
  auto caller = rt->spawn(block());
  ASSERT_TRUE(rt.wait_for_regions(1));
  EXPECT_EQ(rt.snapshot().handoffs, 0u);
  ASSERT_TRUE(eventually([&] { return rt.core().long_calls.size() == 1; })); // is counted after its phase has changed
  detail::atomic<int> runs{0};
  rt->spawn(add(runs)).wait().value();
  EXPECT_EQ(rt.snapshot().handoffs, 1u);
  EXPECT_EQ(rt.core().long_calls.size(), 0u);
  EXPECT_FALSE(caller.is_done());
  end.open();
  caller.wait().value();
}

TEST(eager_region, call_that_is_expected_to_be_short_keeps_its_permit) {
  detail::atomic<int> runs{0}; // older than the runtime: nobody waits for the child
  manual_runtime rt({.permits = 1});
  auto parent = [&]() -> task<int> {
    spawn(add(runs)).detach();
    co_return blocking(expect_short, [&] { return runs.load(); });
  };
  EXPECT_EQ(rt->spawn(parent()).wait().value(), 0);
  EXPECT_EQ(rt.snapshot().handoffs, 0u);
}

TEST(eager_region, place_whose_calls_got_short_is_learned_to_be_short) { // test 23
  manual_runtime rt({.permits = 1});
  for (int i = 0; i != 5; ++i) rt.core().sites().note_detached(blocking_place);
  EXPECT_EQ(rt.core().sites().score(blocking_place), 15u);
  auto cheap = [&]() -> task<int> {
    detail::atomic<int> runs{0};
    int released = 0;
    for (int i = 0; i != 16; ++i) {
      std::uint64_t handoffs = rt.snapshot().handoffs;
      auto child = spawn(add(runs));
      blocking(blocking_place, [] {});
      released += rt.snapshot().handoffs != handoffs ? 1 : 0;
      (co_await std::move(child)).value();
    }
    co_return released;
  };
  EXPECT_EQ(rt->spawn(cheap()).wait().value(), 8);
  EXPECT_LT(rt.core().sites().score(blocking_place), 8u);
}

TEST(eager_region, limit_bounds_the_threads_that_block_at_once) { // test 24
  manual_runtime rt({.permits = 1, .eager_limit = 4});
  std::vector<join_handle<void>> tasks;
  detail::atomic<int> inside{0};
  detail::atomic<int> peak{0};
  auto sleep = [&]() -> task<> {
    blocking(expect_long, [&] {
      int now = inside.fetch_add(1) + 1;
      for (int seen = peak.load(); seen < now && !peak.compare_exchange_weak(seen, now);) {
      }
      block_for(1ms);
      inside.fetch_sub(1);
    });
    co_return;
  };
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i != 128; ++i) tasks.push_back(rt->spawn(sleep()));
  for (auto& each : tasks) each.wait().value();
  EXPECT_GE(std::chrono::steady_clock::now() - start, 30ms);
  EXPECT_LE(peak.load(), 4);
  EXPECT_LE(rt.snapshot().spawned_threads, 6u);
}

TEST(eager_region, every_call_of_a_burst_blocks_beside_the_others) { // 3.8
  constexpr int calls = 64;
  for (std::size_t permits : {1u, 2u}) {
    manual_runtime rt({.permits = permits});
    std::vector<join_handle<void>> tasks;
    gate all;
    detail::atomic<int> inside{0};
    auto meet = [&]() -> task<> {
      blocking(expect_long, [&] {
        if (inside.fetch_add(1) + 1 == calls) all.open();
        all.wait(); // opens when all of them are here at once
      });
      co_return;
    };
    for (int i = 0; i != calls; ++i) tasks.push_back(rt->spawn(meet()));
    ASSERT_TRUE(eventually([&] {
      rt.scan(); // a thread that is missing is the monitor's to make; no call gets as old as the grace
      return inside.load() == calls;
    }));
    for (auto& each : tasks) each.wait().value();
    EXPECT_LE(rt.snapshot().spawned_threads, calls + permits + 9);
    // A worker that tried to take one of the calls may still be about to count that.
    EXPECT_TRUE(eventually([&] { return rt.core().long_calls.size() == 0 && rt.snapshot().detached == 0; }));
  }
}

TEST(eager_region, close_leaves_no_thread_of_a_burst) { // test 75
  for (int round = 0; round != 20; ++round) {
    manual_runtime rt({.permits = 1});
    std::vector<join_handle<void>> tasks;
    detail::atomic<int> inside{0};
    gate end;
    auto block = [&]() -> task<> {
      blocking(expect_long, [&] {
        inside.fetch_add(1);
        end.wait();
      });
      co_await yield();
    };
    for (int i = 0; i != 16; ++i) tasks.push_back(rt->spawn(block()));
    ASSERT_TRUE(eventually([&] {
      rt.scan();
      return inside.load() > round / 2;
    }));
    EXPECT_FALSE(rt->shutdown_for(0ns));
    end.open();
    EXPECT_TRUE(rt->shutdown_for(60s));
    EXPECT_EQ(rt.snapshot().threads, 0u);
    EXPECT_EQ(rt.snapshot().tasks, 0u);
  }
}

TEST(eager_region, block_on_on_a_worker_is_a_long_call_without_a_limit) { // 3.8, L6
  manual_runtime rt({.permits = 1, .eager_limit = 1});
  struct levels {
    static task<int> descend(int depth) {
      if (depth == 0) co_return 0;
      auto child = [](int below) -> task<int> { co_return (co_await spawn(descend(below))).value(); };
      co_return 1 + block_on(child(depth - 1));
    }
  };
  EXPECT_EQ(rt->spawn(levels::descend(64)).wait().value(), 64); // the monitor never scans
}

} // namespace
} // namespace weir::testing
