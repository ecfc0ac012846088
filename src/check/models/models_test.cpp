// SPDX-License-Identifier: Apache-2.0
#include <weir/check/registry.hpp>

#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>
#include <weir/check/atomic.hpp>
#include <weir/config.hpp>

namespace check = weir::check;

TEST(models, hold_in_every_execution_and_every_weakened_order_is_noticed) {
  std::vector<check::model_verdict> verdicts;
  ASSERT_FALSE(check::registered_models().empty());
  const char* part_of_name = std::getenv("WEIR_MODELS"); // set: only the models whose names contain it
  for (const check::registered_model& at : check::registered_models()) {
    if (part_of_name != nullptr && !at.name.contains(part_of_name)) continue;
    verdicts.push_back(check::verify(at));
    const check::exploration& found = verdicts.back().found;
    EXPECT_EQ(found.failure, check::failure_kind::none) << found.report;
    EXPECT_TRUE(found.is_complete) << at.name << " is bounded, not verified";
    for (const std::string& goal : found.never_reached) ADD_FAILURE() << at.name << " never reaches: " << goal;
  }
  std::fputs(check::table_of(verdicts).c_str(), stdout);
  const check::mutation_score score = check::score_of(verdicts);
  std::printf("%zu of %zu changes of an order or a line are noticed by some model, %zu more are explained\n",
              score.noticed, score.changes, score.explained);
#if WEIR_HAS_TSAN // without the sanitizer's marks, races on memory that no cell wraps go unseen, and some mutants with them
  for (const std::string& name : check::unnoticed(verdicts)) {
    if (part_of_name == nullptr) {
      ADD_FAILURE() << "no model notices " << name;
    } else {
      std::printf("none of these notices %s\n", name.c_str()); // the others may
    }
  }
  if (part_of_name != nullptr) return;
  EXPECT_GE(score.share_noticed(), 0.9);
#endif
}

#if WEIR_HAS_TSAN // compiled with the sanitizer's marks, see plain_access.cpp
TEST(models, a_race_on_memory_that_no_cell_wraps_is_found) {
  const auto passing = [](std::memory_order order) {
    return check::explore("plain", [order](check::model& m) {
      check::atomic<int> flag{0};
      int data = 0;
      m.spawn("writer", [&] {
        data = 1;
        flag.store(1, order);
      });
      if (flag.load(std::memory_order::acquire) == 1) m.require(data == 1, "the data is there");
      m.join_all();
      m.require(data == 1, "the data is there at the end");
    });
  };
  const check::exploration racy = passing(std::memory_order::relaxed);
  EXPECT_EQ(racy.failure, check::failure_kind::data_race);
  ASSERT_FALSE(racy.fixes.empty()) << racy.report;
  EXPECT_NE(racy.fixes[0].find("store: relaxed -> release"), std::string::npos) << racy.report;
  const check::exploration good = passing(std::memory_order::release);
  EXPECT_TRUE(good.passed()) << good.report;
}
#endif
