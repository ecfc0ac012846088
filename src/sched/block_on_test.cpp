// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

namespace weir::testing {
namespace {

task<int> answer() { co_return 42; }

TEST(block_on, runs_the_root_on_the_calling_thread_beside_the_permits) { // test 47, C34
  gate holds;
  gate end;
  manual_runtime rt({.permits = 1});
  auto hold = [&]() -> task<> {
    holds.open();
    end.wait();
    co_return;
  };
  auto holder = rt->spawn(hold());
  holds.wait();
  std::mutex borrowed; // neither copyable nor movable
  auto root = [](std::mutex& value) -> task<std::thread::id> {
    std::lock_guard guard(value);
    co_return std::this_thread::get_id();
  };
  EXPECT_EQ(rt->block_on(root(borrowed)), std::this_thread::get_id());
  EXPECT_EQ(rt.snapshot().polls, 1u);
  end.open();
  holder.wait().value();
}

TEST(block_on, passes_the_roots_exception_on) { // C33
  manual_runtime rt;
  auto root = []() -> task<int> {
    co_await yield();
    throw std::runtime_error("root");
  };
  EXPECT_THROW(rt->block_on(root()), std::runtime_error);
}

TEST(block_on, nests_on_one_permit) { // test 48, C35
  manual_runtime rt({.permits = 1});
  std::size_t active_inside = 0;
  auto innermost = [&]() -> task<int> {
    active_inside = rt.snapshot().active;
    co_return 42;
  };
  auto inner_root = [&]() -> task<int> { co_return (co_await spawn(innermost())).value(); };
  auto middle = [&]() -> task<int> { co_return block_on(inner_root()); };
  auto outer_root = [&]() -> task<int> { co_return (co_await spawn(middle())).value(); };
  EXPECT_EQ(rt->block_on(outer_root()), 42);
  EXPECT_EQ(active_inside, 1u);
}

task<int> descend(int depth) {
  if (depth == 0) co_return 0;
  auto child = [](int below) -> task<int> { co_return (co_await spawn(descend(below))).value(); };
  co_return 1 + block_on(child(depth - 1));
}

TEST(block_on, nests_deeply_on_one_permit) { // peers 7
  runtime rt({.permits = 1});
  EXPECT_EQ(rt.spawn(descend(64)).wait().value(), 64);
}

TEST(block_on, counts_every_wake_of_the_root_itself) { // test 49, C35
  manual_runtime rt({.permits = 1});
  auto root = []() -> task<int> {
    int polls = 0;
    for (; polls != 1000; ++polls) co_await yield();
    co_return polls;
  };
  EXPECT_EQ(rt->block_on(root()), 1000);
  auto on_a_worker = [&]() -> task<int> { co_return rt->block_on(root()); };
  EXPECT_EQ(rt->spawn(on_a_worker()).wait().value(), 1000);
}

TEST(block_on, is_refused_inside_a_region_and_works_afterwards) { // test 50, C35
  manual_runtime rt({.permits = 1});
  auto body = [&]() -> task<int> {
    bool was_refused = false;
    try {
      blocking([&] { return rt->block_on(answer()); });
    } catch (const std::system_error& failure) {
      was_refused = failure.code() == errc::called_inside_region;
    }
    co_return was_refused ? rt->block_on(answer()) : -1;
  };
  EXPECT_EQ(rt->spawn(body()).wait().value(), 42);
  EXPECT_EQ(rt.snapshot().handoffs, 0u);
}

TEST(block_on, root_on_a_worker_lets_queued_tasks_run_when_it_yields) {
  manual_runtime rt({.permits = 1});
  detail::atomic<bool> flag{false};
  auto set = [&]() -> task<> {
    flag.store(true);
    co_return;
  };
  auto root = [&]() -> task<> {
    spawn(set()).detach();
    while (!flag.load()) co_await yield();
  };
  auto body = [&]() -> task<> {
    block_on(root());
    co_return;
  };
  rt->spawn(body()).wait().value();
}

TEST(block_on, worker_runs_the_queue_itself_when_no_thread_can_be_had) { // complaint 12, C6
  gate end;
  manual_runtime rt({.permits = 1, .max_threads = 2});
  auto block = [&]() -> task<> {
    blocking([&] { end.wait(); });
    co_return;
  };
  auto blocked = rt->spawn(block());
  ASSERT_TRUE(rt.wait_for_regions(1));
  auto root = []() -> task<int> { co_return (co_await spawn(answer())).value(); };
  auto body = [&]() -> task<int> { co_return block_on(root()); };
  auto caller = rt->spawn(body());
  rt.advance(1ms);
  rt.scan(); // the only spare takes the permit and runs `body`
  EXPECT_EQ(caller.wait().value(), 42);
  EXPECT_GE(rt.snapshot().capacity_delays, 1u);
  EXPECT_EQ(rt.snapshot().threads, 2u);
  end.open();
  blocked.wait().value();
}

TEST(block_on, sleeping_worker_is_asked_to_run_the_queue_when_no_thread_can_be_had) { // complaint 12
  gate end;
  manual_runtime rt({.permits = 1, .max_threads = 2});
  auto block = [&]() -> task<> {
    blocking([&] { end.wait(); });
    co_return;
  };
  auto blocked = rt->spawn(block());
  ASSERT_TRUE(rt.wait_for_regions(1));
  detail::waker outside;
  detail::atomic<bool> sleeps{false};
  auto root = [&]() -> task<int> {
    co_await park_here{outside, sleeps};
    co_return 7;
  };
  auto body = [&]() -> task<int> { co_return block_on(root()); };
  auto sleeping = rt->spawn(body());
  rt.advance(1ms);
  rt.scan();
  ASSERT_TRUE(eventually([&] { return sleeps.load() && rt.snapshot().in_regions == 1; }));
  // Work that arrives from outside while the only holder sleeps in block_on.
  auto wake_root = [&]() -> task<> {
    outside.wake();
    co_return;
  };
  auto waking = rt->spawn(wake_root());
  ASSERT_TRUE(eventually([&] { // a scan that comes before the holder sleeps asks nobody
    rt.advance(1ms);
    rt.scan();
    return waking.is_done();
  }));
  waking.wait().value();
  EXPECT_EQ(sleeping.wait().value(), 7);
  end.open();
  blocked.wait().value();
}

TEST(block_on, handle_is_waited_for_on_a_worker_like_a_region) {
  manual_runtime rt({.permits = 1});
  auto body = []() -> task<int> { co_return spawn(answer()).wait().value(); };
  EXPECT_EQ(rt->spawn(body()).wait().value(), 42);
}

} // namespace
} // namespace weir::testing
