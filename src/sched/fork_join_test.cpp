// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

#include <weir/checkpoint.hpp>
#include <weir/fork_join.hpp>

#include <numeric>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::eventually;
using testing::gate;
using namespace std::chrono_literals;

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = fork_join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
  return a + b;
}

task<long> fib_task(int n) { co_return fib(n); }

TEST(fork_join, works_from_coroutines_fibers_roots_and_plain_threads) {
  for (std::size_t permits : {1u, 2u, 4u}) {
    runtime rt({.permits = permits});
    EXPECT_EQ(rt.spawn(fib_task(20)).wait().value(), 6765);
    EXPECT_EQ(rt.spawn_fiber([] { return fib(20); }).wait().value(), 6765);
    EXPECT_EQ(rt.block_on(fib_task(20)), 6765);
  }
  EXPECT_EQ(fib(15), 610);
}

TEST(fork_join, many_stacks_compute_at_once) {
  runtime rt({.permits = 3});
  std::vector<join_handle<long>> all;
  for (int i = 0; i != 20; ++i) {
    all.push_back(rt.spawn(fib_task(18)));
    all.push_back(rt.spawn_fiber([] { return fib(18); }));
  }
  for (auto& each : all) EXPECT_EQ(each.wait().value(), 2584);
}

TEST(fork_join, gives_results_of_any_type) {
  auto [text, nothing] = fork_join([] { return std::string("left"); }, [] {});
  EXPECT_EQ(text, "left");
  static_cast<void>(nothing);
  auto [number, pointer] = fork_join([] { return 1; }, [] { return std::make_unique<int>(2); });
  EXPECT_EQ(number + *pointer, 3);
  fork_join([] {}, [] {});
}

// The left side waits until the right side runs, which only another worker can do.
template <class Wait> bool runs_in_parallel(Wait wait) {
  detail::atomic<bool> is_running{false};
  bool was_seen = false;
  fork_join(
      [&] {
        while (!is_running.load()) {
          fork_join([] {}, [] {}); // a fork at which the older one can be offered
          wait();
        }
        was_seen = true;
      },
      [&] { is_running.store(true); });
  return was_seen;
}

TEST(fork_join, idle_permit_takes_the_oldest_fork) {
  runtime rt({.permits = 2});
  EXPECT_TRUE(rt.spawn([]() -> task<bool> { co_return runs_in_parallel([] {}); }()).wait().value());
  EXPECT_TRUE(rt.spawn_fiber([] { return runs_in_parallel([] {}); }).wait().value());
}

TEST(fork_join, thread_from_outside_gives_forks_to_the_only_permit) {
  runtime rt({.permits = 1});
  EXPECT_TRUE(rt.block_on([]() -> task<bool> { co_return runs_in_parallel([] {}); }()));
}

// The right side runs elsewhere and goes on until the left side has left and `permits` more forks ran.
struct stolen_right {
  detail::atomic<bool> is_taken{false};
  gate opens;

  void join() {
    fork_join(
        [&] {
          while (!is_taken.load()) fork_join([] {}, [] {});
        },
        [&] {
          is_taken.store(true);
          opens.wait();
        });
  }
};

TEST(fork_join, fiber_that_waits_for_the_other_side_leaves_its_permit) {
  stolen_right work;
  runtime rt({.permits = 2});
  auto joiner = rt.spawn_fiber([&] { work.join(); });
  ASSERT_TRUE(eventually([&] { return work.is_taken.load(); }));
  EXPECT_EQ(rt.spawn(fib_task(10)).wait().value(), 55); // the other permit is in work.opens.wait()
  work.opens.open();
  joiner.wait().value();
}

TEST(fork_join, coroutine_that_waits_for_the_other_side_gives_its_permit_away) {
  stolen_right work;
  runtime rt({.permits = 2});
  auto joiner = rt.spawn([](stolen_right& of) -> task<> {
    of.join();
    co_return;
  }(work));
  ASSERT_TRUE(eventually([&] { return work.is_taken.load(); }));
  EXPECT_EQ(rt.spawn(fib_task(10)).wait().value(), 55);
  work.opens.open();
  joiner.wait().value();
}

TEST(fork_join, exception_of_either_side_is_thrown_after_both_have_ended) {
  runtime rt({.permits = 2});
  auto body = []() -> task<int> {
    int ended = 0;
    try {
      fork_join([&] { throw std::runtime_error("left"); }, [&] { ++ended; });
    } catch (const std::runtime_error&) {
      ++ended;
    }
    try {
      fork_join([&] { ++ended; }, [&] { throw std::logic_error("right"); });
    } catch (const std::logic_error&) {
      ++ended;
    }
    try {
      fork_join([&] { throw std::runtime_error("left"); }, [&] { throw std::logic_error("right"); });
    } catch (const std::exception&) {
      ++ended;
    }
    co_return ended;
  };
  EXPECT_EQ(rt.block_on(body()), 5);
  EXPECT_EQ(rt.spawn(body()).wait().value(), 5);
  auto left = [] { throw std::runtime_error("left"); };
  auto right = [] { throw std::logic_error("right"); };
  EXPECT_THROW(fork_join(left, right), std::runtime_error) << "the first, on one thread";
}

TEST(fork_join, first_of_two_exceptions_in_parallel_is_thrown) {
  runtime rt({.permits = 2});
  auto body = []() -> task<std::string> {
    detail::atomic<bool> is_taken{false};
    try {
      fork_join(
          [&] {
            while (!is_taken.load()) fork_join([] {}, [] {});
            EXPECT_TRUE(runs_in_parallel([] {})); // the other worker takes this one after it has ended that one
            throw std::runtime_error("left");
          },
          [&] {
            is_taken.store(true);
            throw std::runtime_error("right");
          });
    } catch (const std::runtime_error& failure) {
      co_return failure.what();
    }
    co_return "none";
  };
  EXPECT_EQ(rt.spawn(body()).wait().value(), "right");
}

TEST(fork_join, fiber_that_is_stopped_at_the_join_unwinds_after_the_other_side) {
  stolen_right work;
  detail::atomic<bool> unwound{false};
  runtime rt({.permits = 2});
  auto joiner = rt.spawn_fiber([&] {
    struct mark {
      detail::atomic<bool>& flag;
      ~mark() { flag.store(true); }
    } at_end{unwound};
    work.join();
  });
  ASSERT_TRUE(eventually([&] { return work.is_taken.load(); }));
  joiner.abort();
  EXPECT_EQ(rt.spawn(fib_task(5)).wait().value(), 5);
  EXPECT_FALSE(unwound.load()) << "its frame is in use by the other side";
  work.opens.open();
  EXPECT_TRUE(joiner.wait().is_stopped());
  EXPECT_TRUE(unwound.load());
}

TEST(fork_join, side_may_suspend_its_fiber) {
  runtime rt({.permits = 2});
  auto sum = rt.spawn_fiber([] {
    auto [a, b] = fork_join(
        [] {
          this_fiber::yield();
          return 1;
        },
        [] {
          this_fiber::yield();
          return 2;
        });
    return a + b;
  });
  EXPECT_EQ(sum.wait().value(), 3);
}

TEST(fork_join, close_while_forks_are_out_loses_nothing) {
  for (int round = 0; round != 10; ++round) {
    detail::atomic<int> ended{0};
    runtime rt({.permits = 2});
    auto work = rt.spawn([](detail::atomic<int>& count) -> task<> {
      fib(18);
      count.store(1);
      co_return;
    }(ended));
    EXPECT_TRUE(rt.shutdown_for(60s));
    EXPECT_EQ(work.wait().is_stopped(), ended.load() == 0);
  }
}

TEST(parallel_for, calls_the_body_once_for_each_index) {
  for (std::size_t permits : {1u, 2u, 4u}) {
    runtime rt({.permits = permits});
    auto body = []() -> task<bool> {
      std::vector<detail::atomic<int>> calls(10'000);
      parallel_for(0, 10'000, [&](int i) { calls[static_cast<std::size_t>(i)].fetch_add(1); }, 16);
      co_return std::all_of(calls.begin(), calls.end(), [](auto& each) { return each.load() == 1; });
    };
    EXPECT_TRUE(rt.spawn(body()).wait().value());
    EXPECT_TRUE(rt.block_on(body()));
  }
  int calls = 0;
  parallel_for(5, 5, [&](int) { ++calls; });
  parallel_for(5, 3, [&](int) { ++calls; });
  parallel_for(std::size_t{0}, std::size_t{3}, [&](std::size_t) { ++calls; }, 100);
  EXPECT_EQ(calls, 3);
}

TEST(parallel_for, exception_of_a_call_is_thrown) {
  runtime rt({.permits = 2});
  auto body = []() -> task<> {
    parallel_for(0, 1000, [](int i) {
      if (i == 777) throw std::out_of_range("body");
    });
    co_return;
  };
  EXPECT_THROW(rt.block_on(body()), std::out_of_range);
}

TEST(parallel_reduce, combines_in_order_and_in_the_same_shape_every_time) {
  auto concatenate = [] {
    return parallel_reduce(
        0, 200, std::string(), [](int i) { return std::to_string(i) + ","; },
        [](std::string a, const std::string& b) { return a + b; });
  };
  std::string expected;
  for (int i = 0; i != 200; ++i) expected += std::to_string(i) + ",";
  EXPECT_EQ(concatenate(), expected);
  auto add = [] { return parallel_reduce(0, 100'000, 0.0, [](int i) { return 1.0 / (1 + i); }, std::plus<>(), 64); };
  double alone = add();
  for (std::size_t permits : {1u, 4u}) {
    runtime rt({.permits = permits});
    auto on_task = [](auto& work) -> task<decltype(work())> { co_return work(); };
    EXPECT_EQ(rt.spawn(on_task(concatenate)).wait().value(), expected);
    EXPECT_EQ(rt.spawn(on_task(add)).wait().value(), alone);
  }
  EXPECT_EQ(parallel_reduce(3, 3, 42, [](int) { return 1; }, std::plus<>()), 42);
}

} // namespace
} // namespace weir
