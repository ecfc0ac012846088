// SPDX-License-Identifier: Apache-2.0
#include "run/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::cli {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  for (const guest_plan& guest : plan_guests(parse_run(words).value())) all.push_back(guest.name);
  return all;
}

TEST(run_plan, a_guest_is_called_like_its_file) {
  EXPECT_THAT(names({"x/sieve.wasm", "1", "---", "publish.wasm"}), ElementsAre("sieve", "publish"));
}

TEST(run_plan, copies_are_numbered_from_one) {
  EXPECT_THAT(names({"--copies", "3", "sieve.wasm"}), ElementsAre("sieve.1", "sieve.2", "sieve.3"));
}

TEST(run_plan, programs_of_one_name_are_numbered_together) {
  EXPECT_THAT(names({"a/x.wasm", "---", "y.wasm", "---", "--copies", "2", "b/x.wasm"}),
              ElementsAre("x.1", "y", "x.2", "x.3"));
}

TEST(run_plan, only_the_first_guest_has_standard_input) {
  const auto guests =
      plan_guests(parse_run(std::vector<std::string>{"--copies", "2", "a.wasm", "---", "b.wasm"}).value());
  EXPECT_TRUE(guests.at(0).has_standard_input);
  EXPECT_FALSE(guests.at(1).has_standard_input);
  EXPECT_FALSE(guests.at(3).has_standard_input);
  EXPECT_EQ(guests.at(3).program, 1u);
}

} // namespace
} // namespace weir::cli
