// SPDX-License-Identifier: Apache-2.0
#include "os/child_process.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>

namespace weir::rt::os {
namespace {

TEST(child_process, what_the_child_says_arrives_and_its_changes_do_not) {
  int value = 1;
  const std::string large(100'000, 'x'); // more than a pipe holds
  const auto end = run_in_child([&](const auto& say) {
    value = 2;
    say("first,");
    say(large);
  });
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->signal, 0);
  EXPECT_EQ(end->said, "first," + large);
  EXPECT_EQ(value, 1);
}

TEST(child_process, a_crash_is_a_signal_with_what_was_said_before) {
  const auto end = run_in_child([](const auto& say) {
    say("before");
    std::signal(SIGTERM, SIG_DFL);
    std::raise(SIGTERM);
  });
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->signal, SIGTERM);
  EXPECT_EQ(end->said, "before");
}

} // namespace
} // namespace weir::rt::os
