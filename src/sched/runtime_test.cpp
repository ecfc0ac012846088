// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

namespace weir::testing {
namespace {

task<int> answer() { co_return 42; }

task<> add(detail::atomic<int>& to) {
  to.fetch_add(1);
  co_return;
}

TEST(runtime, refuses_impossible_options_and_leaves_no_thread) { // test 1, C2
  for (runtime_options bad :
       {runtime_options{.permits = 2, .max_threads = 2}, runtime_options{.permits = 1, .grace = 0ns},
        runtime_options{.permits = 1, .slice = 0ns}, runtime_options{.permits = 2000}}) {
    auto built = runtime::build(bad);
    ASSERT_FALSE(built.has_value());
    EXPECT_EQ(built.error(), errc::invalid_config);
    EXPECT_NE(built.error().message().find("max_threads"), std::string::npos);
    EXPECT_THROW(runtime{bad}, std::system_error);
  }
}

TEST(runtime, starts_one_worker_more_than_permits_and_is_idle) { // test 2, C3
  manual_runtime rt({.permits = 4});
  metrics fresh = rt.snapshot();
  EXPECT_EQ(fresh.permits, 4u);
  EXPECT_EQ(fresh.threads, 5u);
  EXPECT_EQ(fresh.spawned_threads, 5u);
  EXPECT_EQ(fresh.active, 0u);
  EXPECT_EQ(fresh.handoffs, 0u);
  EXPECT_EQ(fresh.polls, 0u);
}

TEST(runtime, closes_what_it_started_when_a_thread_fails) { // C3
  int started = 0;
  rt::core_config config;
  config.options.permits = 4;
  config.make_thread = [&](rt::os::thread_options options, void (*function)(void*),
                           void* argument) -> std::expected<rt::os::thread, std::error_code> {
    if (++started == 4) return std::unexpected(std::make_error_code(std::errc::resource_unavailable_try_again));
    return rt::os::thread::start_raw(std::move(options), function, argument);
  };
  auto built = rt::runtime_core::build(std::move(config));
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error(), errc::thread_creation_failed);
}

TEST(runtime, spawned_task_gives_its_value_to_a_thread_that_waits) {
  runtime rt({.permits = 2});
  EXPECT_EQ(rt.spawn(answer()).wait().value(), 42);
}

TEST(runtime, counts_of_two_runtimes_are_independent) { // test 4
  manual_runtime one({.permits = 1});
  manual_runtime other({.permits = 2});
  EXPECT_EQ(one->spawn(answer()).wait().value(), 42);
  EXPECT_GE(one.snapshot().polls, 1u);
  EXPECT_EQ(other.snapshot().polls, 0u);
  EXPECT_EQ(other.snapshot().threads, 3u);
}

struct width {
  detail::atomic<int> now{0};
  detail::atomic<int> peak{0};
  void enter() {
    int inside = now.fetch_add(1) + 1;
    int seen = peak.load();
    while (seen < inside && !peak.compare_exchange_weak(seen, inside)) {
    }
  }
  void leave() { now.fetch_sub(1); }
};

task<> poll_often(width& of, int polls) {
  for (int i = 0; i < polls || of.peak.load() < 2; ++i) {
    of.enter();
    std::this_thread::yield();
    of.leave();
    co_await yield();
  }
}

TEST(runtime, never_polls_more_tasks_at_once_than_it_has_permits) { // test 5, C1
  manual_runtime rt({.permits = 2});
  width both;
  std::vector<join_handle<void>> tasks;
  for (int i = 0; i != 24; ++i) tasks.push_back(rt->spawn(poll_often(both, 100)));
  for (auto& each : tasks) EXPECT_TRUE(each.wait().has_value());
  EXPECT_EQ(both.peak.load(), 2);
  EXPECT_EQ(rt.snapshot().handoffs, 0u);
}

task<> log_rounds(std::string& log, char name, int rounds) {
  for (int i = 0; i != rounds; ++i) {
    log.push_back(name);
    co_await yield();
  }
}

task<> rotate(std::string& log) {
  auto a = spawn(log_rounds(log, 'A', 100));
  auto b = spawn(log_rounds(log, 'B', 100));
  auto c = spawn(log_rounds(log, 'C', 100));
  (co_await a).value();
  (co_await b).value();
  (co_await c).value();
}

TEST(runtime, one_permit_polls_yielding_tasks_in_strict_rotation) { // test 7, C23
  manual_runtime rt({.permits = 1});
  std::string log;
  rt->spawn(rotate(log)).wait().value();
  std::string expected;
  for (int i = 0; i != 100; ++i) expected += "ABC";
  EXPECT_EQ(log, expected);
}

TEST(runtime, full_queue_runs_every_task_once) { // test 34, I13
  for (std::size_t permits : {1u, 2u}) {
    manual_runtime rt({.permits = permits});
    detail::atomic<int> runs{0};
    auto fan_out = [](detail::atomic<int>& count) -> task<> {
      std::vector<join_handle<void>> children;
      for (int i = 0; i != 300; ++i) children.push_back(spawn(add(count)));
      for (auto& each : children) (co_await each).value();
    };
    rt->spawn(fan_out(runs)).wait().value();
    EXPECT_EQ(runs.load(), 300);
    EXPECT_EQ(rt.snapshot().tasks, 0u);
    EXPECT_EQ(rt.snapshot().queued, 0u);
  }
}

TEST(runtime, one_permit_runs_overflowing_spawns_in_order) { // C23
  manual_runtime rt({.permits = 1});
  std::vector<int> order;
  auto push = [](std::vector<int>& to, int value) -> task<> {
    to.push_back(value);
    co_return;
  };
  auto fan_out = [&](std::vector<int>& to) -> task<> {
    std::vector<join_handle<void>> children;
    for (int i = 0; i != 1000; ++i) children.push_back(spawn(push(to, i)));
    for (auto& each : children) (co_await each).value();
  };
  rt->spawn(fan_out(order)).wait().value();
  ASSERT_EQ(order.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

task<> spin_with_yields(detail::atomic<bool>& stop, detail::atomic<int>& rounds) {
  while (!stop.load()) {
    rounds.fetch_add(1);
    co_await yield();
  }
}

task<> note_rounds(detail::atomic<int>& rounds, detail::atomic<int>& seen, detail::atomic<bool>& stop) {
  seen.store(rounds.load());
  stop.store(true);
  co_return;
}

TEST(runtime, injected_task_runs_within_sixteen_polls_of_a_busy_permit) { // test 32, C22
  manual_runtime rt({.permits = 1});
  detail::atomic<bool> stop{false};
  detail::atomic<int> rounds{0};
  detail::atomic<int> seen{0};
  auto spinner = rt->spawn(spin_with_yields(stop, rounds));
  ASSERT_TRUE(eventually([&] { return rounds.load() > 100; }));
  // From inside a region the task goes to the injector, at a round that is known.
  auto inject = [&]() -> task<> {
    int before = rounds.load();
    auto injected = blocking([&] { return spawn(note_rounds(rounds, seen, stop)); });
    (co_await injected).value();
    EXPECT_LE(seen.load() - before, 16);
  };
  rt->spawn(inject()).wait().value();
  spinner.wait().value();
}

TEST(runtime, wakes_every_permit_for_separate_spawns_without_a_monitor) { // test 41, C30
  for (int round = 0; round != 200; ++round) {
    gate first;
    manual_runtime rt({.permits = 2});
    auto hold = [&]() -> task<> {
      first.wait(); // unmarked: the permit stays
      co_return;
    };
    auto held = rt->spawn(hold());
    auto second = rt->spawn(answer());
    EXPECT_EQ(second.wait().value(), 42);
    first.open();
    held.wait().value();
  }
}

TEST(runtime, one_worker_drains_what_held_permits_left) { // test 6
  gate release_one;
  gate release_rest;
  manual_runtime rt({.permits = 4});
  auto hold = [](gate& until) -> task<> {
    until.wait();
    co_return;
  };
  std::vector<join_handle<void>> holders;
  holders.push_back(rt->spawn(hold(release_one)));
  for (int i = 0; i != 3; ++i) holders.push_back(rt->spawn(hold(release_rest)));
  ASSERT_TRUE(eventually([&] { return rt.snapshot().active == 4 && rt.snapshot().queued == 0; }));
  detail::atomic<int> runs{0};
  std::vector<join_handle<void>> queued;
  for (int i = 0; i != 128; ++i) queued.push_back(rt->spawn(add(runs)));
  release_one.open();
  for (auto& each : queued) each.wait().value();
  EXPECT_EQ(runs.load(), 128);
  release_rest.open();
}

TEST(runtime, spawns_of_many_threads_all_run) { // test 40, complaint 20
  for (std::size_t permits : {1u, 2u, 0u}) {
    runtime rt({.permits = permits});
    detail::atomic<int> runs{0};
    constexpr int threads = 64;
    constexpr int each = is_sanitized ? 500 : 10'000;
    std::vector<std::thread> spawners;
    std::vector<std::vector<int>> order(threads);
    for (int t = 0; t != threads; ++t) {
      spawners.emplace_back([&, t] {
        for (int i = 0; i != each; ++i) {
          auto note = [](detail::atomic<int>& count, std::vector<int>& into, int value, bool keeps_order) -> task<> {
            if (keeps_order) into.push_back(value);
            count.fetch_add(1);
            co_return;
          };
          rt.spawn(note(runs, order[static_cast<std::size_t>(t)], i, permits == 1)).detach();
        }
      });
    }
    for (auto& thread : spawners) thread.join();
    ASSERT_TRUE(eventually([&] { return runs.load() == threads * each; }));
    rt.shutdown();
    EXPECT_EQ(rt.snapshot().tasks, 0u);
    if (permits == 1) {
      for (auto& of : order) EXPECT_TRUE(std::is_sorted(of.begin(), of.end()));
    }
  }
}

TEST(runtime, handle_is_awaited_by_a_task_of_another_runtime) { // test 52, C37
  manual_runtime here({.permits = 1});
  manual_runtime there({.permits = 1});
  auto join_remote = [](runtime& remote) -> task<int> { co_return (co_await remote.spawn(answer())).value(); };
  for (int i = 0; i != 200; ++i) EXPECT_EQ(here->spawn(join_remote(*there)).wait().value(), 42);
}

TEST(runtime, spawn_outside_any_task_says_that_there_is_no_runtime) {
  try {
    auto handle = spawn(answer());
    FAIL();
  } catch (const std::system_error& failure) {
    EXPECT_EQ(failure.code(), errc::no_runtime);
  }
}

} // namespace
} // namespace weir::testing
