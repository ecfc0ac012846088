// SPDX-License-Identifier: Apache-2.0
#include "sched/idle.hpp"

#include <gtest/gtest.h>

namespace weir::rt {
namespace {

TEST(idle, all_permits_start_free_and_each_is_claimed_once) {
  idle_set idle(130); // three words
  EXPECT_EQ(idle.count_free(), 130u);
  for (std::size_t permit = 0; permit != 130; ++permit) EXPECT_EQ(idle.claim_any(), permit);
  EXPECT_EQ(idle.claim_any(), std::nullopt);
  EXPECT_FALSE(idle.has_free());
}

TEST(idle, claim_tells_the_first_from_the_second) {
  idle_set idle(2);
  EXPECT_TRUE(idle.claim(1));
  EXPECT_FALSE(idle.claim(1));
  idle.set_free(1);
  EXPECT_TRUE(idle.claim(1));
  EXPECT_EQ(idle.count_free(), 1u);
}

TEST(idle, fewer_than_half_of_the_busy_search) {
  idle_set idle(4);
  EXPECT_TRUE(idle.try_begin_search(4));
  EXPECT_TRUE(idle.try_begin_search(4));
  EXPECT_FALSE(idle.try_begin_search(4));
  idle.end_search();
  EXPECT_TRUE(idle.try_begin_search(4));
}

} // namespace
} // namespace weir::rt
