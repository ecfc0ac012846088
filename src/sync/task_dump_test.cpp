// SPDX-License-Identifier: Apache-2.0
#include <weir/channel.hpp>
#include <weir/event.hpp>
#include <weir/mutex.hpp>
#include <weir/semaphore.hpp>
#include <weir/task_scope.hpp>
#include <weir/time.hpp>

#include "sched/test_support.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

namespace weir::testing {
namespace {

using ::testing::HasSubstr;

std::optional<live_task> find(const task_dump& dump, std::string_view name) {
  auto at = std::ranges::find(dump.tasks, name, &live_task::name);
  return at == dump.tasks.end() ? std::nullopt : std::optional(*at);
}

/// Dumps until the task does what it is to do; fails the test when that does not come.
live_task wait_for(manual_runtime& rt, std::string_view name, task_activity activity) {
  std::optional<live_task> seen;
  EXPECT_TRUE(eventually([&] {
    seen = find(rt->dump_tasks(), name);
    return seen && seen->activity == activity;
  })) << name;
  return seen.value_or(live_task());
}

class task_dump_of_runtime : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(permits, task_dump_of_runtime, tested_permits);

task<> hold(gate& until) {
  until.wait();
  co_return;
}

task<> hold_in_region(gate& until) {
  blocking([&] { until.wait(); });
  co_return;
}

TEST_P(task_dump_of_runtime, says_what_a_task_waits_for) {
  event signal;
  semaphore none(0);
  mutex taken;
  channel<int> empty(1);
  channel<int> full(0);
  ASSERT_TRUE(taken.try_lock());
  manual_runtime rt({.permits = GetParam()});
  auto on_event = [&]() -> task<> { co_await signal; };
  auto on_semaphore = [&]() -> task<> { static_cast<void>(co_await none.acquire()); };
  auto on_mutex = [&]() -> task<> { auto guard = co_await taken.scoped_lock(); };
  auto on_value = [&]() -> task<> { static_cast<void>(co_await empty.receive()); };
  auto on_room = [&]() -> task<> { static_cast<void>(co_await full.send(1)); };
  auto on_time = []() -> task<> { co_await sleep_until(now() + 1h); };
  auto on_scope = [&]() -> task<> {
    task_scope scope;
    scope.spawn(on_event());
    co_await scope.join();
  };
  auto on_task = [&]() -> task<> { static_cast<void>(co_await spawn(on_event(), {.name = "child"})); };
  std::vector<join_handle<void>> tasks;
  const std::pair<const char*, const char*> expected[] = {{"event", "an event"},
                                                          {"semaphore", "a semaphore"},
                                                          {"mutex", "a mutex"},
                                                          {"value", "a value from a channel"},
                                                          {"room", "room in a channel"},
                                                          {"time", "a time"},
                                                          {"scope", "the children of a scope"},
                                                          {"task", "a task"}};
  tasks.push_back(rt->spawn(on_event(), {.name = "event"}));
  tasks.push_back(rt->spawn(on_semaphore(), {.name = "semaphore"}));
  tasks.push_back(rt->spawn(on_mutex(), {.name = "mutex"}));
  tasks.push_back(rt->spawn(on_value(), {.name = "value"}));
  tasks.push_back(rt->spawn(on_room(), {.name = "room"}));
  tasks.push_back(rt->spawn(on_time(), {.name = "time"}));
  tasks.push_back(rt->spawn(on_scope(), {.name = "scope"}));
  tasks.push_back(rt->spawn(on_task(), {.name = "task"}));
  std::vector<join_handle<void>> fibers;
  fibers.push_back(rt->spawn_fiber([&] { signal.wait(); }, {.name = "fiber"}));
  for (auto [name, what] : expected) {
    live_task seen = wait_for(rt, name, task_activity::waiting);
    EXPECT_EQ(seen.waits_for, what) << name;
    EXPECT_EQ(seen.polls, 1u) << name;
    EXPECT_EQ(seen.context, task_context::coroutine);
    EXPECT_FALSE(seen.worker.has_value());
    EXPECT_THAT(seen.spawned_at.file_name(), HasSubstr("task_dump_test.cpp"));
  }
  live_task fiber = wait_for(rt, "fiber", task_activity::waiting);
  EXPECT_EQ(fiber.waits_for, "an event");
  EXPECT_EQ(fiber.context, task_context::fiber);
  EXPECT_EQ(wait_for(rt, "task", task_activity::waiting).waits_for_task,
            wait_for(rt, "child", task_activity::waiting).id);
  EXPECT_EQ(wait_for(rt, "event", task_activity::waiting).id, tasks[0].id());
  ASSERT_TRUE(eventually([&] { // the scope's child has no name to wait for
    auto all = rt->dump_tasks().tasks;
    return all.size() == 11 &&
           std::ranges::all_of(all, [](const live_task& each) { return each.activity == task_activity::waiting; });
  }));
  std::string text = rt->dump_tasks().to_string();
  EXPECT_THAT(text, HasSubstr("task \"task\": waiting for the task \"child\" of "));
  EXPECT_THAT(text, HasSubstr("task \"event\": waiting for an event, 1 poll, spawned at "));
  EXPECT_THAT(text, HasSubstr("11 tasks: 11 waiting\n"));
  rt->shutdown();
  EXPECT_TRUE(rt->dump_tasks().tasks.empty());
}

TEST_P(task_dump_of_runtime, says_which_thread_has_a_task_and_for_how_long) {
  gate end;
  manual_runtime rt({.permits = GetParam()});
  std::size_t permits = rt.snapshot().permits;
  std::vector<join_handle<void>> tasks;
  tasks.push_back(rt->spawn(hold_in_region(end), {.name = "region"}));
  ASSERT_TRUE(rt.wait_for_regions(1));
  rt.advance(100ms);
  for (std::size_t i = 0; i != permits; ++i) tasks.push_back(rt->spawn(hold(end), {.name = "holder"}));
  // A permit that is active may be searching still: the next task must find each of them taken by a holder.
  ASSERT_TRUE(eventually([&] {
    rt.scan(); // takes the region's permit when it sees that a holder waits
    return std::size_t(std::ranges::count_if(rt->dump_tasks().tasks, [](const live_task& each) {
             return each.name == "holder" && each.activity == task_activity::running;
           })) == permits;
  }));
  EXPECT_EQ(rt.snapshot().detached, 1u);
  tasks.push_back(rt->spawn(hold(end), {.name = "queued"}));
  rt.advance(5ms);
  live_task region = wait_for(rt, "region", task_activity::blocking);
  EXPECT_TRUE(region.worker.has_value());
  ASSERT_TRUE(region.since.has_value());
  EXPECT_EQ(*region.since, 105ms);
  live_task holder = wait_for(rt, "holder", task_activity::running);
  EXPECT_TRUE(holder.worker.has_value());
  EXPECT_NE(holder.worker, region.worker);
  EXPECT_EQ(wait_for(rt, "queued", task_activity::ready).polls, 0u);
  tasks.front().abort();
  EXPECT_TRUE(wait_for(rt, "region", task_activity::blocking).is_stopping);
  EXPECT_THAT(rt->dump_tasks().to_string(), HasSubstr("blocking on weir-" + std::to_string(*region.worker) +
                                                      ", in a blocking region for 105 ms, asked to stop, 1 poll"));
  end.open();
}

TEST_P(task_dump_of_runtime, lists_roots_and_closures_beside_the_tasks) {
  gate end;
  event signal;
  manual_runtime rt({.permits = GetParam()});
  auto on_event = [&]() -> task<> { co_await signal; };
  auto nests = [&]() -> task<> {
    block_on(on_event());
    co_return;
  };
  auto nested = rt->spawn(nests(), {.name = "outer"});
  auto closure = rt->spawn_blocking([&] { end.wait(); }, {.name = "closure"});
  std::thread outside([&] { rt->block_on(on_event()); });
  EXPECT_EQ(wait_for(rt, "outer", task_activity::blocking).waits_for, "the end of a blocking wait");
  live_task busy = wait_for(rt, "closure", task_activity::blocking);
  EXPECT_EQ(busy.context, task_context::closure);
  EXPECT_TRUE(busy.worker.has_value());
  ASSERT_TRUE(eventually([&] {
    auto dump = rt->dump_tasks();
    return 2 == std::ranges::count_if(dump.tasks, [](const live_task& each) {
             return each.context == task_context::block_on && each.activity == task_activity::waiting &&
                    each.waits_for == "an event" &&
                    std::string_view(each.spawned_at.file_name()).ends_with("_test.cpp");
           });
  }));
  signal.set();
  end.open();
  outside.join();
  nested.wait().value();
  closure.wait().value();
  EXPECT_TRUE(rt->dump_tasks().tasks.empty());
}

constexpr detail::wait_kind alternating[] = {{.what = "an even wait"}, {.what = "an odd wait"}};

/// Parks with a reason that follows from the number of the poll.
struct park_by_number {
  bool await_ready() const noexcept { return false; }
  template <class Promise> void await_suspend(std::coroutine_handle<Promise> self) const noexcept {
    detail::task_header& task = *detail::current_task();
    task.set_leaf(self);
    task.set_wait(alternating[task.stats.polls.load(detail::memory_order::relaxed) % 2], nullptr);
  }
  void await_resume() const noexcept {}
};

TEST_P(task_dump_of_runtime, reports_each_wait_with_its_own_poll) {
  manual_runtime rt({.permits = GetParam()});
  detail::atomic<bool> is_over{false};
  auto body = [&](detail::waker& out, detail::atomic<bool>& has_waker) -> task<> {
    out = detail::waker(*detail::current_task());
    has_waker.store(true);
    while (!is_over.load()) co_await park_by_number();
  };
  constexpr std::size_t count = 8;
  detail::waker wakers[count];
  detail::atomic<bool> have[count];
  std::vector<join_handle<void>> tasks;
  for (std::size_t i = 0; i != count; ++i) tasks.push_back(rt->spawn(body(wakers[i], have[i]), {.name = "changing"}));
  for (auto& each : have) ASSERT_TRUE(eventually([&] { return each.load(); }));
  std::thread waker([&] {
    while (!is_over.load()) {
      for (auto& each : wakers) each.wake();
    }
    for (auto& each : wakers) each.wake();
  });
  std::size_t waiting = 0;
  EXPECT_TRUE(eventually([&] {
    task_dump dump = rt->dump_tasks();
    EXPECT_EQ(dump.tasks.size(), count);
    for (const live_task& each : dump.tasks) {
      if (each.activity != task_activity::waiting) continue;
      ++waiting;
      EXPECT_EQ(each.waits_for, alternating[each.polls % 2].what);
    }
    return waiting >= 2000 || ::testing::Test::HasFailure();
  }));
  is_over.store(true);
  waker.join();
  for (auto& each : tasks) each.wait().value();
}

TEST_P(task_dump_of_runtime, never_misses_a_task_that_stays) {
  event signal;
  manual_runtime rt({.permits = GetParam()});
  detail::atomic<bool> is_over{false};
  auto stays = [&]() -> task<> { co_await signal; };
  auto short_lived = []() -> task<> { co_return; };
  auto spawner = [&]() -> task<> {
    while (!is_over.load()) {
      for (int i = 0; i != 100; ++i) static_cast<void>(spawn(short_lived()));
      co_await yield();
    }
  };
  std::vector<join_handle<void>> tasks;
  for (int i = 0; i != 50; ++i) tasks.push_back(rt->spawn(stays(), {.name = "stays"}));
  tasks.push_back(rt->spawn(spawner(), {.name = "spawner"}));
  for (int i = 0; i != 300; ++i) {
    task_dump dump = rt->dump_tasks();
    EXPECT_EQ(std::ranges::count(dump.tasks, "stays", &live_task::name), 50);
    EXPECT_EQ(std::ranges::count(dump.tasks, "spawner", &live_task::name), 1);
  }
  is_over.store(true);
  signal.set();
  for (auto& each : tasks) each.wait().value();
}

} // namespace
} // namespace weir::testing
