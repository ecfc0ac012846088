// SPDX-License-Identifier: Apache-2.0
// What the scheduler does: tasks, joins, regions, threads that are missing.
#include "sim/workloads.hpp"

#include <weir/blocking.hpp>
#include <weir/checkpoint.hpp>
#include <weir/event.hpp>
#include <weir/runtime.hpp>
#include <weir/sim/run.hpp>
#include <weir/spawn.hpp>

#include <array>
#include <deque>
#include <vector>

// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters): each workload joins its tasks before its objects go
namespace weir::sim::workloads {
namespace {

using namespace std::chrono_literals;

int small(std::uint64_t bound) { return static_cast<int>(choose(bound)); }

task<int> leaf(int value, int yields) {
  for (int i = 0; i != yields; ++i) co_await yield();
  co_return value;
}

task<int> tree(int depth) {
  if (depth == 0) co_return 1;
  auto left = spawn(tree(depth - 1));
  auto right = spawn(tree(depth - 1));
  auto one = co_await left;
  auto other = co_await right;
  co_return one.value() + other.value();
}

spawn_options drawn_priority() {
  constexpr std::array all{task_priority::normal, task_priority::high, task_priority::background};
  spawn_options drawn;
  drawn.priority = all[choose(all.size())];
  return drawn;
}

task<int> tree_of_priorities(int depth) {
  if (depth == 0) co_return 1;
  auto left = spawn(tree_of_priorities(depth - 1), drawn_priority());
  auto right = spawn(tree_of_priorities(depth - 1), drawn_priority());
  if (choose(4) == 0) co_await yield();
  auto one = co_await left;
  auto other = co_await right;
  co_return one.value() + other.value();
}

task<int> burst(int count) {
  std::vector<join_handle<int>> all;
  for (int i = 0; i != count; ++i) all.push_back(spawn(leaf(1, i % 2)));
  int sum = 0;
  for (auto& each : all) {
    auto got = co_await each;
    sum += got.value();
  }
  co_return sum;
}

task<void> wait_inside(event& ready) {
  blocking([&] { ready.wait(); });
  co_return;
}
task<void> block_inside(std::chrono::nanoseconds span) {
  blocking([&] { block_for(span); });
  co_await yield();
  blocking(expect_long, [&] { block_for(span / 2); });
}
task<void> set_later(event& ready, int yields) {
  for (int i = 0; i != yields; ++i) co_await yield();
  ready.set();
}

task<int> nested(int depth) {
  co_await yield();
  if (depth == 0) co_return 1;
  auto queued = spawn(leaf(1, 1));
  const int inner = block_on(nested(depth - 1));
  co_return inner + queued.wait().value();
}

/// Waits in a poll, with a task behind it that nobody else may have a thread for.
task<int> driven(int depth) {
  if (depth == 0) co_return 1;
  auto queued = spawn(leaf(1, 1 + small(4)));
  const int inner = block_on(driven(depth - 1));
  co_return inner + queued.wait().value();
}

task<void> wait_plainly(event& ready) { co_await ready; }
task<void> wait_nested(event& ready) {
  block_on(wait_plainly(ready));
  co_return;
}

} // namespace

void spawn_and_join() {
  runtime pool({.permits = 1 + choose(4)});
  std::vector<join_handle<int>> handles;
  const int count = 2 + small(8);
  for (int i = 0; i != count; ++i) handles.push_back(pool.spawn(leaf(i, small(4))));
  const int depth = small(5);
  require(pool.block_on(tree(depth)) == 1 << depth, "every leaf of the tree counts once");
  for (int i = 0; i != count; ++i)
    require(handles[static_cast<std::size_t>(i)].wait().value() == i, "a task gives its value");
  auto fiber = pool.spawn_fiber([] { return spawn(leaf(3, 2)).wait().value(); });
  require(fiber.wait().value() == 3, "a fiber joins");
  pool.spawn(leaf(1, 1000)).detach();
  pool.shutdown();
  require(pool.snapshot().tasks == 0, "shutdown leaves no task");
}

void priorities() {
  runtime pool({.permits = 1 + choose(4)});
  event ready;
  std::vector<join_handle<int>> handles;
  std::vector<join_handle<void>> waiters;
  const int count = 1 + small(6);
  for (int i = 0; i != count; ++i) {
    handles.push_back(pool.spawn(leaf(i, small(40)), drawn_priority()));
    waiters.push_back(pool.spawn(choose(4) == 0 ? wait_inside(ready) : wait_plainly(ready), drawn_priority()));
  }
  const int depth = small(6);
  require(pool.spawn(tree_of_priorities(depth), drawn_priority()).wait().value() == 1 << depth,
          "every leaf counts once");
  ready.set();
  for (int i = 0; i != count; ++i)
    require(handles[static_cast<std::size_t>(i)].wait().value() == i, "a task gives its value");
  for (auto& each : waiters) each.wait().value();
  auto crowd = pool.spawn(leaf(1, 100'000), drawn_priority()); // stopped on its way
  require(pool.spawn(leaf(2, 3), drawn_priority()).wait().value() == 2, "no class starves");
  crowd.detach();
  pool.shutdown();
  require(pool.snapshot().tasks == 0, "shutdown leaves no task");
}

void bursts() {
  runtime pool({.permits = 1 + choose(3)});
  const int count = 200 + small(500);
  require(pool.block_on(burst(50)) == 50, "a burst from outside is complete");
  require(pool.spawn(burst(count)).wait().value() == count, "a burst of a task is complete");
  pool.shutdown();
}

void regions() {
  runtime pool({.permits = 1 + choose(3)});
  std::deque<event> events;
  std::vector<join_handle<void>> handles;
  const int count = 1 + small(5);
  for (int i = 0; i != count; ++i) {
    event& ready = events.emplace_back();
    handles.push_back(pool.spawn(wait_inside(ready)));
    if (choose(2) == 0) handles.push_back(pool.spawn(block_inside(std::chrono::nanoseconds(choose(2'000'000)))));
    handles.push_back(pool.spawn(set_later(ready, small(4))));
  }
  for (auto& each : handles) each.wait().value();
  if (choose(4) == 0) block_for(500ms); // the monitor sleeps deeply now
  event late;
  auto waiting = pool.spawn(wait_inside(late));
  if (choose(2) == 0) block_for(200ms);
  pool.spawn(set_later(late, 0)).wait().value();
  waiting.wait().value();
  if (choose(4) == 0) block_for(300ms);
  pool.shutdown();
}

void thread_shortage() {
  runtime pool({.permits = 1 + choose(2), .max_threads = 3 + choose(4), .keep_alive = 5ms});
  arm_thread_failures();
  std::vector<join_handle<int>> handles;
  const int count = 1 + small(4);
  for (int i = 0; i != count; ++i) {
    handles.push_back(pool.spawn(nested(small(3))));
    handles.push_back(pool.spawn_blocking([] {
      block_for(std::chrono::nanoseconds(choose(1'000'000)));
      return 1;
    }));
  }
  for (auto& each : handles) require(each.wait().value() >= 1, "a task gives its value");
  if (choose(4) == 0) block_for(100ms);
  event late; // more waiters than threads, and then work that only one of those can do
  std::vector<join_handle<void>> waiting;
  for (int i = 0; i != 8; ++i) waiting.push_back(pool.spawn(wait_nested(late)));
  block_for(std::chrono::nanoseconds(choose(10'000'000)));
  pool.spawn(set_later(late, 1)).wait().value();
  for (auto& each : waiting) each.wait().value();
  require(pool.spawn_blocking([] { return 5; }).wait().value() == 5, "a closure finds a thread");
  pool.shutdown();
}

// As few threads as there can be, so that who waits in block_on runs what is queued.
void driving() {
  runtime pool({.permits = 2, .max_threads = 3});
  for (int round = 4 + small(16); round != 0; --round) {
    std::vector<join_handle<int>> handles;
    for (int i = 1 + small(4); i != 0; --i) handles.push_back(pool.spawn(driven(1 + small(4))));
    for (auto& each : handles) require(each.wait().value() >= 1, "a task gives its value");
  }
  pool.shutdown();
}

} // namespace weir::sim::workloads
// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
