// SPDX-License-Identifier: Apache-2.0
#include "sched/task_state.hpp"
#include "sched/test_support.hpp"

#include <coroutine>
#include <optional>

namespace weir::testing {
namespace {

task<int> answer() { co_return 42; }

task<> forever() {
  for (;;) co_await yield();
}

TEST(join, exception_reaches_the_joiner) { // C42
  manual_runtime rt;
  auto fail = []() -> task<int> {
    co_await yield();
    throw std::runtime_error("inside");
  };
  auto outcome = rt->spawn(fail()).wait();
  EXPECT_FALSE(outcome.has_value());
  EXPECT_FALSE(outcome.is_stopped());
  EXPECT_THROW(outcome.value(), std::runtime_error);
}

TEST(join, reference_results_refer_to_the_same_object) {
  manual_runtime rt;
  int object = 1;
  auto refer = [](int& to) -> task<int&> { co_return to; };
  EXPECT_EQ(&rt->spawn(refer(object)).wait().value(), &object);
}

TEST(join, abort_before_the_first_poll_never_enters_the_body) { // test 54, C38
  gate end;
  manual_runtime rt({.permits = 1});
  auto hold = [&]() -> task<> {
    end.wait();
    co_return;
  };
  auto holder = rt->spawn(hold());
  ASSERT_TRUE(eventually([&] { return rt.snapshot().active == 1; }));
  detail::atomic<int> destroyed{0};
  detail::atomic<int> entered{0};
  auto body = [](detail::atomic<int>& count, destruction_probe) -> task<> {
    count.fetch_add(1);
    co_return;
  };
  auto aborted = rt->spawn(body(entered, destruction_probe(destroyed)));
  aborted.abort();
  end.open();
  auto outcome = aborted.wait();
  EXPECT_TRUE(outcome.is_stopped());
  EXPECT_THROW(outcome.value(), task_stopped);
  EXPECT_EQ(entered.load(), 0);
  EXPECT_EQ(destroyed.load(), 1);
}

TEST(join, abort_of_a_parked_task_destroys_it_after_many_self_wakes) { // test 55, C38
  manual_runtime rt({.permits = 1});
  detail::atomic<int> destroyed{0};
  detail::waker waker;
  detail::atomic<bool> is_parked{false};
  auto body = [&](destruction_probe) -> task<> {
    for (int i = 0; i != 1024; ++i) co_await yield();
    co_await park_here{waker, is_parked};
  };
  auto parked = rt->spawn(body(destruction_probe(destroyed)));
  ASSERT_TRUE(eventually([&] { return is_parked.load(); }));
  parked.abort();
  EXPECT_TRUE(parked.wait().is_stopped());
  EXPECT_EQ(destroyed.load(), 1);
}

TEST(join, completion_that_comes_before_the_abort_wins) { // C37
  manual_runtime rt;
  auto done = rt->spawn(answer());
  ASSERT_TRUE(eventually([&] { return done.is_done(); }));
  done.abort();
  EXPECT_EQ(done.wait().value(), 42);
}

TEST(join, abort_handle_works_after_the_join_handle_is_gone) { // test 57, C37
  manual_runtime rt;
  detail::atomic<int> destroyed{0};
  auto body = [](destruction_probe) -> task<> {
    for (;;) co_await yield();
  };
  auto handle = rt->spawn(body(destruction_probe(destroyed)));
  auto abort = handle.get_abort_handle();
  handle.detach();
  abort.abort();
  EXPECT_TRUE(eventually([&] { return destroyed.load() == 1; }));
  abort.abort();
}

TEST(join, dropped_result_is_destroyed_once_in_either_order) { // C42, I10
  manual_runtime rt;
  for (bool completes_first : {true, false}) {
    detail::atomic<int> destroyed{0};
    detail::atomic<bool> may_end{completes_first};
    auto body = [](detail::atomic<int>& count, detail::atomic<bool>& until) -> task<destruction_probe> {
      while (!until.load()) co_await yield();
      co_return destruction_probe(count);
    };
    auto handle = rt->spawn(body(destroyed, may_end));
    if (completes_first) {
      ASSERT_TRUE(eventually([&] { return handle.is_done(); }));
    }
    EXPECT_EQ(destroyed.load(), 0);
    handle.detach();
    may_end.store(true);
    ASSERT_TRUE(eventually([&] { return destroyed.load() == 1; }));
  }
}

TEST(join, joined_result_outlives_the_runtime) { // test 62
  detail::atomic<int> destroyed{0};
  {
    std::optional<join_result<destruction_probe>> outcome;
    {
      manual_runtime rt;
      auto body = [](detail::atomic<int>& count) -> task<destruction_probe> { co_return destruction_probe(count); };
      outcome.emplace(rt->spawn(body(destroyed)).wait());
      rt->shutdown();
    }
    EXPECT_TRUE(outcome->has_value());
    EXPECT_EQ(destroyed.load(), 0);
  }
  EXPECT_EQ(destroyed.load(), 1);
}

TEST(join, exception_nobody_takes_goes_to_the_handler_in_either_order) { // C42
  for (bool completes_first : {true, false}) {
    std::mutex lock;
    std::string seen;
    detail::atomic<int> reports{0};
    manual_setup setup;
    setup.on_unhandled = [&](const unhandled_exception& report) {
      std::lock_guard guard(lock);
      try {
        std::rethrow_exception(report.exception);
      } catch (const std::exception& why) {
        seen = std::string(report.task_name) + ": " + why.what();
      }
      reports.fetch_add(1);
    };
    manual_runtime rt(setup);
    detail::atomic<bool> may_end{completes_first};
    auto body = [](detail::atomic<bool>& until) -> task<> {
      while (!until.load()) co_await yield();
      throw std::runtime_error("lost");
    };
    auto handle = rt->spawn(body(may_end), {.name = "loser"});
    if (completes_first) {
      ASSERT_TRUE(eventually([&] { return handle.is_done(); }));
    }
    handle.detach();
    may_end.store(true);
    ASSERT_TRUE(eventually([&] { return reports.load() == 1; }));
    EXPECT_EQ(seen, "loser: lost");
  }
}

TEST(join_death_test, exception_nobody_takes_ends_the_program_with_name_and_site) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        runtime rt({.permits = 1});
        auto body = []() -> task<> {
          throw std::runtime_error("lost");
          co_return;
        };
        rt.spawn(body(), {.name = "loser"}).detach();
        for (;;) std::this_thread::yield();
      },
      "\"loser\", spawned at .*join_test.cpp");
}

TEST(join, wake_that_races_the_last_poll_lets_the_task_complete) { // test 42, C43, peers 5
  for (int round = 0; round != 128; ++round) {
    manual_runtime rt({.permits = 2});
    detail::waker waker;
    detail::atomic<bool> is_parked{false};
    auto body = [&]() -> task<> {
      co_await park_here{waker, is_parked};
      co_await yield();
    };
    auto handle = rt->spawn(body());
    ASSERT_TRUE(eventually([&] { return is_parked.load(); }));
    std::thread other([&] { waker.wake(); });
    waker.wake();
    other.join();
    handle.wait().value();
  }
}

TEST(join, wakes_during_a_poll_cause_one_more_poll_and_none_beside_it) { // test 43, C43
  manual_runtime rt({.permits = 2});
  for (int round = 0; round != 64; ++round) {
    detail::atomic<int> inside{0};
    detail::atomic<bool> overlapped{false};
    detail::atomic<int> polls{0};
    detail::atomic<bool> go{false};
    detail::atomic<int> woken{0};
    detail::waker waker;
    detail::atomic<bool> has_waker{false};
    auto body = [&]() -> task<> {
      waker = detail::waker(*detail::current_task());
      has_waker.store(true);
      if (inside.fetch_add(1) != 0) overlapped.store(true);
      go.store(true);
      while (woken.load() != 24) std::this_thread::yield();
      inside.fetch_sub(1);
      detail::waker unused;
      detail::atomic<bool> is_parked{false};
      polls.fetch_add(1);
      co_await park_here{unused, is_parked}; // was woken during the poll: comes back
      if (inside.fetch_add(1) != 0) overlapped.store(true);
      polls.fetch_add(1);
    };
    auto handle = rt->spawn(body());
    std::vector<std::thread> wakers;
    for (int t = 0; t != 3; ++t) {
      wakers.emplace_back([&] {
        while (!go.load() || !has_waker.load()) std::this_thread::yield();
        for (int i = 0; i != 8; ++i) {
          waker.wake();
          woken.fetch_add(1);
        }
      });
    }
    for (auto& each : wakers) each.join();
    handle.wait().value();
    EXPECT_EQ(polls.load(), 2);
    EXPECT_FALSE(overlapped.load());
  }
}

// A coroutine that no weir runtime knows.
struct foreign {
  struct promise_type {
    foreign get_return_object() { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
};

TEST(join, handle_is_awaited_by_a_coroutine_of_no_runtime) { // C37
  manual_runtime rt;
  for (int round = 0; round != 200; ++round) {
    detail::atomic<int> result{0};
    auto await = [](join_handle<int> handle, detail::atomic<int>& into) -> foreign {
      into.store((co_await handle).value());
    };
    await(rt->spawn(answer()), result);
    ASSERT_TRUE(eventually([&] { return result.load() == 42; }));
  }
}

TEST(join, spurious_wake_of_a_joining_task_does_not_end_its_wait) {
  manual_runtime rt({.permits = 1});
  detail::atomic<bool> may_end{false};
  detail::waker joiner_waker;
  detail::atomic<bool> joins{false};
  auto slow = [&]() -> task<int> {
    while (!may_end.load()) co_await yield();
    co_return 42;
  };
  auto join = [&]() -> task<int> {
    auto child = spawn(slow());
    joiner_waker = detail::waker(*detail::current_task());
    joins.store(true);
    co_return (co_await child).value();
  };
  auto joiner = rt->spawn(join());
  ASSERT_TRUE(eventually([&] { return joins.load(); }));
  for (int i = 0; i != 100; ++i) joiner_waker.wake();
  may_end.store(true);
  EXPECT_EQ(joiner.wait().value(), 42);
}

TEST(join, stopped_joiner_leaves_the_task_it_waits_for_running) {
  manual_runtime rt({.permits = 1});
  detail::atomic<bool> may_end{false};
  detail::atomic<bool> has_ended{false};
  auto slow = [&]() -> task<> {
    while (!may_end.load()) co_await yield();
    has_ended.store(true);
  };
  detail::atomic<bool> joins{false};
  auto join = [&]() -> task<> {
    auto child = spawn(slow());
    joins.store(true);
    (co_await child).value();
  };
  auto joiner = rt->spawn(join());
  ASSERT_TRUE(eventually([&] { return joins.load(); }));
  joiner.abort();
  EXPECT_TRUE(joiner.wait().is_stopped());
  may_end.store(true);
  EXPECT_TRUE(eventually([&] { return has_ended.load(); }));
}

TEST(join, cpu_time_is_counted_only_for_tasks_that_ask) {
  manual_runtime rt({.permits = 1});
  auto burn = []() -> task<std::chrono::nanoseconds> {
    auto until = rt::os::this_thread_cpu_time() + 2ms;
    while (rt::os::this_thread_cpu_time() < until) {
    }
    co_await yield();
    co_return detail::current_task_stats().cpu_time;
  };
  EXPECT_GE(rt->spawn(burn(), {.accounts_cpu = true}).wait().value(), 2ms);
  EXPECT_EQ(rt->spawn(burn()).wait().value(), 0ns);
}

TEST(join, aborted_tasks_are_counted_out) {
  manual_runtime rt({.permits = 2});
  std::vector<join_handle<void>> tasks;
  for (int i = 0; i != 100; ++i) tasks.push_back(rt->spawn(forever()));
  EXPECT_EQ(rt.snapshot().tasks, 100u);
  for (auto& each : tasks) each.abort();
  for (auto& each : tasks) EXPECT_TRUE(each.wait().is_stopped());
  EXPECT_EQ(rt.snapshot().tasks, 0u);
}

/// A root whose thread sees that it is woken, and ends it, before the waker has told it.
struct quick_root : detail::task_header {
  quick_root() : task_header(quick, detail::task_kind::root) {
    rt::task_state::init(*this);
    rt::task_state::start(*this);
    EXPECT_EQ(rt::task_state::suspend(*this, false), rt::task_state::after_poll::parked);
    EXPECT_FALSE(rt::task_state::drop(*this)); // of the two that a task begins with
  }

  static void schedule(task_header& root) noexcept {
    detail::drop_reference(root);
    EXPECT_FALSE(static_cast<quick_root&>(root).is_destroyed) << "while its waker still wakes it";
  }
  static void destroy(task_header& root) noexcept { static_cast<quick_root&>(root).is_destroyed = true; }

  static constexpr detail::task_operations quick{nullptr, nullptr, nullptr, destroy, schedule};
  bool is_destroyed = false;
};

TEST(join, root_that_ends_while_it_is_woken_is_there_until_its_waker_is_done) {
  quick_root root;
  detail::add_reference(root);
  detail::completion_waiter::task(root).wake();
  EXPECT_TRUE(root.is_destroyed);
}

} // namespace
} // namespace weir::testing
