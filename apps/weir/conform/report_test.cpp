// SPDX-License-Identifier: Apache-2.0
#include "conform/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace weir::cli {
namespace {

using testing::HasSubstr;

script_report sample(std::string name) {
  script_report report{std::move(name), {}, {}};
  report.add(1, "module", verdict::pass());
  report.add(2, "assert_return", verdict::pass());
  report.add(3, "assert_malformed", verdict::skip("text format"));
  return report;
}

TEST(conform_report, a_script_lacks_nothing_until_a_directive_does) {
  script_report report = sample("a");
  EXPECT_TRUE(report.is_fully_supported());
  report.add(4, "module", verdict::lacks("simd"));
  EXPECT_FALSE(report.is_fully_supported());
  EXPECT_EQ(report.counts.not_run(), 2u);
  EXPECT_EQ(report.counts.all(), 4u);
}

TEST(conform_report, a_weight_counts_the_directives_inside_a_thread) {
  script_report report{"a", {}, {}};
  report.add(1, "thread", verdict::lacks("threads"), 5);
  EXPECT_EQ(report.counts.lacking.at("threads"), 5u);
}

TEST(conform_report, totals_are_the_sums_over_scripts) {
  conform_report report;
  report.add(sample("a"));
  script_report other = sample("b");
  other.add(9, "module", verdict::lacks("simd"));
  other.add(10, "module", verdict::lacks("gc"));
  report.add(std::move(other));
  EXPECT_TRUE(report.is_clean());
  EXPECT_EQ(report.total().passed, 4u);
  EXPECT_EQ(report.total().skipped.at("text format"), 2u);
  EXPECT_EQ(report.scripts(), 2u);
  EXPECT_EQ(report.fully_supported(), 1u);
  EXPECT_THAT(report.summary(), HasSubstr("2 scripts, 8 directives: 4 passed, 0 failed, 4 not run"));
  EXPECT_THAT(report.summary(),
              HasSubstr("1 of 2 scripts need only what the engine has: 2 directives passed, 0 failed"));
  EXPECT_THAT(report.summary(), HasSubstr("       2  text format"));
}

TEST(conform_report, a_failure_is_printed_with_script_line_expected_and_got) {
  conform_report report;
  script_report bad = sample("spec/i32.wast");
  bad.add(12, "assert_return", verdict::fail("i32:1", "i32:2"));
  report.add(std::move(bad));
  EXPECT_FALSE(report.is_clean());
  EXPECT_EQ(report.failures(10), "spec/i32.wast:12: assert_return: expected i32:1, got i32:2\n");
}

TEST(conform_report, failures_beyond_the_most_are_counted) {
  conform_report report;
  script_report bad{"a", {}, {}};
  for (unsigned line = 1; line <= 5; ++line) bad.add(line, "action", verdict::fail("x", "y"));
  report.add(std::move(bad));
  EXPECT_THAT(report.failures(2), HasSubstr("a: 3 more failures"));
  EXPECT_THAT(report.failures(2), testing::Not(HasSubstr("a:3:")));
}

TEST(conform_report, the_table_has_a_line_for_each_script_in_order) {
  conform_report report;
  report.add(sample("b"));
  report.add(sample("a"));
  const std::string table = report.table();
  EXPECT_LT(table.find("\na "), table.find("\nb "));
  EXPECT_THAT(table, HasSubstr("1 text format"));
}

TEST(conform_report, json_holds_every_failure_even_with_bytes_that_are_not_text) {
  conform_report report;
  script_report bad = sample("a");
  bad.add(12, "assert_return", verdict::fail("\xff", "y"));
  report.add(std::move(bad));
  const auto read = nlohmann::json::parse(report.json("yield"));
  EXPECT_EQ(read["mode"], "yield");
  EXPECT_EQ(read["total"]["failed"], 1);
  EXPECT_EQ(read["total"]["skipped"]["text format"], 1);
  EXPECT_EQ(read["scripts"][0]["failures"][0]["line"], 12);
}

} // namespace
} // namespace weir::cli
