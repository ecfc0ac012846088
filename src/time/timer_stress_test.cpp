// SPDX-License-Identifier: Apache-2.0
// Arming, firing and cancelling from many threads at once; for ThreadSanitizer too.
#include "sched/test_support.hpp"

#include <weir/timeout.hpp>

#include <random>

#include <gtest/gtest.h>

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr int tasks = 200;
constexpr int rounds = 20;

task<int> sleep_often(unsigned seed) {
  std::mt19937 random(seed);
  int late_by_a_second = 0;
  for (int i = 0; i != rounds; ++i) {
    std::chrono::nanoseconds span = std::chrono::microseconds(random() % 3000);
    time_point begin = now();
    co_await sleep_for(span);
    if (now() - begin < span) std::abort();
    late_by_a_second += now() - begin - span > 1s ? 1 : 0;
  }
  co_return late_by_a_second;
}

task<int> time_out_often(unsigned seed) {
  std::mt19937 random(seed);
  int ended = 0;
  for (int i = 0; i != rounds; ++i) {
    auto body = [](std::chrono::nanoseconds span) -> task<int> {
      co_await sleep_for(span);
      co_return 1;
    };
    std::chrono::nanoseconds limit = std::chrono::microseconds(random() % 1000);
    ended += (co_await with_timeout(limit, body(std::chrono::microseconds(random() % 1000)))).value_or(0);
  }
  co_return ended;
}

TEST(timer_stress, sleeps_end_timeouts_end_and_aborted_sleeps_end) {
  for (std::size_t permits : {1u, 2u, 4u}) {
    runtime rt({.permits = permits});
    std::vector<join_handle<int>> sleeping;
    std::vector<join_handle<int>> aborted;
    std::vector<join_handle<int>> timing_out;
    for (unsigned i = 0; i != tasks; ++i) {
      sleeping.push_back(rt.spawn(sleep_often(i)));
      timing_out.push_back(rt.spawn(time_out_often(i)));
      aborted.push_back(rt.spawn(sleep_often(i)));
    }
    std::mt19937 random(3);
    for (auto& each : aborted) {
      if (random() % 4 == 0) std::this_thread::yield();
      each.abort();
    }
    for (auto& each : aborted) static_cast<void>(each.wait());
    int late = 0;
    for (auto& each : sleeping) late += each.wait().value();
    EXPECT_LT(late, tasks * rounds / 4); // a machine that stands still for a second makes one sleep of each task late
    for (auto& each : timing_out) EXPECT_LE(each.wait().value(), rounds);
  }
}

// The wheel alone: two armers, one canceller and one advancer; each arming fires or is cancelled.
TEST(timer_stress, each_arming_fires_or_is_cancelled) {
  rt::timer_wheel wheel;
  constexpr std::size_t cells = 20'000;
  struct shared_cell {
    rt::timer_cell cell;
    std::uint64_t ticket = 0;
    detail::atomic<bool> is_out{false};
    bool was_cancelled = false;
    bool has_fired = false;
  };
  std::vector<shared_cell> all(2 * cells);
  detail::atomic<std::uint64_t> now{0};
  detail::atomic<std::size_t> taken{0};
  auto settle = [&](rt::cell_chain due) {
    while (rt::timer_cell* cell = due.pop_front()) {
      auto& of = *static_cast<shared_cell*>(cell->target);
      if (cell->tick > now.load()) std::abort();
      of.has_fired = cell->claim();
      taken.fetch_add(1);
    }
  };
  auto armer = [&](std::size_t first) {
    std::mt19937 random(static_cast<unsigned>(first));
    for (std::size_t at = first; at != first + cells; ++at) {
      shared_cell& of = all[at];
      of.cell.target = &of;
      of.cell.tick = now.load() + random() % (std::uint64_t{1} << random() % 14);
      of.ticket = of.cell.arm();
      of.is_out.store(true);
      rt::cell_chain due;
      wheel.place(of.cell, due);
      settle(due);
    }
  };
  std::thread one(armer, 0);
  std::thread two(armer, cells);
  std::thread canceller([&] {
    for (std::size_t at = 0; at < all.size(); at += 3) {
      while (!all[at].is_out.load()) std::this_thread::yield();
      all[at].was_cancelled = all[at].cell.cancel(all[at].ticket);
    }
  });
  std::mt19937 random(9);
  while (taken.load() != all.size()) {
    now.fetch_add(random() % (taken.load() * 10 / 9 >= all.size() ? 5000 : 50));
    if (!wheel.try_begin_advance()) std::abort();
    rt::cell_chain due;
    wheel.advance(now.load(), due, ~std::size_t{0});
    wheel.end_advance();
    settle(due);
  }
  one.join();
  two.join();
  canceller.join();
  for (shared_cell& each : all) EXPECT_NE(each.has_fired, each.was_cancelled);
}

} // namespace
} // namespace weir
