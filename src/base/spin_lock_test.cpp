// SPDX-License-Identifier: Apache-2.0
#include "base/spin_lock.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace {

using weir::rt::spin_lock;

TEST(spin_lock, threads_exclude_one_another_while_some_sleep) {
  spin_lock lock("counter");
  long counter = 0;
  constexpr long rounds = 30'000;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (long i = 0; i < rounds; ++i) {
        std::scoped_lock guard(lock);
        ++counter;
        if (i % 1000 == 0) std::this_thread::yield(); // lets waiters exhaust their spins and sleep
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 4 * rounds);
}

TEST(spin_lock, try_lock_fails_while_another_thread_holds_it) {
  spin_lock lock;
  ASSERT_TRUE(lock.try_lock());
  std::thread([&] { EXPECT_FALSE(lock.try_lock()); }).join();
  lock.unlock();
  std::thread([&] {
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
  }).join();
}

#if WEIR_HAS_DEBUG_CHECKS
TEST(spin_lock_death_test, a_lock_held_across_a_switch_is_named) {
  spin_lock first("the injector's lock");
  spin_lock second("the idle set's lock");
  EXPECT_DEATH(
      {
        first.lock();
        second.lock();
        first.unlock();
        weir::rt::check_no_lock_held();
      },
      "the idle set's lock");
  weir::rt::check_no_lock_held();
}
#endif

} // namespace
