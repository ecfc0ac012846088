// SPDX-License-Identifier: Apache-2.0
#include "run/prefixed_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace weir::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class prefixed_lines_test : public testing::Test {
protected:
  std::vector<std::string> passed_;
  prefixed_lines lines_{"sieve.1| ", [this](std::string_view text) {
                          passed_.emplace_back(text);
                          return std::error_code{};
                        }};
};

TEST_F(prefixed_lines_test, each_line_carries_the_prefix) {
  lines_.write("one\ntwo\n");
  EXPECT_THAT(passed_, ElementsAre("sieve.1| one\nsieve.1| two\n"));
}

TEST_F(prefixed_lines_test, a_line_in_pieces_is_passed_on_once_it_is_whole) {
  lines_.write("on");
  lines_.write("e");
  EXPECT_THAT(passed_, IsEmpty());
  lines_.write("\ntw");
  EXPECT_THAT(passed_, ElementsAre("sieve.1| one\n"));
}

TEST_F(prefixed_lines_test, the_last_line_is_ended_and_passed_on_at_the_end) {
  lines_.write("one\nrest");
  lines_.finish();
  lines_.finish();
  EXPECT_THAT(passed_, ElementsAre("sieve.1| one\n", "sieve.1| rest\n"));
}

TEST_F(prefixed_lines_test, an_empty_line_is_a_line) {
  lines_.write("\n\n");
  EXPECT_THAT(passed_, ElementsAre("sieve.1| \nsieve.1| \n"));
}

TEST_F(prefixed_lines_test, a_line_without_end_is_passed_on_in_parts) {
  const std::string part(prefixed_lines::longest_line / 2 + 1, 'x');
  lines_.write(part);
  lines_.write(part);
  ASSERT_EQ(passed_.size(), 1u);
  EXPECT_EQ(passed_[0].size(), prefixed_lines::longest_line + std::string{"sieve.1| \n"}.size());
  lines_.write("\n");
  EXPECT_EQ(passed_.at(1), "sieve.1| xx\n");
}

TEST(prefixed_lines, an_error_of_the_sink_reaches_the_writer) {
  prefixed_lines lines{"", [](std::string_view) { return std::make_error_code(std::errc::broken_pipe); }};
  EXPECT_EQ(lines.write("no newline yet"), std::error_code{});
  EXPECT_EQ(lines.write("\n"), std::errc::broken_pipe);
}

} // namespace
} // namespace weir::cli
