// SPDX-License-Identifier: Apache-2.0
// What the monitor does beside handoffs: ends spare threads, reports slow polls, and sleeps.
#include "sched/test_support.hpp"

#include <algorithm>

namespace weir::testing {
namespace {

TEST(monitor, spare_threads_end_after_their_keep_alive_but_one) { // test 26
  for (std::size_t permits : {1u, 2u}) {
    manual_runtime rt({.permits = permits});
    for (int round = 0; round != 3; ++round) {
      gate end;
      std::vector<join_handle<void>> all;
      detail::atomic<int> inside{0};
      for (int i = 0; i != 8; ++i) {
        all.push_back(rt->spawn_blocking([&] {
          inside.fetch_add(1);
          end.wait();
        }));
      }
      ASSERT_TRUE(eventually([&] { return inside.load() == 8; }));
      EXPECT_GE(rt.snapshot().threads, 8u);
      end.open();
      for (auto& each : all) each.wait().value();
      std::size_t expected = rt.snapshot().threads;
      ASSERT_TRUE(eventually([&] { return rt.core().threads().spare() == expected - permits; }));
      ASSERT_TRUE(eventually([&] { // hot threads grow cold, which makes their time start anew
        rt.advance(10s);
        rt.scan();
        return rt.snapshot().threads == permits + 1;
      }));
      rt.advance(10s);
      rt.scan();
      EXPECT_EQ(rt.snapshot().threads, permits + 1);
    }
    EXPECT_EQ(rt->spawn_blocking([] { return 42; }).wait().value(), 42);
  }
}

TEST(monitor, spare_thread_keeps_its_keep_alive) {
  manual_runtime rt({.permits = 1});
  gate end;
  std::vector<join_handle<void>> all;
  for (int i = 0; i != 2; ++i) all.push_back(rt->spawn_blocking([&] { end.wait(); }));
  ASSERT_TRUE(eventually([&] { return rt.snapshot().queued_closures == 0; }));
  end.open();
  for (auto& each : all) each.wait().value();
  ASSERT_TRUE(eventually([&] { return rt.core().threads().spare() == 2; }));
  rt.advance(10s - 1ns);
  rt.scan();
  EXPECT_EQ(rt.snapshot().threads, 3u);
}

TEST(monitor, slow_poll_is_reported_once_with_name_and_site) { // 3.8
  std::vector<slow_poll> reports;
  manual_setup setup{.permits = 1};
  setup.also = [&](runtime_options& options) {
    options.on_slow_poll = [&](const slow_poll& report) { reports.push_back(report); };
  };
  gate begun;
  gate end;
  manual_runtime rt(setup);
  auto body = [&]() -> task<> {
    begun.open();
    end.wait(); // unmarked
    co_return;
  };
  auto slow = rt->spawn(body(), {.name = "sluggish"});
  unsigned line = __LINE__ - 1;
  begun.wait();
  rt.scan();
  rt.advance(10ms - 1ns);
  rt.scan();
  EXPECT_TRUE(reports.empty());
  rt.advance(1ns);
  rt.scan();
  rt.advance(10ms);
  rt.scan();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].task_name, "sluggish");
  EXPECT_EQ(reports[0].spawned_at.line(), line);
  EXPECT_EQ(reports[0].age, 10ms);
  EXPECT_EQ(rt.snapshot().slow_polls, 1u);
  end.open();
  slow.wait().value();
}

TEST(monitor, blocking_region_is_no_slow_poll) {
  gate end;
  manual_runtime rt({.permits = 1});
  auto body = [&]() -> task<> {
    blocking([&] { end.wait(); });
    co_return;
  };
  auto caller = rt->spawn(body());
  ASSERT_TRUE(rt.wait_for_regions(1));
  rt.scan();
  rt.advance(1s);
  rt.scan();
  EXPECT_EQ(rt.snapshot().slow_polls, 0u);
  end.open();
  caller.wait().value();
}

TEST(monitor, idle_runtime_uses_no_processor) { // test 44, a second in the place of an hour
  for (std::size_t permits : {1u, 2u}) {
    runtime rt({.permits = permits});
    auto body = []() -> task<> { co_return; };
    rt.spawn(body()).wait().value();
    ASSERT_TRUE(eventually([&] { return rt.core().watch().is_asleep(); }));
    // A thread may still be on its way to its sleep, and threads of other tests' runtimes to their end: the quietest of
    // several windows counts.
    std::uint64_t scans = 0;
    std::uint64_t fewest_scans = 1000;
    rt::duration least = 1h;
    for (int window = 0; window != 20 && (least >= 1ms || fewest_scans != 0); ++window) {
      auto before = rt::os::process_cpu_time();
      scans = rt.core().watch().scans();
      block_for(300ms);
      fewest_scans = std::min(fewest_scans, rt.core().watch().scans() - scans);
      least = std::min<rt::duration>(least, rt::os::process_cpu_time() - before);
    }
    EXPECT_EQ(fewest_scans, 0u);
    EXPECT_LT(least, 1ms);
    rt.spawn(body()).wait().value();
    EXPECT_TRUE(eventually([&] { return rt.core().watch().scans() != scans; }));
  }
}

} // namespace
} // namespace weir::testing
