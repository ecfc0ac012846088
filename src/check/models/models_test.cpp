// SPDX-License-Identifier: Apache-2.0
#include <weir/check/registry.hpp>

#include <cstdio>

#include <gtest/gtest.h>

namespace check = weir::check;

TEST(models, hold_in_every_execution_and_notice_every_change) {
  std::vector<check::model_verdict> verdicts;
  ASSERT_FALSE(check::registered_models().empty());
  for (const check::registered_model& at : check::registered_models()) {
    verdicts.push_back(check::verify(at));
    const check::model_verdict& verdict = verdicts.back();
    EXPECT_EQ(verdict.found.failure, check::failure_kind::none) << verdict.found.report;
    EXPECT_TRUE(verdict.found.is_complete) << at.name << " is bounded, not verified";
    for (const std::string& goal : verdict.found.never_reached) ADD_FAILURE() << at.name << " never reaches: " << goal;
    for (const std::string& survivor : verdict.survivors) ADD_FAILURE() << at.name << " does not notice " << survivor;
  }
  std::fputs(check::table_of(verdicts).c_str(), stdout);
}
