// SPDX-License-Identifier: Apache-2.0
#include "os/signal_wait.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

namespace {

using weir::rt::os::signal_wait;

TEST(signal_wait, a_raised_signal_is_taken_and_does_not_end_the_program) {
  auto signals = signal_wait::open({SIGINT, SIGQUIT});
  ASSERT_TRUE(signals.has_value());
  std::raise(SIGQUIT);
  EXPECT_EQ(signals->wait(), SIGQUIT);
  std::optional<int> seen;
  std::thread waiter([&] { seen = signals->wait(); });
  ::kill(::getpid(), SIGINT);
  waiter.join();
  EXPECT_EQ(seen, SIGINT);
}

TEST(signal_wait, stop_ends_every_wait_now_and_later) {
  auto signals = signal_wait::open({SIGINT});
  ASSERT_TRUE(signals.has_value());
  std::thread first([&] { EXPECT_EQ(signals->wait(), std::nullopt); });
  std::thread second([&] { EXPECT_EQ(signals->wait(), std::nullopt); });
  signals->stop();
  first.join();
  second.join();
  EXPECT_EQ(signals->wait(), std::nullopt);
}

TEST(signal_wait_death_test, the_mask_is_restored_at_the_end) {
  EXPECT_EXIT(
      {
        {
          auto signals = signal_wait::open({SIGQUIT});
        }
        std::raise(SIGQUIT);
        std::exit(0);
      },
      testing::KilledBySignal(SIGQUIT), "");
}

} // namespace
