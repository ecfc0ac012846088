// SPDX-License-Identifier: Apache-2.0
// What becomes of a task that a poll wakes, with several permits: the rules of sched/next_cell.hpp.
#include "sched/test_support.hpp"

#include <weir/channel.hpp>

#include <algorithm>
#include <optional>
#include <thread>

namespace weir::testing {
namespace {

task<> answer(channel<int>& questions, channel<int>& answers) {
  while (auto question = co_await questions.receive()) {
    if (!co_await answers.send(*question + 1)) break;
  }
}

/// How often one of two tasks that wake each other ran on another thread than before.
int moves_of_a_pair(runtime& rt, int rounds) {
  channel<int> questions(0);
  channel<int> answers(0);
  auto other = rt.spawn(answer(questions, answers));
  auto body = [&]() -> task<int> {
    int moves = 0;
    auto last = std::this_thread::get_id();
    for (int round = 0; round != rounds; ++round) {
      static_cast<void>(co_await questions.send(round));
      auto got = co_await answers.receive();
      if (!got || *got != round + 1) co_return rounds;
      auto here = std::this_thread::get_id();
      moves += here != last ? 1 : 0;
      last = here;
    }
    questions.close();
    co_return moves;
  };
  int moves = rt.spawn(body()).wait().value();
  EXPECT_FALSE(other.wait().is_stopped());
  return moves;
}

TEST(next_task, tasks_that_wake_each_other_stay_together) { // test 37
  constexpr int rounds = 5'000;
  runtime rt({.permits = 2});
  // A poll that the system interrupts for a millisecond is stuck, and what waits behind it is stolen: that only adds moves.
  int least = rounds;
  for (int attempt = 0; least >= rounds / 20 && attempt != 20; ++attempt)
    least = std::min(least, moves_of_a_pair(rt, rounds));
  EXPECT_LT(least, rounds / 20);
}

TEST(next_task, woken_task_is_stolen_from_a_poll_that_does_not_end) { // test 36
  runtime rt({.permits = 2});
  channel<int> work(0);
  detail::atomic<bool> is_waiting{false};
  detail::atomic<bool> has_run{false};
  auto sleeper = rt.spawn([](channel<int>& from, detail::atomic<bool>& waits, detail::atomic<bool>& ran) -> task<> {
    waits.store(true);
    static_cast<void>(co_await from.receive());
    ran.store(true);
  }(work, is_waiting, has_run));
  ASSERT_TRUE(eventually([&] { return is_waiting.load(); }));
  auto waker = rt.spawn([](channel<int>& to, detail::atomic<bool>& ran) -> task<bool> {
    static_cast<void>(co_await to.send(1));
    co_return eventually([&] { return ran.load(); });
  }(work, has_run));
  EXPECT_TRUE(waker.wait().value());
  static_cast<void>(sleeper.wait());
}

TEST(next_task, woken_task_is_not_held_by_a_blocking_region) {
  runtime rt({.permits = 2});
  channel<int> work(0);
  gate has_run;
  detail::atomic<bool> is_waiting{false};
  auto sleeper = rt.spawn([](channel<int>& from, detail::atomic<bool>& waits, gate& ran) -> task<> {
    waits.store(true);
    static_cast<void>(co_await from.receive());
    ran.open();
  }(work, is_waiting, has_run));
  ASSERT_TRUE(eventually([&] { return is_waiting.load(); }));
  auto waker = rt.spawn([](channel<int>& to, gate& ran) -> task<> {
    static_cast<void>(co_await to.send(1));
    blocking([&] { ran.wait(); });
  }(work, has_run));
  static_cast<void>(waker.wait());
  static_cast<void>(sleeper.wait());
}

TEST(next_task, others_run_beside_two_tasks_that_wake_each_other) { // test 35
  runtime rt({.permits = 2});
  gate is_over;
  detail::atomic<bool> is_held{false};
  auto holder = rt.spawn([](gate& until, detail::atomic<bool>& holds) -> task<> { // of the other permit
    holds.store(true);
    until.wait();
    co_return;
  }(is_over, is_held));
  ASSERT_TRUE(eventually([&] { return is_held.load(); }));
  channel<int> questions(0);
  channel<int> answers(0);
  auto body = [&]() -> task<int> {
    auto other = spawn(answer(questions, answers));
    int rounds = 0;
    std::optional<int> ran_at;
    auto third = [&]() -> task<> {
      ran_at = rounds;
      co_return;
    };
    for (; rounds != 50; ++rounds) {
      static_cast<void>(co_await questions.send(rounds));
      static_cast<void>(co_await answers.receive());
    }
    auto handle = spawn(third());
    for (int more = 0; more != 50; ++more) {
      ++rounds;
      static_cast<void>(co_await questions.send(rounds));
      static_cast<void>(co_await answers.receive());
    }
    questions.close();
    static_cast<void>(co_await handle);
    static_cast<void>(co_await other);
    co_return ran_at.value() - 50;
  };
  auto ran_after = rt.spawn(body());
  EXPECT_LE(ran_after.wait().value(), 8);
  is_over.open();
  static_cast<void>(holder.wait());
}

} // namespace
} // namespace weir::testing
