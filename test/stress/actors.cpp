// SPDX-License-Identifier: Apache-2.0
#include "actors.hpp"

#include <weir/blocking.hpp>
#include <weir/budget.hpp>
#include <weir/checkpoint.hpp>
#include <weir/scoped_handle.hpp>
#include <weir/spawn.hpp>
#include <weir/stop.hpp>
#include <weir/task_scope.hpp>
#include <weir/time.hpp>
#include <weir/timeout.hpp>
#include <weir/when_all.hpp>
#include <weir/when_any.hpp>

#include <stdexcept>
#include <thread>
#include <vector>

namespace weir::stress {
namespace {

using std::chrono::microseconds;

task<int> child_of(world& in, dice& roll, unsigned depth) { return act(in, roll.seed(), depth - 1, presence(in)); }

void block(dice& roll) {
  microseconds length(roll.below(300));
  switch (roll.below(4)) {
  case 0: blocking(expect_long, [&] { keep_thread(length); }); break;
  case 1: blocking(expect_short, [&] { keep_thread(length); }); break;
  default: blocking([&] { blocking([&] { keep_thread(length); }); });
  }
}

void act_on_fiber(world& in, std::uint64_t seed, unsigned depth) {
  dice roll(seed);
  for (unsigned step = roll.below(6); step != 0; --step) {
    switch (roll.below(7)) {
    case 0: this_fiber::yield(); break;
    case 1: this_fiber::checkpoint(); break;
    case 2: block(roll); break;
    case 3: sleep_until(now() + microseconds(roll.below(400))).wait(); break;
    case 4: {
      std::lock_guard guard(in.exclusive);
      this_fiber::yield();
      break;
    }
    case 5: this_fiber::consume_budget(); break;
    default:
      if (depth != 0) static_cast<void>(spawn(child_of(in, roll, depth)).wait());
    }
  }
}

// Waits that may last are given a deadline: every actor ends by itself.
task<> send_value(world& in, bool by_hand) {
  channel<int>& into = by_hand ? in.hand_over : in.values;
  if (co_await into.send(1)) in.sent.fetch_add(1);
}

task<> receive_value(world& in, bool by_hand) {
  channel<int>& from = by_hand ? in.hand_over : in.values;
  if (co_await from.receive()) in.received.fetch_add(1);
}

task<> use_exclusively(world& in, std::uint64_t seed) {
  dice roll(seed);
  auto guard = co_await in.exclusive.scoped_lock();
  if (in.inside.fetch_add(1) != 0) in.overlaps.fetch_add(1);
  if (roll.one_in(2)) keep_thread(microseconds(roll.below(20)));
  in.inside.fetch_sub(1);
  if (roll.one_in(2)) co_await yield();
}

task<> use_permits(world& in, std::uint64_t seed) {
  dice roll(seed);
  std::size_t count = 1 + roll.below(3);
  if (!co_await in.permits.acquire(count)) co_return;
  // Nothing suspends between the two: a stop here would take the permits along.
  keep_thread(microseconds(roll.below(20)));
  in.permits.release(count);
}

task<> wait_with_deadline(world& in, dice& roll) {
  microseconds limit(roll.below(500));
  std::uint64_t seed = roll.seed();
  switch (roll.below(7)) {
  case 0:
  case 1: static_cast<void>(co_await with_timeout(limit, send_value(in, seed % 2 == 0))); break;
  case 2:
  case 3: static_cast<void>(co_await with_timeout(limit, receive_value(in, seed % 2 == 0))); break;
  case 4: co_await use_exclusively(in, seed); break;
  case 5: co_await use_permits(in, seed); break;
  default: {
    auto ring = [](event& bell) -> task<> { co_await bell; };
    static_cast<void>(co_await with_timeout(limit, ring(in.bell)));
  }
  }
}

task<> use_scope(world& in, dice& roll, unsigned depth) {
  task_scope scope;
  for (unsigned child = 1 + roll.below(3); child != 0; --child)
    static_cast<void>(scope.spawn(child_of(in, roll, depth)));
  if (roll.one_in(4)) scope.request_stop();
  if (roll.one_in(8)) co_return; // without join: the destructor waits
  co_await scope.join();
}

task<> combine(world& in, dice& roll, unsigned depth) {
  std::vector<task<int>> parts;
  for (unsigned part = 1 + roll.below(3); part != 0; --part) parts.push_back(child_of(in, roll, depth));
  if (roll.one_in(2)) {
    static_cast<void>(co_await when_all(std::move(parts)));
  } else {
    static_cast<void>(co_await when_any(std::move(parts)));
  }
}

task<> nest(world& in, dice& roll, unsigned depth) {
  auto root = [](world& at, std::uint64_t seed, unsigned below) -> task<int> {
    auto inner = spawn(act(at, seed, below - 1, presence(at)));
    co_return (co_await inner).has_value() ? 1 : 0;
  };
  static_cast<void>(block_on(root(in, roll.seed(), depth)));
  co_return;
}

task<> use_fiber(world& in, dice& roll, unsigned depth) {
  auto fiber =
      spawn_fiber([&in, seed = roll.seed(), depth, here = presence(in)] { act_on_fiber(in, seed, depth - 1); });
  bool is_stopped = roll.one_in(4);
  if (is_stopped) fiber.abort();
  static_cast<void>(co_await fiber);
}

task<> use_closure(world& in, dice& roll, unsigned depth) {
  bool waits = in.can.nests && roll.one_in(3);
  auto closure = spawn_blocking([&in, seed = roll.seed(), depth, waits, here = presence(in)] {
    dice inner(seed);
    keep_thread(microseconds(inner.below(200)));
    if (waits) static_cast<void>(spawn(child_of(in, inner, depth)).wait());
    if (inner.one_in(10)) throw std::runtime_error("of a closure");
    return 1;
  });
  if (roll.one_in(5)) closure.abort();
  if (roll.one_in(4)) {
    closure.detach();
  } else {
    static_cast<void>(co_await closure);
  }
}

task<> use_children(world& in, dice& roll, unsigned depth, std::vector<join_handle<int>>& children) {
  switch (roll.below(5)) {
  case 0:
  case 1: children.push_back(spawn(child_of(in, roll, depth), {.name = roll.one_in(3) ? "actor" : ""})); break;
  case 2:
    if (!children.empty()) children.back().abort();
    break;
  case 3: {
    scoped_handle stopped(spawn(child_of(in, roll, depth)));
    if (roll.one_in(2)) static_cast<void>(co_await stopped.abort_and_join());
    break;
  }
  default:
    if (children.empty()) break;
    join_handle<int> last = std::move(children.back());
    children.pop_back();
    if (roll.one_in(4)) break; // detached
    bool passes_on = roll.one_in(2);
    auto outcome = co_await last;
    if (outcome.exception() != nullptr && passes_on) throw std::runtime_error("passed on");
  }
}

task<> have_children(world& in, dice& roll, unsigned depth, std::vector<join_handle<int>>& children) {
  switch (roll.below(8)) {
  case 0:
    if (in.can.nests) co_await use_scope(in, roll, depth);
    break;
  case 1:
    if (in.can.nests) co_await combine(in, roll, depth);
    break;
  case 2: co_await use_fiber(in, roll, depth); break;
  case 3: co_await use_closure(in, roll, depth); break;
  case 4:
    if (in.can.nests) co_await nest(in, roll, depth);
    break;
  case 5: {
    microseconds limit(roll.below(400));
    static_cast<void>(co_await with_timeout(limit, child_of(in, roll, depth)));
    break;
  }
  default: co_await use_children(in, roll, depth, children);
  }
}

} // namespace

void keep_thread(microseconds time) noexcept {
  auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

task<int> act(world& in, std::uint64_t seed, unsigned depth, presence) {
  dice roll(seed);
  std::vector<join_handle<int>> children;
  for (unsigned step = roll.below(9); step != 0; --step) {
    switch (roll.below(12)) {
    case 0:
    case 1: co_await yield(); break;
    case 2: co_await checkpoint(); break;
    case 3: block(roll); break;
    case 4:
      for (unsigned spent = roll.below(300); spent != 0; --spent) co_await consume_budget();
      break;
    case 5: co_await sleep_until(now() + microseconds(roll.below(400))); break;
    case 6:
    case 7: co_await wait_with_deadline(in, roll); break;
    case 8:
      if (roll.one_in(10)) throw std::runtime_error("thrown");
      break;
    default:
      if (depth != 0) co_await have_children(in, roll, depth, children);
    }
  }
  for (auto& child : children) static_cast<void>(co_await child);
  co_return 1;
}

} // namespace weir::stress
