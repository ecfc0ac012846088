// SPDX-License-Identifier: Apache-2.0
// How long a task in a queue may have to wait, in polls: rules C21 to C24.
#include "sched/test_support.hpp"

#include <algorithm>
#include <utility>

namespace weir::testing {
namespace {

using counter = detail::atomic<int>;

task<> note(counter& from, counter& into) {
  into.store(from.load());
  co_return;
}

/// Suspends until somebody wakes the task.
struct park {
  bool await_ready() const noexcept { return false; }
  template <class Promise> void await_suspend(std::coroutine_handle<Promise> self) const noexcept {
    detail::current_task()->set_leaf(self);
  }
  void await_resume() const noexcept {}
};

task<> hold(gate& until, counter& holding) {
  holding.fetch_add(1);
  until.wait();
  co_return;
}

/// A runtime of which one permit works and the others are held.
class one_working_permit {
public:
  explicit one_working_permit(std::size_t permits) : rt_({.permits = permits}) {
    for (std::size_t held = 1; held < rt_.snapshot().permits; ++held)
      holders_.push_back(rt_->spawn(hold(end_, holding_)));
    EXPECT_TRUE(eventually([&] { return holding_.load() == static_cast<int>(holders_.size()); }));
  }
  ~one_working_permit() { end_.open(); }
  manual_runtime& operator*() noexcept { return rt_; }

private:
  gate end_;
  counter holding_{0};
  manual_runtime rt_;
  std::vector<join_handle<void>> holders_;
};

class fairness : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(permits, fairness, tested_permits);

TEST_P(fairness, older_sibling_of_a_task_that_wakes_itself_runs_within_the_limit) { // test 33, C23
  one_working_permit rt(GetParam());
  counter polls{0};
  counter seen{-1};
  auto self_waker = [&]() -> task<int> {
    int limit = static_cast<int>(rt::oldest_period + rt::injector_period);
    auto sibling = spawn(note(polls, seen));
    while (seen.load() == -1 && polls.load() <= limit) {
      polls.fetch_add(1);
      co_await yield();
    }
    (co_await sibling).value();
    co_return seen.load();
  };
  EXPECT_LE((*rt)->spawn(self_waker()).wait().value(), static_cast<int>(rt::injector_period));
}

TEST_P(fairness, third_task_beside_two_that_wake_each_other_runs_within_eight_polls) { // test 35
  static_assert(rt::oldest_period == 8);
  one_working_permit rt(GetParam());
  counter polls{0};
  counter spawned_at{-1};
  counter seen{-1};
  detail::waker wakers[2];
  counter ready{0};
  auto player = [&](int self) -> task<> {
    wakers[self] = detail::waker(*detail::current_task());
    ready.fetch_add(1);
    while (ready.load() != 2) co_await yield();
    while (seen.load() == -1 && polls.load() < 1000) {
      polls.fetch_add(1);
      wakers[1 - self].wake();
      if (self == 0 && polls.load() >= 101 && spawned_at.load() == -1) {
        spawned_at = polls.load();
        static_cast<void>(spawn(note(polls, seen)));
      }
      co_await park();
    }
    wakers[1 - self].wake();
  };
  auto first = (*rt)->spawn(player(0));
  auto second = (*rt)->spawn(player(1));
  first.wait().value();
  second.wait().value();
  ASSERT_NE(seen.load(), -1);
  EXPECT_LE(seen.load() - spawned_at.load(), static_cast<int>(rt::oldest_period));
}

/// How often each of many tasks has run at least when the first of them has run 200 times.
int least_turns(std::size_t permits, bool uses_up_slices, spawn_options options) {
  one_working_permit rt(permits);
  constexpr int tasks = 600; // the ring has room for 256
  constexpr int rounds = 200;
  std::vector<int> turns(tasks); // of the one permit that works
  int least = -1;
  auto yields = [&](int self) -> task<> {
    while (turns[static_cast<std::size_t>(self)] != rounds) {
      ++turns[static_cast<std::size_t>(self)];
      if (uses_up_slices) rt::current_context()->on->count_preemption();
      co_await yield();
    }
    if (least == -1) least = std::ranges::min(turns); // when the first is ready
  };
  auto all = [&]() -> task<> {
    std::vector<join_handle<void>> handles;
    for (int self = 0; self != tasks; ++self) handles.push_back(spawn(yields(self), options));
    for (auto& each : handles) (co_await each).value();
  };
  (*rt)->spawn(all()).wait().value();
  return least;
}

TEST_P(fairness, what_overflows_a_ring_runs_while_the_ring_is_never_empty) {
  EXPECT_GE(least_turns(GetParam(), false, {}), 2);
  EXPECT_GE(least_turns(GetParam(), true, {}), 2) << "the injector has its turn after each slice that is used up";
  EXPECT_GE(least_turns(GetParam(), false, {.priority = task_priority::background}), 2);
}

TEST_P(fairness, permit_that_is_never_out_of_work_takes_a_share_of_what_overflows_elsewhere) {
  manual_runtime rt({.permits = GetParam()});
  if (rt.snapshot().permits == 1) GTEST_SKIP() << "there is no other permit";
  constexpr int tasks = 2000;
  counter is_busy{0};
  counter elsewhere{0};
  counter end{0};
  auto yields = [&]() -> task<> {
    is_busy.store(1);
    while (end.load() == 0) co_await yield();
  };
  auto counts = [&]() -> task<> {
    elsewhere.fetch_add(1);
    co_return;
  };
  auto busy = rt->spawn(yields());
  auto spawner = [&]() -> task<> {
    while (is_busy.load() == 0) std::this_thread::yield(); // the other permit has it
    for (int left = tasks; left != 0; --left) spawn(counts()).detach();
    EXPECT_TRUE(eventually([&] { return elsewhere.load() > tasks / 2; })); // this poll goes on
    end.store(1);
    while (elsewhere.load() != tasks) co_await yield(); // the rest refer to this test, too
  };
  rt->spawn(spawner()).wait().value();
  busy.wait().value();
}

TEST_P(fairness, what_overflows_a_ring_runs_elsewhere_while_its_permit_is_busy) {
  manual_runtime rt({.permits = GetParam()});
  if (rt.snapshot().permits == 1) GTEST_SKIP() << "there is no other permit";
  constexpr int tasks = 2000;
  counter done{0};
  auto counts = [&]() -> task<> {
    done.fetch_add(1);
    co_return;
  };
  auto busy = [&]() -> task<> {
    for (int left = tasks; left != 0; --left) spawn(counts()).detach();
    EXPECT_TRUE(eventually([&] { return done.load() == tasks; })); // reaches no checkpoint
    co_return;
  };
  rt->spawn(busy()).wait().value();
}

TEST_P(fairness, injected_task_runs_within_sixteen_polls_of_every_busy_permit) { // test 32, C22
  static_assert(rt::injector_period == 16);
  one_working_permit rt(GetParam());
  counter polls{0};
  counter injected_at{-1};
  counter seen{-1};
  constexpr int wakers = 4;
  counter begun{0};
  auto self_waker = [&](bool injects) -> task<> {
    begun.fetch_add(1);
    while (begun.load() != wakers) co_await yield(); // the last of them must not be in the injector before the task
    while (seen.load() == -1) {
      if (polls.fetch_add(1) >= 100 && std::exchange(injects, false)) {
        injected_at = polls.load();
        blocking([&] { static_cast<void>(spawn(note(polls, seen))); }); // inside a region: through the injector
      }
      co_await yield();
    }
  };
  std::vector<join_handle<void>> busy;
  for (int number = 0; number != wakers; ++number) busy.push_back((*rt)->spawn(self_waker(number == 0)));
  for (auto& each : busy) each.wait().value();
  EXPECT_LE(seen.load() - injected_at.load(), static_cast<int>(rt::injector_period));
}

TEST_P(fairness, closing_is_seen_by_a_busy_permit_within_its_checkpoint) { // C21
  static_assert(rt::checkpoint_period == 64);
  one_working_permit rt(GetParam());
  counter polls{0};
  detail::atomic<int> at_close{-1};
  struct last_poll {
    counter& polls;
    int& into;
    ~last_poll() { into = polls.load(); }
  };
  int last = 0;
  auto self_waker = [&]() -> task<> {
    last_poll mark{polls, last};
    for (;;) {
      if (polls.fetch_add(1) == 1000) {
        (*rt).core().close();
        at_close.store(polls.load());
      }
      co_await yield();
    }
  };
  EXPECT_TRUE((*rt)->spawn(self_waker()).wait().is_stopped());
  EXPECT_LE(last - at_close.load(), static_cast<int>(rt::checkpoint_period));
}

TEST(fairness_of_two, task_behind_a_long_poll_is_taken_by_the_free_permit) { // test 36, peers.md 3
  runtime rt({.permits = 2});
  rt::duration shortest = 1h;
  for (int round = 0; shortest >= 3ms && round != 1000; ++round) {
    detail::atomic<std::int64_t> ran_at{0};
    auto child = [&]() -> task<> {
      ran_at.store(rt::now().nanoseconds);
      co_return;
    };
    auto spins = [&]() -> task<rt::duration> {
      rt::instant began = rt::now();
      auto behind = spawn(child());
      rt::instant end = began + 50ms;
      while (rt::now() < end) {
      }
      (co_await behind).value();
      co_return rt::instant{ran_at.load()} - began;
    };
    shortest = std::min(shortest, rt.spawn(spins()).wait().value());
  }
  EXPECT_LT(shortest, 3ms);
}

TEST(fairness_of_four, spawns_wake_nobody_while_a_woken_thread_has_not_searched_yet) { // test 37, peers.md 3
  gate has_spawned;
  detail::atomic<bool> spawns{false};
  counter parks{0};
  counter unparks{0};
  runtime rt({.permits = 4,
              .hooks = {.park = [&] { parks.fetch_add(1); },
                        .unpark =
                            [&] {
                              if (!spawns.load()) return;
                              unparks.fetch_add(1);
                              has_spawned.wait(); // on the way to its search
                            }}});
  ASSERT_TRUE(eventually([&] { return parks.load() == 5; })); // a thread that starts is not woken to search
  auto spawner = [&]() -> task<> {
    std::vector<join_handle<void>> children;
    spawns.store(true);
    for (int i = 0; i != 10'000; ++i) children.push_back(spawn([]() -> task<> { co_return; }()));
    EXPECT_TRUE(eventually([&] { return unparks.load() != 0; }));
    spawns.store(false);
    has_spawned.open();
    for (auto& each : children) (co_await each).value();
  };
  rt.spawn(spawner()).wait().value();
  rt.shutdown();
  EXPECT_EQ(unparks.load(), 1);
}

TEST(fairness_of_two, spawns_wake_nobody_while_every_permit_is_held) { // test 37
  gate end_of_hold;
  detail::atomic<bool> is_held{false};
  counter unparks{0};
  runtime rt({.permits = 2, .hooks = {.unpark = [&] { unparks.fetch_add(1); }}});
  auto holder = rt.spawn([](gate& until, detail::atomic<bool>& holds) -> task<> {
    holds.store(true);
    until.wait();
    co_return;
  }(end_of_hold, is_held));
  ASSERT_TRUE(eventually([&] { return is_held.load(); }));
  auto spawner = [&]() -> task<int> {
    int before = unparks.load();
    std::vector<join_handle<void>> children;
    for (int i = 0; i != 10'000; ++i) children.push_back(spawn([]() -> task<> { co_return; }()));
    for (auto& each : children) (co_await each).value();
    co_return unparks.load() - before;
  };
  EXPECT_EQ(rt.spawn(spawner()).wait().value(), 0);
  end_of_hold.open();
  holder.wait().value();
  rt.shutdown(); // the hook counts until then
}

TEST(fairness_of_two, queue_of_a_thread_that_was_added_later_is_drained_by_the_others) { // test 38, C25
  gate end_of_regions;
  gate end_of_hold;
  manual_runtime rt({.permits = 2});
  counter runs{0};
  detail::atomic<bool> holds{false};
  auto child = [&]() -> task<> {
    runs.fetch_add(1);
    co_return;
  };
  auto body = [&]() -> task<> {
    bool is_late = rt::current_context()->on->number() > 2; // 0 to 2 were there from the beginning
    if (!is_late || holds.exchange(true)) {
      blocking([&] { end_of_regions.wait(); });
      co_return;
    }
    for (int i = 0; i != 10; ++i) static_cast<void>(spawn(child()));
    end_of_hold.wait(); // unmarked: the queue stays with this thread's permit
  };
  std::vector<join_handle<void>> tasks;
  EXPECT_TRUE(eventually([&] {
    // One more caller as soon as the ones before are in their regions, which lose their permits to it.
    metrics at = rt.snapshot();
    if (!holds.load() && at.queued == 0 && at.in_regions + at.detached == tasks.size())
      tasks.push_back(rt->spawn(body()));
    rt.advance(1ms);
    rt.scan();
    return holds.load();
  }));
  EXPECT_TRUE(eventually([&] {
    rt.advance(1ms);
    rt.scan(); // the other permit may be in a region
    return runs.load() == 10;
  }));
  end_of_regions.open();
  end_of_hold.open();
}

} // namespace
} // namespace weir::testing
