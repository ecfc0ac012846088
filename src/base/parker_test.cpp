// SPDX-License-Identifier: Apache-2.0
#include "base/parker.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace {

using weir::rt::duration;
using weir::rt::instant;
using weir::rt::now;
using weir::rt::parker;

TEST(parker, a_notify_before_the_park_is_remembered_once) {
  parker p;
  p.unpark();
  p.unpark();
  EXPECT_TRUE(p.park_until(instant::never()));
  EXPECT_FALSE(p.park_until(now() + duration(1'000'000)));
}

TEST(parker, a_deadline_in_the_past_returns_at_once_and_keeps_a_notify) {
  parker p;
  EXPECT_FALSE(p.park_until(instant{0}));
  EXPECT_FALSE(p.park_until(instant{-5}));
  p.unpark();
  EXPECT_TRUE(p.park_until(instant{0}));
}

TEST(parker, it_never_returns_before_the_deadline_without_a_notify) {
  parker p;
  for (int i = 0; i < 20; ++i) {
    instant deadline = now() + duration(200'000);
    EXPECT_FALSE(p.park_until(deadline));
    EXPECT_GE(now(), deadline);
  }
}

TEST(parker, two_threads_hand_a_turn_back_and_forth_without_losing_a_wake) { // peers 2
  parker left;
  parker right;
  long shared = 0; // unguarded: only whoever was woken last writes it
  constexpr long rounds = 20'000;
  std::thread other([&] {
    for (long i = 0; i < rounds; ++i) {
      right.park();
      ++shared;
      left.unpark();
    }
  });
  for (long i = 0; i < rounds; ++i) {
    ++shared;
    right.unpark();
    left.park();
    ASSERT_EQ(shared, 2 * (i + 1));
  }
  other.join();
}

} // namespace
