// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

#include <weir/fiber.hpp>

#include <string>

namespace weir::testing {
namespace {

TEST(fiber_task, gives_its_value_or_exception_to_the_joiner) {
  manual_runtime rt;
  EXPECT_EQ(rt->spawn_fiber([] { return std::string("done"); }).wait().value(), "done");
  EXPECT_THROW(rt->spawn_fiber([]() -> int { throw std::runtime_error("inside"); }).wait().value(), std::runtime_error);
  EXPECT_TRUE(rt->spawn_fiber([] {}).wait().has_value());
}

TEST(fiber_task, takes_turns_with_coroutines_on_one_permit) {
  manual_runtime rt({.permits = 1});
  std::string log;
  auto parent = [&]() -> task<> {
    auto fiber = spawn_fiber([&] {
      for (int i = 0; i != 3; ++i) {
        log.push_back('f');
        this_fiber::yield();
      }
    });
    auto coroutine = [](std::string& into) -> task<> {
      for (int i = 0; i != 3; ++i) {
        into.push_back('c');
        co_await yield();
      }
    };
    auto other = spawn(coroutine(log));
    (co_await fiber).value();
    (co_await other).value();
  };
  rt->spawn(parent()).wait().value();
  EXPECT_EQ(log, "fcfcfc");
}

int wait_for_child(int depth) {
  if (depth == 0) return spawn([]() -> task<int> { co_return 42; }()).wait().value();
  return wait_for_child(depth - 1);
}

TEST(fiber_task, waits_from_any_depth_without_its_thread) {
  manual_runtime rt({.permits = 1, .max_threads = 2});
  std::vector<join_handle<int>> fibers;
  for (int i = 0; i != 100; ++i) fibers.push_back(rt->spawn_fiber([] { return wait_for_child(20); }));
  for (auto& each : fibers) EXPECT_EQ(each.wait().value(), 42);
  EXPECT_EQ(rt.snapshot().handoffs, 0u);
}

TEST(fiber_task, abort_unwinds_its_stack_once) {
  manual_runtime rt({.permits = 1});
  detail::atomic<int> destroyed{0};
  detail::atomic<bool> is_inside{false};
  auto fiber = rt->spawn_fiber([&, captured = destruction_probe(destroyed)] {
    destruction_probe local(destroyed);
    is_inside.store(true);
    for (;;) this_fiber::yield();
  });
  ASSERT_TRUE(eventually([&] { return is_inside.load(); }));
  fiber.abort();
  EXPECT_TRUE(fiber.wait().is_stopped());
  EXPECT_EQ(destroyed.load(), 2);
}

TEST(fiber_task, abort_reaches_a_fiber_that_swallows_the_unwinding) {
  manual_runtime rt({.permits = 1});
  detail::atomic<int> swallowed{0};
  detail::atomic<bool> is_inside{false};
  auto fiber = rt->spawn_fiber([&] {
    is_inside.store(true);
    try {
      for (;;) this_fiber::yield();
    } catch (...) {
      swallowed.fetch_add(1);
    }
    for (;;) this_fiber::yield();
  });
  ASSERT_TRUE(eventually([&] { return is_inside.load(); }));
  fiber.abort();
  EXPECT_TRUE(fiber.wait().is_stopped());
  EXPECT_EQ(swallowed.load(), 1);
}

TEST(fiber_task, abort_before_the_first_poll_never_enters_it) { // test 54
  gate end;
  manual_runtime rt({.permits = 1});
  auto holder = rt->spawn_fiber([&] { end.wait(); });
  ASSERT_TRUE(eventually([&] { return rt.snapshot().active == 1; }));
  detail::atomic<int> destroyed{0};
  bool entered = false;
  auto fiber = rt->spawn_fiber([&, captured = destruction_probe(destroyed)] { entered = true; });
  fiber.abort();
  end.open();
  EXPECT_TRUE(fiber.wait().is_stopped());
  EXPECT_EQ(destroyed.load(), 1);
  EXPECT_FALSE(entered);
}

TEST(fiber_task, abort_ends_a_wait_and_leaves_the_child_running) {
  manual_runtime rt({.permits = 1});
  detail::atomic<bool> may_end{false};
  detail::atomic<bool> waits{false};
  detail::atomic<bool> has_ended{false};
  auto slow = [&]() -> task<> {
    while (!may_end.load()) co_await yield();
    has_ended.store(true);
  };
  auto fiber = rt->spawn_fiber([&] {
    auto child = spawn(slow());
    waits.store(true);
    child.wait().value();
  });
  ASSERT_TRUE(eventually([&] { return waits.load(); }));
  fiber.abort();
  EXPECT_TRUE(fiber.wait().is_stopped());
  may_end.store(true);
  EXPECT_TRUE(eventually([&] { return has_ended.load(); }));
}

TEST(fiber_task, blocks_with_handoff_and_keeps_its_stack) {
  gate end;
  manual_runtime rt({.permits = 1});
  auto fiber = rt->spawn_fiber([&] {
    int on_stack = 1;
    blocking([&] {
      end.wait();
      ++on_stack;
    });
    this_fiber::yield();
    return on_stack;
  });
  ASSERT_TRUE(rt.wait_for_regions(1));
  auto queued = rt->spawn_fiber([] { return 7; });
  rt.advance(1ms);
  rt.scan();
  EXPECT_EQ(queued.wait().value(), 7);
  end.open();
  EXPECT_EQ(fiber.wait().value(), 2);
  EXPECT_EQ(rt.snapshot().handoffs, 1u);
}

TEST(fiber_task, block_on_nests_inside_fibers) {
  runtime rt({.permits = 1});
  auto fiber = rt.spawn_fiber([] {
    auto root = []() -> task<int> { co_return (co_await spawn_fiber([] { return 21; })).value() * 2; };
    return block_on(root());
  });
  EXPECT_EQ(fiber.wait().value(), 42);
}

TEST(fiber_task, checkpoint_gives_way_when_asked) {
  manual_runtime rt({.permits = 1});
  detail::atomic<bool> stop{false};
  detail::atomic<bool> runs{false};
  auto fiber = rt->spawn_fiber([&] {
    runs.store(true);
    while (!stop.load()) this_fiber::checkpoint();
    return detail::current_task_stats().preemptions;
  });
  ASSERT_TRUE(eventually([&] { return runs.load(); }));
  auto other = rt->spawn_fiber([&] { stop.store(true); });
  rt.scan();
  rt.advance(2ms);
  rt.scan();
  other.wait().value();
  EXPECT_EQ(fiber.wait().value(), 1u);
}

task<int> give_back(int value) { co_return value; }

TEST(fiber_task, makes_coroutines_after_it_has_moved_to_another_thread) { // peers 18
  runtime rt({.permits = 2});
  std::vector<join_handle<int>> fibers;
  for (int fiber = 0; fiber != 4; ++fiber) {
    fibers.push_back(rt.spawn_fiber([] {
      int sum = 0;
      for (int round = 0; round != 200; ++round) {
        auto child = spawn(give_back(1)); // its frame's memory is announced by a thread-local
        this_fiber::yield();
        sum += child.wait().value();
      }
      return sum;
    }));
  }
  for (auto& each : fibers) EXPECT_EQ(each.wait().value(), 200);
}

TEST(fiber_task, moves_between_threads) {
  runtime rt({.permits = 2});
  std::vector<join_handle<int>> fibers;
  for (int f = 0; f != 50; ++f) {
    fibers.push_back(rt.spawn_fiber([] {
      int sum = 0;
      for (int i = 0; i != 200; ++i) {
        sum += i;
        this_fiber::yield();
      }
      return sum;
    }));
  }
  for (auto& each : fibers) EXPECT_EQ(each.wait().value(), 199 * 200 / 2);
}

} // namespace
} // namespace weir::testing
