// SPDX-License-Identifier: Apache-2.0
#include <weir/check.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace {

using weir::detail::set_task_describer;
using weir::detail::task_description;

task_description describe() noexcept { return {"reader", std::source_location::current()}; }

TEST(check, a_condition_that_holds_is_evaluated_once) {
  int evaluations = 0;
  WEIR_CHECK(++evaluations == 1, "once");
  EXPECT_EQ(evaluations, 1);
}

TEST(check_death_test, a_failure_prints_condition_reason_and_values) {
  int size = -3;
  const char* name = "ring";
  EXPECT_DEATH(WEIR_CHECK(size > 0, "a ring needs room", size, name, 2u, true),
               "a ring needs room\n  condition: size > 0\n  values: .*size, name, 2u, true = -3, \"ring\", 2, "
               "true\n.*check_test.cpp:");
}

TEST(check_death_test, a_failure_names_the_task_and_its_spawn_site) {
  EXPECT_DEATH(WEIR_CHECK(false, "outside"), "task: +none on this thread");
  EXPECT_DEATH(
      {
        set_task_describer(&describe);
        WEIR_CHECK(false, "inside");
      },
      "task: +\"reader\", spawned at .*check_test.cpp:");
}

TEST(check_death_test, an_observer_sees_a_failure_before_it_is_printed) {
  EXPECT_EXIT(
      {
        weir::detail::set_check_observer([](std::string_view what, const std::source_location& where) noexcept {
          std::fprintf(stderr, "observed %s in line %u\n", std::string(what).c_str(), where.line());
          std::_Exit(3);
        });
        WEIR_CHECK(false, "seen");
      },
      testing::ExitedWithCode(3), "^observed seen in line [0-9]+\n$");
}

TEST(check_death_test, debug_checks_follow_the_build) {
  bool evaluated = false;
  auto fails = [&] {
    evaluated = true;
    return false;
  };
#if WEIR_HAS_DEBUG_CHECKS
  EXPECT_DEATH(WEIR_DEBUG_CHECK(fails(), "debug", evaluated), "debug");
#else
  WEIR_DEBUG_CHECK(fails(), "debug", evaluated);
  EXPECT_FALSE(evaluated);
#endif
}

} // namespace
