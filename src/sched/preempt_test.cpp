// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

#include <weir/detail/preempt.hpp>

namespace weir::testing {
namespace {

constexpr auto grace = 100us;
constexpr auto slice = 2ms;

// Code that runs until it is asked to yield, like a guest.
class spinner final : public detail::preemptible {
public:
  void ask_to_yield() noexcept override { asked_.fetch_add(1); }
  int asked() const noexcept { return asked_.load(); }
  bool is_running() const noexcept { return running_.load(); }
  void run_until_asked() {
    int before = asked_.load();
    running_.store(true);
    while (asked_.load() == before) std::this_thread::yield();
    running_.store(false);
  }

private:
  detail::atomic<int> asked_{0};
  detail::atomic<bool> running_{false};
};

task<> run_guest(spinner& code, int slices) {
  for (int i = 0; i != slices; ++i) {
    {
      detail::preempt_scope scope(code);
      code.run_until_asked();
    }
    co_await detail::yield_as_asked();
  }
}

task<> add(detail::atomic<int>& to) {
  to.fetch_add(1);
  co_return;
}

TEST(preempt, long_poll_is_asked_after_its_slice_and_only_when_work_waits) {
  manual_runtime rt({.permits = 1});
  spinner code;
  auto guest = rt->spawn(run_guest(code, 1));
  ASSERT_TRUE(eventually([&] { return code.is_running(); }));
  rt.scan();
  rt.advance(10 * slice);
  rt.scan();
  EXPECT_EQ(code.asked(), 0); // nobody waits
  detail::atomic<int> runs{0};
  auto queued = rt->spawn(add(runs));
  rt.scan();
  EXPECT_EQ(code.asked(), 1);
  queued.wait().value();
  auto stats_of = guest.wait();
  EXPECT_TRUE(stats_of.has_value());
  EXPECT_EQ(rt.snapshot().preemptions, 1u);
}

TEST(preempt, young_poll_keeps_its_slice) {
  manual_runtime rt({.permits = 1});
  spinner code;
  auto guest = rt->spawn(run_guest(code, 1));
  ASSERT_TRUE(eventually([&] { return code.is_running(); }));
  detail::atomic<int> runs{0};
  auto queued = rt->spawn(add(runs));
  rt.scan(); // the first sight
  rt.advance(slice - 1ns);
  rt.scan();
  EXPECT_EQ(code.asked(), 0);
  rt.advance(1ns);
  rt.scan();
  EXPECT_EQ(code.asked(), 1);
  queued.wait().value();
  guest.wait().value();
}

TEST(preempt, slice_that_follows_another_counts_from_its_own_start) {
  manual_runtime rt({.permits = 1});
  spinner first;
  spinner second;
  auto one = rt->spawn(run_guest(first, 1));
  ASSERT_TRUE(eventually([&] { return first.is_running(); }));
  auto two = rt->spawn(run_guest(second, 1));
  detail::atomic<int> runs{0};
  auto queued = rt->spawn(add(runs));
  rt.scan(); // the first sight
  rt.advance(slice);
  rt.scan();
  ASSERT_TRUE(eventually([&] { return second.is_running(); }));
  rt.advance(slice - 1ns);
  rt.scan(); // the first sight of the second guest's poll
  EXPECT_EQ(second.asked(), 0);
  rt.advance(1ns);
  rt.scan();
  EXPECT_EQ(second.asked(), 1);
  queued.wait().value();
  one.wait().value();
  two.wait().value();
}

TEST(preempt, returning_caller_is_served_at_once) {
  gate end;
  manual_runtime rt({.permits = 1});
  auto block = [&]() -> task<> {
    blocking([&] { end.wait(); });
    co_return;
  };
  spinner code;
  auto caller = rt->spawn(block());
  ASSERT_TRUE(rt.wait_for_regions(1));
  auto guest = rt->spawn(run_guest(code, 1));
  rt.advance(grace);
  rt.scan();
  ASSERT_TRUE(eventually([&] { return code.is_running(); }));
  end.open(); // no scan follows: the returning caller itself asks
  caller.wait().value();
  EXPECT_EQ(code.asked(), 1);
  guest.wait().value();
  EXPECT_EQ(rt.snapshot().preemptions, 1u);
}

TEST(preempt, scope_that_opens_while_a_caller_waits_is_asked_at_once) {
  gate end;
  gate starts;
  manual_runtime rt({.permits = 1});
  auto block = [&]() -> task<> {
    blocking([&] { end.wait(); });
    co_return;
  };
  spinner code;
  detail::atomic<bool> holds{false};
  auto late_guest = [&]() -> task<> {
    holds.store(true);
    starts.wait(); // unmarked, outside of the scope
    co_await run_guest(code, 1);
  };
  auto caller = rt->spawn(block());
  ASSERT_TRUE(rt.wait_for_regions(1));
  auto guest = rt->spawn(late_guest());
  rt.advance(grace);
  rt.scan();
  ASSERT_TRUE(eventually([&] { return holds.load(); }));
  end.open();
  ASSERT_TRUE(eventually([&] { return rt.snapshot().returning == 1; }));
  starts.open();
  // run_until_asked() counts from its own start, so the scope's own question must reach it as a second one from a scan.
  ASSERT_TRUE(eventually([&] {
    rt.scan();
    return caller.is_done();
  }));
  EXPECT_GE(code.asked(), 1);
  guest.wait().value();
}

TEST(preempt, scope_follows_the_worker_through_a_region) {
  gate end;
  manual_runtime rt({.permits = 1});
  spinner code;
  detail::atomic<bool> is_back{false};
  auto guest_body = [&]() -> task<> {
    {
      detail::preempt_scope scope(code);
      blocking([&] { end.wait(); });
      is_back.store(true);
      code.run_until_asked();
    }
    co_await detail::yield_as_asked();
  };
  auto guest = rt->spawn(guest_body());
  ASSERT_TRUE(rt.wait_for_regions(1));
  detail::atomic<int> runs{0};
  auto first = rt->spawn(add(runs));
  rt.advance(grace);
  rt.scan();
  first.wait().value();
  end.open();
  ASSERT_TRUE(eventually([&] { return is_back.load() && code.is_running(); }));
  auto second = rt->spawn(add(runs));
  rt.scan();
  rt.advance(slice);
  rt.scan();
  second.wait().value();
  guest.wait().value();
  EXPECT_EQ(code.asked(), 1);
}

TEST(preempt, nobody_is_asked_after_its_scope) {
  gate end;
  manual_runtime rt({.permits = 1});
  spinner code;
  detail::atomic<bool> holds{false};
  auto body = [&]() -> task<> {
    {
      detail::preempt_scope scope(code);
    }
    holds.store(true);
    end.wait();
    co_return;
  };
  auto holder = rt->spawn(body());
  ASSERT_TRUE(eventually([&] { return holds.load(); }));
  detail::atomic<int> runs{0};
  auto queued = rt->spawn(add(runs));
  rt.scan();
  rt.advance(slice);
  rt.scan();
  EXPECT_EQ(code.asked(), 0);
  end.open();
  queued.wait().value();
  holder.wait().value();
}

TEST(preempt, scope_outside_a_runtime_does_nothing) {
  spinner code;
  detail::preempt_scope scope(code);
  EXPECT_EQ(code.asked(), 0);
  EXPECT_EQ(detail::current_task_stats().polls, 0u);
}

TEST(preempt, checkpoint_suspends_only_when_asked) {
  manual_runtime rt({.permits = 1});
  detail::atomic<bool> stop{false};
  detail::atomic<std::uint64_t> rounds{0};
  auto loop = [&]() -> task<task_stats> {
    while (!stop.load()) {
      rounds.fetch_add(1);
      co_await checkpoint();
    }
    co_return detail::current_task_stats();
  };
  auto looping = rt->spawn(loop());
  ASSERT_TRUE(eventually([&] { return rounds.load() > 1000; }));
  EXPECT_EQ(rt.snapshot().polls, 1u);
  detail::atomic<int> runs{0};
  auto queued = rt->spawn(add(runs));
  rt.scan();
  rt.advance(slice);
  rt.scan();
  queued.wait().value();
  stop.store(true);
  task_stats stats = looping.wait().value();
  EXPECT_EQ(stats.preemptions, 1u);
  EXPECT_EQ(stats.polls, 2u);
}

TEST(preempt, eight_spinners_let_one_publisher_run_with_the_real_monitor) { // what must be seen, 2, peers 24
  runtime rt({.permits = 1});
  for (int round = 0; round != 10; ++round) {
    detail::atomic<bool> published{false};
    auto spin = [&]() -> task<> {
      while (!published.load()) co_await checkpoint();
    };
    std::vector<join_handle<void>> spinners;
    for (int i = 0; i != 8; ++i) spinners.push_back(rt.spawn(spin()));
    auto publish = [&]() -> task<> {
      published.store(true);
      co_return;
    };
    rt.spawn(publish()).wait().value();
    for (auto& each : spinners) each.wait().value();
  }
}

} // namespace
} // namespace weir::testing
