// SPDX-License-Identifier: Apache-2.0
#include "os/snapshot.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace weir::rt::os {
namespace {

TEST(snapshot, each_branch_goes_on_from_where_the_copy_was_made) {
  int value = 0;
  std::vector<snapshot> kept;
  for (int round = 0; round != 3; ++round) {
    ++value;
    snapshot made;
    const auto taken = snapshot::take(made);
    ASSERT_TRUE(taken.has_value());
    if (taken->has_value()) {
      value *= 10;
      made.answer(std::to_string(value + static_cast<int>((*taken)->first)));
    }
    kept.push_back(std::move(made));
  }
  EXPECT_EQ(kept[0].ask({5, 0}), "15");
  EXPECT_EQ(kept[2].ask({0, 0}), "30");
  EXPECT_EQ(kept[0].ask({6, 0}), "16"); // a copy is not used up
  EXPECT_EQ(value, 3);
  kept.erase(kept.begin()); // ends that copy, although later ones know of it
  EXPECT_EQ(kept[0].ask({1, 0}), "21");
}

TEST(snapshot, a_branch_that_crashes_has_no_answer) {
  snapshot made;
  const auto taken = snapshot::take(made);
  ASSERT_TRUE(taken.has_value());
  if (taken->has_value()) {
    if ((*taken)->first == 1) std::_Exit(3);
    made.answer("well");
  }
  EXPECT_EQ(made.ask({1, 0}), "");
  EXPECT_EQ(made.ask({2, 0}), "well");
}

} // namespace
} // namespace weir::rt::os
