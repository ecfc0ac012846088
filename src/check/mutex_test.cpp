// SPDX-License-Identifier: Apache-2.0
#include <weir/check/mutex.hpp>

#include <mutex>

#include <gtest/gtest.h>
#include <weir/check/cell.hpp>
#include <weir/check/model.hpp>

namespace check = weir::check;

namespace {

check::model_options by(check::engine_kind engine) {
  check::model_options options;
  options.engine = engine;
  return options;
}

void counters(check::model& m, bool locks) {
  check::mutex lock;
  check::cell<int> count{0};
  for (int at = 0; at < 2; ++at)
    m.spawn("adder", [&] {
      if (locks) lock.lock();
      count.set(count.get() + 1);
      if (locks) lock.unlock();
    });
  m.join_all();
  m.require(count.get() == 2, "no increment is lost");
}

void two_locks(check::model& m, bool in_order) {
  check::mutex first;
  check::mutex second;
  first.name("first");
  second.name("second");
  m.spawn("other", [&] {
    const std::scoped_lock lock(in_order ? first : second);
    const std::scoped_lock inner(in_order ? second : first);
  });
  first.lock();
  second.lock();
  second.unlock();
  first.unlock();
  m.join_all();
}

void handover(check::model& m, bool sets_under_the_lock) {
  check::mutex lock;
  check::condition_variable changed;
  check::atomic<bool> is_set{false};
  m.spawn("waiter", [&] {
    std::unique_lock<check::mutex> held(lock);
    changed.wait(held, [&] { return is_set.load(std::memory_order::relaxed); });
  });
  if (sets_under_the_lock) lock.lock();
  is_set.store(true, std::memory_order::relaxed);
  if (sets_under_the_lock) lock.unlock();
  changed.notify_one();
  m.join_all();
}

} // namespace

TEST(mutex, lets_one_thread_in_at_a_time) {
  for (const auto engine : {check::engine_kind::exhaustive, check::engine_kind::bounded, check::engine_kind::pct}) {
    const auto good = check::explore("counters", [](check::model& m) { counters(m, true); }, by(engine));
    EXPECT_TRUE(good.found_nothing()) << good.report << good.verdict;
    const auto racy = check::explore("counters", [](check::model& m) { counters(m, false); }, by(engine));
    EXPECT_EQ(racy.failure, check::failure_kind::data_race);
  }
}

TEST(mutex, two_that_are_taken_in_different_orders_deadlock) {
  for (const auto engine : {check::engine_kind::exhaustive, check::engine_kind::bounded, check::engine_kind::random}) {
    const auto good = check::explore("locks", [](check::model& m) { two_locks(m, true); }, by(engine));
    EXPECT_TRUE(good.found_nothing()) << good.report << good.verdict;
    const auto body = [](check::model& m) { two_locks(m, false); };
    const auto stuck = check::explore("locks", body, by(engine));
    EXPECT_EQ(stuck.failure, check::failure_kind::deadlock) << stuck.report;
    EXPECT_NE(stuck.report.find("main waits for a lock, other waits for a lock"), std::string::npos) << stuck.report;
    EXPECT_EQ(check::replay("locks", body, stuck.replay_string).failure, check::failure_kind::deadlock);
  }
}

TEST(mutex, a_try_does_not_wait) {
  const auto found = check::explore("try", [](check::model& m) {
    check::mutex lock;
    m.spawn("holder", [&] {
      lock.lock();
      lock.unlock();
    });
    const bool got = lock.try_lock();
    m.sometimes("it is free", got);
    m.sometimes("it is held", !got);
    if (got) lock.unlock();
    m.join_all();
  });
  EXPECT_TRUE(found.passed()) << found.report;
}

TEST(condition_variable, wakes_who_waits_when_the_change_is_made_under_the_lock) {
  const auto good = check::explore("handover", [](check::model& m) { handover(m, true); });
  EXPECT_TRUE(good.passed()) << good.report << good.verdict;
  // Between the waiter's look and its sleep the change and the notification both fit.
  const auto lost = check::explore("handover", [](check::model& m) { handover(m, false); });
  EXPECT_NE(lost.failure, check::failure_kind::none);
}
