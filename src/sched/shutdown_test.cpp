// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

namespace weir::testing {
namespace {

task<> wait_forever(destruction_probe) {
  for (;;) co_await yield();
}

TEST(shutdown, drop_stops_pending_tasks_without_waiting) { // test 67, C47
  for (std::size_t permits : {1u, 2u}) {
    detail::atomic<int> destroyed{0};
    gate end;
    gate blocked;
    std::vector<join_handle<void>> tasks;
    join_handle<void> caller;
    {
      runtime rt({.permits = permits});
      auto block = [&]() -> task<> {
        blocking([&] {
          blocked.open();
          end.wait();
        });
        co_return;
      };
      caller = rt.spawn(block());
      blocked.wait();
      for (int i = 0; i != 32; ++i) tasks.push_back(rt.spawn(wait_forever(destruction_probe(destroyed))));
    }
    // The runtime is gone, the region is not.
    EXPECT_FALSE(caller.is_done());
    for (auto& each : tasks) EXPECT_TRUE(each.wait().is_stopped());
    EXPECT_EQ(destroyed.load(), 32);
    end.open();
    caller.wait();
  }
}

TEST(shutdown, times_out_while_a_region_is_stuck_and_stops_all_else) { // test 68, C49, C47
  gate end;
  manual_runtime rt({.permits = 1});
  std::vector<join_handle<void>> children;
  detail::atomic<int> destroyed{0};
  auto parent = [&]() -> task<> {
    for (int i = 0; i != 256; ++i) children.push_back(spawn(wait_forever(destruction_probe(destroyed))));
    blocking([&] { end.wait(); });
    co_return;
  };
  auto caller = rt->spawn(parent());
  ASSERT_TRUE(rt.wait_for_regions(1));
  EXPECT_FALSE(rt->shutdown_for(0ns));
  rt.advance(1ms);
  rt.scan();
  for (auto& each : children) EXPECT_TRUE(each.wait().is_stopped());
  EXPECT_EQ(destroyed.load(), 256);
  EXPECT_FALSE(caller.is_done());
  EXPECT_FALSE(rt->shutdown_for(0ns));
  end.open();
  EXPECT_TRUE(rt->shutdown_for(60s));
  EXPECT_EQ(rt.snapshot().threads, 0u);
  EXPECT_EQ(rt.snapshot().tasks, 0u);
}

TEST(shutdown, stops_a_task_that_only_yields) { // test 69
  runtime rt({.permits = 1});
  detail::atomic<int> destroyed{0};
  auto yielder = rt.spawn(wait_forever(destruction_probe(destroyed)));
  EXPECT_TRUE(rt.shutdown_for(60s));
  EXPECT_TRUE(yielder.wait().is_stopped());
  EXPECT_EQ(destroyed.load(), 1);
}

TEST(shutdown, racing_spawns_complete_or_are_stopped) { // test 70, C39, I12
  for (int round = 0; round != 50; ++round) {
    runtime rt({.permits = 2});
    detail::atomic<int> runs{0};
    auto note = [](detail::atomic<int>& count) -> task<> {
      count.fetch_add(1);
      co_return;
    };
    std::vector<join_handle<void>> tasks;
    detail::atomic<int> spawned{0};
    std::thread spawner([&] {
      for (int i = 0; i != 500; ++i) {
        tasks.push_back(rt.spawn(note(runs)));
        spawned.fetch_add(1);
      }
    });
    while (spawned.load() < round * 10) std::this_thread::yield();
    rt.shutdown();
    spawner.join();
    int completed = 0;
    for (auto& each : tasks) completed += each.wait().is_stopped() ? 0 : 1;
    EXPECT_EQ(completed, runs.load());
    EXPECT_EQ(rt.snapshot().tasks, 0u);
  }
}

TEST(shutdown, spawn_afterwards_gives_a_stopped_task_whose_body_never_runs) { // test 71, C48
  manual_runtime rt;
  rt->shutdown();
  bool entered = false;
  detail::atomic<int> destroyed{0};
  auto body = [&](destruction_probe) -> task<> {
    entered = true;
    co_return;
  };
  auto handle = rt->spawn(body(destruction_probe(destroyed)));
  EXPECT_TRUE(handle.is_done());
  EXPECT_TRUE(handle.wait().is_stopped());
  EXPECT_FALSE(entered);
  EXPECT_EQ(destroyed.load(), 1);
  EXPECT_EQ(rt.snapshot().threads, 0u);
}

TEST(shutdown, idle_workers_always_end) { // test 73
  for (std::size_t permits : {1u, 4u}) {
    for (int round = 0; round != 32; ++round) {
      runtime rt({.permits = permits});
      rt.shutdown();
      EXPECT_EQ(rt.snapshot().threads, 0u);
    }
  }
}

TEST(shutdown, makes_no_thread_once_all_have_been_told_to_end) {
  manual_runtime rt({.permits = 1});
  rt->shutdown();
  // As the monitor may do for a call that has ended meanwhile, and a thread from outside for a closure that has run.
  auto made = rt.core().threads().start_worker();
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error(), rt::no_thread::runtime_ends);
  rt.core().publish_closure();
  EXPECT_EQ(rt.snapshot().threads, 0u);
  EXPECT_EQ(rt.core().threads().spawned(), 2u);
  EXPECT_EQ(rt.snapshot().spawn_failures, 0u);
}

TEST(shutdown, thread_that_ends_while_somebody_has_taken_it_is_not_put_back) {
  manual_runtime rt({.permits = 1});
  rt::crew& threads = rt.core().threads();
  rt::worker* taken = threads.take_spare();
  ASSERT_NE(taken, nullptr);
  rt->shutdown();
  threads.put_back(*taken);
  EXPECT_EQ(threads.spare(), 0u);
  EXPECT_EQ(threads.take_spare(), nullptr);
}

TEST(shutdown, from_a_worker_is_refused) { // tests 51 and 74, complaint 32
  manual_runtime rt;
  auto body = [&]() -> task<bool> {
    try {
      rt->shutdown();
    } catch (const std::system_error& failure) {
      co_return failure.code() == errc::called_from_worker;
    }
    co_return false;
  };
  EXPECT_TRUE(rt->spawn(body()).wait().value());
}

TEST(shutdown, last_owner_may_be_a_task_of_the_runtime) { // test 53, complaint 11, peers 11
  for (int round = 0; round != 50; ++round) {
    auto owner = std::make_unique<runtime>(runtime_options{.permits = 2});
    runtime& rt = *owner;
    gate moved;
    detail::atomic<int> destroyed{0};
    auto sibling = rt.spawn(wait_forever(destruction_probe(destroyed)));
    auto body = [](std::unique_ptr<runtime>& from, gate& ready) -> task<> {
      ready.wait();
      from.reset();
      co_return;
    };
    auto last = rt.spawn(body(owner, moved));
    moved.open();
    EXPECT_TRUE(last.wait().has_value());
    EXPECT_TRUE(sibling.wait().is_stopped());
    EXPECT_EQ(destroyed.load(), 1);
  }
}

struct late_end {
  gate* ends = nullptr;
  ~late_end() {
    if (ends != nullptr) ends->wait();
  }
};
thread_local late_end at_exit;

TEST(shutdown, waits_for_the_destructors_of_thread_local_objects) { // test 72
  gate ends;
  manual_runtime rt({.permits = 1});
  auto body = [&]() -> task<> {
    at_exit.ends = &ends;
    co_return;
  };
  rt->spawn(body()).wait().value();
  EXPECT_FALSE(rt->shutdown_for(0ns));
  ASSERT_TRUE(eventually([&] { return rt.snapshot().threads == 0; }));
  EXPECT_FALSE(rt->shutdown_for(1ms)); // the thread is gone but for its destructors
  ends.open();
  EXPECT_TRUE(rt->shutdown_for(60s));
}

TEST(shutdown, says_which_calls_it_waits_for) { // complaint 6
  gate end;
  manual_runtime rt({.permits = 1});
  auto body = [&]() -> task<> {
    blocking(expect_long, [&] { end.wait(); });
    co_return;
  };
  auto named = rt->spawn(body(), {.name = "reader"});
  unsigned line = __LINE__ - 1;
  ASSERT_TRUE(rt.wait_for_regions(1));
  auto closure = rt->spawn_blocking([&] { end.wait(); });
  ASSERT_TRUE(eventually([&] { return rt->blocked_calls().size() == 2; }));
  EXPECT_FALSE(rt->shutdown_for(0ns));
  std::vector<blocked_call> calls = rt->blocked_calls();
  ASSERT_EQ(calls.size(), 2u);
  if (calls[0].task_name.empty()) std::swap(calls[0], calls[1]);
  EXPECT_EQ(calls[0].task_name, "reader");
  EXPECT_EQ(calls[0].spawned_at.line(), line);
  EXPECT_EQ(calls[1].spawned_at.line(), line + 3);
  end.open();
  EXPECT_TRUE(rt->shutdown_for(60s));
  EXPECT_TRUE(rt->blocked_calls().empty());
}

TEST(shutdown, parked_task_of_a_dropped_runtime_ignores_late_wakes) { // complaint 8
  detail::waker late;
  join_handle<void> handle;
  {
    runtime rt({.permits = 1});
    detail::atomic<bool> has_waker{false};
    auto body = [&]() -> task<> {
      late = detail::waker(*detail::current_task());
      has_waker.store(true);
      for (;;) co_await yield();
    };
    handle = rt.spawn(body());
    ASSERT_TRUE(eventually([&] { return has_waker.load(); }));
  }
  EXPECT_TRUE(handle.wait().is_stopped());
  late.wake();
  handle = {};
  late.wake();
}

} // namespace
} // namespace weir::testing
