// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

#include <weir/current.hpp>

namespace weir::testing {
namespace {

TEST(hooks, each_thread_starts_parks_and_stops_with_its_hooks) { // test 65, C45
  for (std::size_t permits : {1u, 2u, 0u}) {
    detail::atomic<std::size_t> starts{0};
    detail::atomic<std::size_t> parks{0};
    detail::atomic<std::size_t> unparks{0};
    detail::atomic<std::size_t> stops{0};
    detail::atomic<bool> has_wrong_context{false};
    auto read_counts = [&](bool expects_context, detail::atomic<std::size_t>& count) {
      auto here = try_current();
      if (here.has_value() != expects_context) has_wrong_context.store(true);
      if (here.has_value() && here->snapshot().permits == 0) has_wrong_context.store(true);
      count.fetch_add(1);
    };
    manual_setup setup{.permits = permits};
    setup.also = [&](runtime_options& options) {
      options.hooks.start = [&] { read_counts(true, starts); };
      options.hooks.park = [&] { read_counts(true, parks); };
      options.hooks.unpark = [&] { read_counts(true, unparks); };
      options.hooks.stop = [&] { read_counts(false, stops); };
    };
    manual_runtime rt(setup);
    std::size_t threads = rt.snapshot().permits + 1;
    ASSERT_TRUE(eventually([&] { return parks.load() >= threads; }));
    rt->shutdown();
    EXPECT_EQ(starts.load(), threads);
    EXPECT_EQ(stops.load(), threads);
    EXPECT_EQ(parks.load(), unparks.load());
    EXPECT_FALSE(has_wrong_context.load());
  }
}

TEST(hooks, work_that_a_park_hook_spawns_runs) { // C45: the park is followed by one more look
  detail::atomic<int> runs{0};
  detail::atomic<bool> has_spawned{false};
  manual_setup setup{.permits = 1};
  auto note = [&]() -> task<> {
    runs.fetch_add(1);
    co_return;
  };
  setup.also = [&](runtime_options& options) {
    options.hooks.park = [&] {
      if (!has_spawned.exchange(true)) spawn(note()).detach();
    };
  };
  manual_runtime rt(setup);
  EXPECT_TRUE(eventually([&] { return runs.load() == 1; }));
}

TEST(hooks, work_that_a_start_hook_spawns_runs) {
  detail::atomic<int> runs{0};
  manual_setup setup{.permits = 2};
  auto note = [&]() -> task<> {
    runs.fetch_add(1);
    co_return;
  };
  setup.also = [&](runtime_options& options) { options.hooks.start = [&] { spawn(note()).detach(); }; };
  manual_runtime rt(setup);
  EXPECT_TRUE(eventually([&] { return runs.load() == 3; }));
}

TEST(hooks, one_that_throws_closes_the_runtime) { // test 66, C46
  for (bool at_start : {true, false}) {
    manual_setup setup{.permits = 1};
    detail::atomic<bool> throws{at_start};
    setup.also = [&](runtime_options& options) {
      auto fail = [&] {
        if (throws.load()) throw std::runtime_error("hook");
      };
      (at_start ? options.hooks.start : options.hooks.park) = fail;
    };
    manual_runtime rt(setup);
    auto forever = []() -> task<> {
      for (;;) co_await yield();
    };
    auto task_of_it = rt->spawn(forever());
    throws.store(true);
    if (!at_start) rt->spawn_blocking([] {}).detach(); // its thread parks afterwards
    EXPECT_TRUE(task_of_it.wait().is_stopped());
    EXPECT_TRUE(rt->shutdown_for(60s));
    EXPECT_GE(rt.snapshot().hook_failures, 1u);
    EXPECT_EQ(rt.snapshot().threads, 0u);
  }
}

} // namespace
} // namespace weir::testing
