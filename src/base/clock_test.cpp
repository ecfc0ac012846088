// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"

#include <gtest/gtest.h>

namespace {

using weir::rt::duration;
using weir::rt::instant;
using weir::rt::now;

TEST(clock, never_goes_back) {
  instant last = now();
  for (int i = 0; i < 10'000; ++i) {
    instant next = now();
    ASSERT_GE(next, last);
    last = next;
  }
}

TEST(clock, addition_saturates_at_both_ends) {
  EXPECT_EQ(instant::never() + duration(-5), instant::never());
  EXPECT_EQ(instant{instant::never().nanoseconds - 1} + duration(5), instant::never());
  EXPECT_EQ(instant{-2} + duration::min(), instant{std::numeric_limits<std::int64_t>::min()});
  EXPECT_EQ((instant{7} + duration(3)) - instant{4}, duration(6));
}

} // namespace
