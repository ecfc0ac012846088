// SPDX-License-Identifier: Apache-2.0
#include "run/stats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <vector>

namespace weir::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::vector<guest_stats> two_guests() {
  return {{"sieve.1", "exit 0", 0, 2s, 1s, 10, 1, 8, 17}, {"sieve.2", "exit 3", 3, 3s, 1s, 20, 2, 16, 18}};
}

TEST(run_stats, the_table_has_a_line_for_each_guest_and_a_total) {
  const std::string table = stats_table(two_guests(), {1, 4, 3s, 2100ms});
  EXPECT_THAT(table, HasSubstr("sieve.1  exit 0"));
  EXPECT_THAT(table, HasSubstr("sieve.2  exit 3"));
  EXPECT_THAT(table, HasSubstr("total    1 failed"));
  EXPECT_THAT(table, HasSubstr("35 pages"));
  EXPECT_THAT(table, HasSubstr("1 permit, 4 threads"));
}

TEST(run_stats, json_is_one_line_with_the_same_numbers) {
  const std::string line = stats_json(two_guests(), {1, 4, 3s, 2100ms});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto read = nlohmann::json::parse(line);
  EXPECT_EQ(read["guests"][1]["name"], "sieve.2");
  EXPECT_EQ(read["guests"][1]["status"], 3);
  EXPECT_EQ(read["guests"][0]["wall_ns"], 2'000'000'000);
  EXPECT_EQ(read["total"]["checkpoints"], 24);
  EXPECT_EQ(read["total"]["permits"], 1);
}

TEST(run_stats, the_line_of_repeated_calls_has_the_least_and_the_middle) {
  std::array odd{9ns * 1'000'000, 7'130'000ns, 7'200'000ns};
  EXPECT_EQ(repeat_line(odd), "min 7.13 ms, median 7.20 ms over 3 calls");
  std::array even{4'000'000ns, 2'000'000ns};
  EXPECT_EQ(repeat_line(even), "min 2.00 ms, median 3.00 ms over 2 calls");
  std::array<std::chrono::nanoseconds, 1> short_call{356ns};
  EXPECT_EQ(repeat_line(short_call), "min 0.00036 ms, median 0.00036 ms over 1 calls");
}

} // namespace
} // namespace weir::cli
