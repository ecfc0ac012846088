// SPDX-License-Identifier: Apache-2.0
#include "os/futex.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <thread>

namespace {

using namespace weir::rt;

TEST(futex, another_value_than_the_expected_one_returns_at_once_and_keeps_errno) {
  weir::detail::atomic<std::uint32_t> word{3};
  errno = ERANGE;
  EXPECT_TRUE(os::futex_wait(word, 4));
  EXPECT_EQ(errno, ERANGE);
}

TEST(futex, a_deadline_ends_the_wait_and_is_never_early) {
  weir::detail::atomic<std::uint32_t> word{3};
  instant deadline = now() + duration(1'500'000);
  while (os::futex_wait(word, 3, deadline)) {
  }
  EXPECT_GE(now(), deadline);
}

TEST(futex, wake_all_wakes_every_sleeper) {
  weir::detail::atomic<std::uint32_t> word{0};
  auto sleeper = [&] {
    while (word.load() == 0) os::futex_wait(word, 0);
  };
  std::thread a(sleeper);
  std::thread b(sleeper);
  word.store(1);
  os::futex_wake_all(word);
  a.join();
  b.join();
}

} // namespace
