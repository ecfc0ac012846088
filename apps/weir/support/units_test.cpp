// SPDX-License-Identifier: Apache-2.0
#include "support/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(units, a_duration_is_a_number_with_a_unit) {
  EXPECT_EQ(parse_duration("5s").value(), 5s);
  EXPECT_EQ(parse_duration("500ms").value(), 500ms);
  EXPECT_EQ(parse_duration("2m").value(), 2min);
  EXPECT_EQ(parse_duration("1.5s").value(), 1500ms);
  EXPECT_EQ(parse_duration("1h").value(), 1h);
  EXPECT_EQ(parse_duration("250us").value(), 250us);
  EXPECT_EQ(parse_duration("0s").value(), 0s);
}

TEST(units, a_wrong_duration_says_what_is_wrong_and_shows_a_right_one) {
  EXPECT_THAT(parse_duration("5").error(), HasSubstr("'5' has no unit"));
  EXPECT_THAT(parse_duration("5").error(), HasSubstr("such as 500ms or 5s"));
  EXPECT_THAT(parse_duration("5 s").error(), HasSubstr("' s' is not a unit"));
  EXPECT_THAT(parse_duration("5parsec").error(), HasSubstr("'parsec' is not a unit"));
  EXPECT_THAT(parse_duration("").error(), HasSubstr("does not begin with a number"));
  EXPECT_THAT(parse_duration("s").error(), HasSubstr("does not begin with a number"));
  EXPECT_THAT(parse_duration("-5s").error(), HasSubstr("negative"));
  EXPECT_THAT(parse_duration("inf s").error(), HasSubstr("negative"));
  EXPECT_THAT(parse_duration("99999999999999999999h").error(), HasSubstr("century"));
}

TEST(units, a_size_counts_bytes_by_1024_or_by_1000) {
  EXPECT_EQ(parse_size("64MiB").value(), 64u << 20);
  EXPECT_EQ(parse_size("1GiB").value(), 1u << 30);
  EXPECT_EQ(parse_size("1.5KiB").value(), 1536u);
  EXPECT_EQ(parse_size("65536").value(), 65536u);
  EXPECT_EQ(parse_size("12B").value(), 12u);
  EXPECT_EQ(parse_size("3MB").value(), 3'000'000u);
}

TEST(units, a_wrong_size_says_what_is_wrong_and_shows_a_right_one) {
  EXPECT_THAT(parse_size("64mib").error(), HasSubstr("'mib' is not a unit"));
  EXPECT_THAT(parse_size("64mib").error(), HasSubstr("such as 64MiB"));
  EXPECT_THAT(parse_size("-1").error(), HasSubstr("negative"));
  EXPECT_THAT(parse_size("MiB").error(), HasSubstr("does not begin with a number"));
  EXPECT_THAT(parse_size("99999999999GiB").error(), HasSubstr("too large"));
}

TEST(units, durations_and_sizes_are_written_with_a_fitting_unit) {
  EXPECT_EQ(format_duration(1234567890ns), "1.235 s");
  EXPECT_EQ(format_duration(7134567ns), "7.13 ms");
  EXPECT_EQ(format_duration(56000ns), "56.0 us");
  EXPECT_EQ(format_duration(12ns), "12 ns");
  EXPECT_EQ(format_size(512), "512 B");
  EXPECT_EQ(format_size(65536), "64.0 KiB");
  EXPECT_EQ(format_size(11'961'127), "11.4 MiB");
  EXPECT_EQ(format_size(3ull << 30), "3.0 GiB");
}

} // namespace
} // namespace weir::cli
