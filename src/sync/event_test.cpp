// SPDX-License-Identifier: Apache-2.0
#include <weir/event.hpp>

#include "sync/test_support.hpp"

#include <memory>

namespace weir::testing {
namespace {

TEST(event, set_ends_the_waits_of_tasks_fibers_threads_and_blocked_workers) {
  for (std::size_t permits : {std::size_t{1}, std::size_t{2}}) {
    event begun;
    event done;
    detail::atomic<int> waiting{0};
    detail::atomic<int> ended{0};
    live_runtime rt({.permits = permits});
    way_runner runner(*rt);
    for (int each = 0; each != 3; ++each) {
      for (waiting_way way : all_ways) {
        runner.start(
            way,
            [&]() -> task<> {
              waiting.fetch_add(1);
              co_await done;
              ended.fetch_add(1);
            },
            [&] {
              waiting.fetch_add(1);
              done.wait();
              ended.fetch_add(1);
            });
      }
    }
    ASSERT_TRUE(eventually([&] { return waiting.load() == 12; }));
    EXPECT_EQ(ended.load(), 0);
    done.set();
    runner.join();
    EXPECT_EQ(ended.load(), 12);
  }
}

TEST(event, wait_for_a_set_event_ends_at_once_and_after_reset_it_waits) {
  event flag;
  flag.set();
  flag.wait();
  flag.reset();
  EXPECT_FALSE(flag.is_set());
  live_runtime rt;
  detail::atomic<bool> is_over{false};
  auto body = [&]() -> task<> {
    co_await flag;
    is_over.store(true);
  };
  auto handle = rt->spawn(body());
  auto other = [&]() -> task<> { co_await yield(); };
  rt->spawn(other()).wait().value();
  EXPECT_FALSE(is_over.load());
  flag.set();
  handle.wait().value();
  EXPECT_TRUE(is_over.load());
}

TEST(event, stopped_waiter_withdraws) {
  event never;
  live_runtime rt;
  detail::atomic<int> destroyed{0};
  detail::atomic<int> waiting{0};
  auto body = [&](destruction_probe) -> task<> {
    waiting.fetch_add(1);
    co_await never;
  };
  auto fiber = [&] {
    destruction_probe probe(destroyed);
    waiting.fetch_add(1);
    never.wait();
  };
  auto first = rt->spawn(body(destruction_probe(destroyed)));
  auto second = rt->spawn_fiber(fiber);
  ASSERT_TRUE(eventually([&] { return waiting.load() == 2; }));
  first.abort();
  second.abort();
  EXPECT_TRUE(first.wait().is_stopped());
  EXPECT_TRUE(second.wait().is_stopped());
  EXPECT_EQ(destroyed.load(), 2);
  never.set(); // touches nobody
}

TEST(event, foreign_wake_does_not_end_a_wait) {
  event flag;
  live_runtime rt;
  detail::waker stale;
  detail::atomic<bool> is_over{false};
  detail::atomic<bool> is_waiting{false};
  auto body = [&]() -> task<> {
    stale = detail::waker(*detail::current_task());
    is_waiting.store(true);
    co_await flag;
    is_over.store(true);
  };
  auto handle = rt->spawn(body());
  ASSERT_TRUE(eventually([&] { return is_waiting.load(); }));
  for (int i = 0; i != 100; ++i) {
    stale.wake();
    std::this_thread::yield();
  }
  EXPECT_FALSE(is_over.load());
  flag.set();
  handle.wait().value();
}

TEST(event, coroutine_that_is_no_task_is_resumed_by_who_sets_it) {
  event flag;
  std::thread::id resumed_on;
  auto wait = [&]() -> foreign_coroutine {
    co_await flag;
    resumed_on = std::this_thread::get_id();
  };
  wait();
  EXPECT_EQ(resumed_on, std::thread::id());
  flag.set();
  EXPECT_EQ(resumed_on, std::this_thread::get_id());
}

TEST(event, root_of_block_on_waits_on_its_own_thread_and_on_a_worker) {
  event to_outside;
  event to_inside;
  live_runtime rt({.permits = 1});
  auto inner = [&]() -> task<int> {
    co_await to_inside;
    co_return 7;
  };
  auto nested = [&]() -> task<int> {
    int value = block_on(inner());
    to_outside.set();
    co_return value;
  };
  auto handle = rt->spawn(nested());
  auto outer = [&]() -> task<> {
    to_inside.set();
    co_await to_outside;
  };
  rt->block_on(outer());
  EXPECT_EQ(handle.wait().value(), 7);
}

// The waker's last access to the event comes before the waiter may destroy it, in whatever way that one learns of the
// end.
TEST(event, may_be_destroyed_by_the_waiter_as_soon_as_its_wait_has_ended) { // peers.md 12
  live_runtime rt({.permits = 2});
  for (waiting_way way : all_ways) {
    for (int round = 0; round != 300; ++round) {
      auto flag = std::make_unique<event>();
      event* at = flag.get();
      way_runner runner(*rt);
      runner.start(
          way,
          [&]() -> task<> {
            co_await *flag;
            flag.reset();
          },
          [&] {
            flag->wait();
            flag.reset();
          });
      at->set();
    }
  }
}

TEST(event, storm_of_waits_sets_and_stops_loses_nobody) {
  live_runtime rt({.permits = 2});
  constexpr int rounds = 200;
  for (int round = 0; round != rounds; ++round) {
    event flag;
    auto body = [&]() -> task<> { co_await flag; };
    std::vector<join_handle<void>> handles;
    for (int i = 0; i != 8; ++i) handles.push_back(rt->spawn(body()));
    std::thread stopper([&] {
      for (std::size_t i = 0; i != handles.size(); i += 2) handles[i].abort();
    });
    flag.set();
    stopper.join();
    for (std::size_t i = 0; i != handles.size(); ++i) {
      auto outcome = handles[i].wait();
      EXPECT_TRUE(outcome.has_value() || (i % 2 == 0 && outcome.is_stopped()));
    }
  }
}

} // namespace
} // namespace weir::testing
