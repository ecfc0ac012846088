// SPDX-License-Identifier: Apache-2.0
// The table of doc/design/exceptions.md, row by row.
#include <weir/blocking.hpp>
#include <weir/event.hpp>
#include <weir/scoped_handle.hpp>
#include <weir/semaphore.hpp>
#include <weir/stop.hpp>
#include <weir/task_scope.hpp>
#include <weir/when_all.hpp>
#include <weir/when_any.hpp>

#include "sync/test_support.hpp"

#include <memory>
#include <stdexcept>
#include <string>

namespace weir::testing {
namespace {

task<int> fail(std::string what) {
  co_await yield();
  throw std::runtime_error(what);
}

// Fails when it has been asked to stop.
task<int> fail_late(std::string what, detail::atomic<int>& running) {
  co_await yield();
  running.fetch_add(1);
  while (!this_task::stop_requested()) std::this_thread::yield();
  throw std::runtime_error(what);
}

template <class F> std::string thrown_by(F&& function) {
  try {
    function();
  } catch (const std::exception& why) {
    return why.what();
  }
  return "nothing";
}
std::string text_of(const std::exception_ptr& what) {
  return thrown_by([&] { std::rethrow_exception(what); });
}

/// What on_unhandled got.
struct unhandled_log {
  std::mutex lock;
  std::vector<std::string> seen;
  runtime_options options(std::size_t permits = 2) {
    runtime_options chosen;
    chosen.permits = permits;
    chosen.on_unhandled = [this](const unhandled_exception& report) {
      std::lock_guard guard(lock);
      seen.push_back(std::string(report.task_name) + ": " + text_of(report.exception));
    };
    return chosen;
  }
  std::vector<std::string> get() {
    std::lock_guard guard(lock);
    return seen;
  }
};

TEST(exceptions, of_an_awaited_task_reach_the_await) { // E1
  live_runtime rt;
  auto body = [&]() -> task<std::string> {
    try {
      co_await fail("inner");
    } catch (const std::runtime_error& why) {
      co_return why.what();
    }
    co_return "nothing";
  };
  EXPECT_EQ(rt->spawn(body()).wait().value(), "inner");
}

TEST(exceptions, of_a_joined_task_or_fiber_reach_the_joiner) { // E2
  live_runtime rt;
  auto outcome = rt->spawn(fail("joined")).wait();
  EXPECT_EQ(text_of(outcome.exception()), "joined");
  EXPECT_EQ(thrown_by([&] { outcome.value(); }), "joined");
  auto fiber = rt->spawn_fiber([]() -> int { throw std::runtime_error("fiber"); }).wait();
  EXPECT_EQ(thrown_by([&] { fiber.value(); }), "fiber");
}

TEST(exceptions, of_a_detached_task_reach_the_handler_with_the_name) { // E3
  unhandled_log log;
  live_runtime rt(log.options());
  rt->spawn(fail("lost"), {.name = "lonely"}).detach();
  EXPECT_TRUE(eventually([&] { return log.get() == std::vector<std::string>{"lonely: lost"}; }));
}

TEST(exceptions, of_a_task_asked_to_stop_that_fails_first_reach_the_joiner) { // E4
  live_runtime rt;
  detail::atomic<int> running{0};
  auto handle = rt->spawn(fail_late("late", running));
  ASSERT_TRUE(eventually([&] { return running.load() == 1; }));
  handle.abort();
  EXPECT_EQ(text_of(handle.wait().exception()), "late");
}

struct throws_at_the_end {
  ~throws_at_the_end() noexcept(false) { throw std::runtime_error("destructor"); }
};

TEST(exceptions, of_destructors_of_a_stopped_task_reach_the_joiner) { // E5
  unhandled_log log;
  live_runtime rt(log.options());
  event never;
  detail::atomic<int> destroyed{0};
  detail::atomic<bool> is_waiting{false};
  auto body = [&](destruction_probe) -> task<> {
    destruction_probe local(destroyed);
    throws_at_the_end thrower;
    is_waiting.store(true);
    co_await never;
  };
  auto handle = rt->spawn(body(destruction_probe(destroyed)));
  ASSERT_TRUE(eventually([&] { return is_waiting.load(); }));
  handle.abort();
  auto outcome = handle.wait();
  EXPECT_FALSE(outcome.is_stopped());
  EXPECT_NE(outcome.exception(), nullptr);
  EXPECT_EQ(destroyed.load(), 2);
  EXPECT_TRUE(log.get().empty());
}

TEST(exceptions, of_a_root_reach_the_caller_of_block_on) { // E6
  live_runtime rt;
  EXPECT_EQ(thrown_by([&] { rt->block_on(fail("root")); }), "root");
}

TEST(exceptions, of_children_are_thrown_by_join_first_and_kept_after) { // E7, E8
  unhandled_log log;
  live_runtime rt(log.options());
  auto body = [&]() -> task<> {
    detail::atomic<int> running{0};
    task_scope scope;
    auto late = scope.spawn(fail_late("second", running));
    while (running.load() != 1) co_await yield();
    auto first = scope.spawn(fail("first"));
    std::string joined;
    try {
      co_await scope.join();
    } catch (const std::runtime_error& why) {
      joined = why.what();
    }
    EXPECT_EQ(joined, "first");
    auto errors = scope.errors();
    EXPECT_EQ(errors.size(), 2U);
    if (errors.size() == 2) {
      EXPECT_EQ(text_of(errors[0]), "first");
      EXPECT_EQ(text_of(errors[1]), "second");
    }
    EXPECT_EQ(text_of((co_await first).exception()), "first");
    EXPECT_EQ(text_of((co_await late).exception()), "second");
  };
  rt->spawn(body()).wait().value();
  EXPECT_TRUE(log.get().empty()); // a child is never unhandled
}

TEST(exceptions, of_children_of_a_scope_nobody_joins_are_dropped) { // E9
  unhandled_log log;
  live_runtime rt(log.options());
  {
    task_scope scope(*rt);
    scope.spawn(fail("dropped"));
    EXPECT_TRUE(eventually([&] { return scope.live() == 0; }));
    EXPECT_EQ(scope.errors().size(), 1U);
  }
  EXPECT_TRUE(log.get().empty());
}

TEST(exceptions, of_the_owner_of_a_scope_leave_it_when_the_children_are_gone) { // E10
  live_runtime rt;
  event never;
  detail::atomic<int> destroyed{0};
  auto child = [&](destruction_probe) -> task<> { co_await never; };
  auto body = [&]() -> task<> {
    task_scope scope;
    scope.spawn(child(destruction_probe(destroyed)));
    co_await yield();
    throw std::runtime_error("owner");
  };
  auto outcome = rt->spawn(body()).wait();
  EXPECT_EQ(destroyed.load(), 1);
  EXPECT_EQ(text_of(outcome.exception()), "owner");
}

TEST(exceptions, of_with_scope_reach_whoever_awaits_it) { // E11
  live_runtime rt;
  event never;
  detail::atomic<int> destroyed{0};
  auto child = [&](destruction_probe) -> task<> { co_await never; };
  auto failing = [&](task_scope& scope) -> task<int> {
    scope.spawn(child(destruction_probe(destroyed)));
    co_await yield();
    throw std::runtime_error("function");
  };
  auto with_failing_child = [&](task_scope& scope) -> task<int> {
    scope.spawn(fail("child"));
    co_await never;
    co_return 1;
  };
  auto outcome = rt->spawn(with_scope(failing)).wait();
  EXPECT_EQ(destroyed.load(), 1);
  EXPECT_EQ(text_of(outcome.exception()), "function");
  EXPECT_EQ(text_of(rt->spawn(with_scope(with_failing_child)).wait().exception()), "child");
}

TEST(exceptions, of_when_all_reach_whoever_awaits_it) { // E12
  unhandled_log log;
  live_runtime rt(log.options());
  detail::atomic<int> running{0};
  auto fail_then = [&]() -> task<int> {
    while (running.load() == 0) co_await yield();
    throw std::runtime_error("first");
  };
  auto outcome = rt->spawn(when_all(fail_late("dropped", running), fail_then())).wait();
  EXPECT_EQ(text_of(outcome.exception()), "first");
  EXPECT_TRUE(log.get().empty());
}

TEST(exceptions, of_the_winner_of_when_any_are_thrown_and_those_of_losers_kept) { // E13, E14
  unhandled_log log;
  live_runtime rt(log.options());
  detail::atomic<int> running{0};
  auto fail_then = [&]() -> task<int> {
    while (running.load() == 0) co_await yield();
    throw std::runtime_error("winner");
  };
  EXPECT_EQ(text_of(rt->spawn(when_any(fail_late("loser", running), fail_then())).wait().exception()), "winner");
  running.store(0);
  auto win_then = [&]() -> task<int> {
    while (running.load() == 0) co_await yield();
    co_return 3;
  };
  auto won = rt->spawn(when_any(fail_late("loser", running), win_then())).wait().value();
  EXPECT_EQ(won.index, 1U);
  ASSERT_EQ(won.loser_errors.size(), 1U);
  EXPECT_EQ(text_of(won.loser_errors[0]), "loser");
  EXPECT_TRUE(log.get().empty());
}

TEST(exceptions, of_a_blocking_function_reach_its_caller) { // E15
  live_runtime rt;
  auto body = [&]() -> task<std::string> {
    std::string seen = thrown_by([] { blocking([] { throw std::runtime_error("region"); }); });
    co_await yield();
    co_return seen;
  };
  EXPECT_EQ(rt->spawn(body()).wait().value(), "region");
}

TEST(exceptions, of_a_task_whose_scoped_handle_is_dropped_reach_the_handler) { // E16
  unhandled_log log;
  live_runtime rt(log.options());
  {
    scoped_handle dropped(rt->spawn(fail("scoped"), {.name = "early"}));
    ASSERT_TRUE(eventually([&] { return dropped.is_done(); }));
  }
  EXPECT_EQ(log.get(), std::vector<std::string>{"early: scoped"});
}

TEST(exceptions, are_not_thrown_by_waits_that_are_closed_or_stopped) { // E17
  live_runtime rt;
  semaphore permits(0);
  stop_source source;
  auto wait_closed = [&]() -> task<bool> { co_return (co_await permits.acquire()).has_value(); };
  auto wait_stopped = [&]() -> task<bool> {
    co_return (co_await with_stop(source.get_token(), permits.acquire())).is_stopped();
  };
  auto stopped = rt->spawn(wait_stopped());
  source.request_stop();
  EXPECT_TRUE(stopped.wait().value());
  auto closed = rt->spawn(wait_closed());
  permits.close();
  EXPECT_FALSE(closed.wait().value());
}

TEST(exceptions, of_the_handler_end_the_program) { // E18
  auto run = [] {
    runtime_options options;
    options.permits = 1;
    options.on_unhandled = [](const unhandled_exception&) { throw std::runtime_error("handler"); };
    live_runtime rt(std::move(options));
    rt->spawn(fail("lost")).detach();
    static_cast<void>(eventually([] { return false; }));
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(run(), "handler");
}

TEST(exceptions, of_a_callback_of_a_std_stop_token_end_the_program_and_not_the_requester) { // E18
  auto run = [] {
    stop_source source;
    event never;
    detail::atomic<bool> is_ready{false};
    live_runtime rt;
    auto body = [&]() -> task<> {
      std_stop bridge(source.get_token());
      std::stop_callback callback(bridge.get_token(), [] { throw std::runtime_error("callback"); });
      is_ready.store(true);
      co_await never;
    };
    rt->spawn(body()).detach();
    static_cast<void>(eventually([&] { return is_ready.load(); }));
    if (source.request_stop()) std::fputs("the requester went on; ", stderr); // the callback runs in a task of its own
    static_cast<void>(eventually([] { return false; }));
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(run(), "callback");
}

TEST(exceptions, that_unwind_a_stopped_fiber_come_again_when_swallowed) { // E19
  live_runtime rt;
  event never;
  detail::atomic<int> caught{0};
  detail::atomic<bool> is_waiting{false};
  auto fiber = rt->spawn_fiber([&] {
    is_waiting.store(true);
    for (int i = 0; i != 2; ++i) {
      try {
        never.wait();
      } catch (...) {
        caught.fetch_add(1);
      }
    }
    never.wait();
  });
  ASSERT_TRUE(eventually([&] { return is_waiting.load(); }));
  fiber.abort();
  EXPECT_TRUE(fiber.wait().is_stopped());
  EXPECT_EQ(caught.load(), 2);
}

} // namespace
} // namespace weir::testing
