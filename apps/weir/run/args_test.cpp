// SPDX-License-Identifier: Apache-2.0
#include "run/args.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::cli {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

run_request good(const std::vector<std::string>& words) {
  auto parsed = parse_run(words);
  EXPECT_TRUE(parsed.has_value()) << parsed.error().text;
  return parsed.value_or(run_request{});
}

std::string problem(const std::vector<std::string>& words) {
  auto parsed = parse_run(words);
  EXPECT_FALSE(parsed.has_value());
  if (parsed) return {};
  EXPECT_EQ(parsed.error().status, 2);
  EXPECT_THAT(parsed.error().text, testing::Not(HasSubstr("\n")));
  return parsed.error().text;
}

TEST(run_args, a_program_alone_has_every_default) {
  const run_request request = good({"a.wasm"});
  ASSERT_EQ(request.programs.size(), 1u);
  EXPECT_EQ(request.programs[0].path, "a.wasm");
  EXPECT_THAT(request.programs[0].args, IsEmpty());
  EXPECT_EQ(request.permits, 0u);
  EXPECT_EQ(request.stats, stats_format::none);
  EXPECT_EQ(request.programs[0].options.copies, 1u);
}

TEST(run_args, words_after_the_program_belong_to_the_guest_untouched) {
  const run_request request =
      good({"--permits", "1", "a.wasm", "--permits", "9", "--help", "--", "-x", "--stats=json", "", "-5"});
  EXPECT_EQ(request.permits, 1u);
  EXPECT_EQ(request.stats, stats_format::none);
  EXPECT_THAT(request.programs.at(0).args,
              ElementsAre("--permits", "9", "--help", "--", "-x", "--stats=json", "", "-5"));
}

TEST(run_args, every_option_is_read) {
  const run_request request = good({"--permits=2",  "--threads", "40",       "--raw",     "--stats",
                                    "--dir",        "data::/in", "--dir",    ".",         "--env",
                                    "A=1=2",        "--env",     "B=",       "--timeout", "5s",
                                    "--max-memory", "64MiB",     "--copies", "3",         "--invoke",
                                    "run",          "--repeat",  "7",        "a.wasm",    "8"});
  EXPECT_EQ(request.permits, 2u);
  EXPECT_EQ(request.max_threads, 40u);
  EXPECT_TRUE(request.is_raw);
  EXPECT_EQ(request.stats, stats_format::table);
  const program_options& options = request.programs.at(0).options;
  EXPECT_THAT(options.folders, ElementsAre(program_options::folder{"data", "/in"}, program_options::folder{".", "."}));
  EXPECT_THAT(options.environment, ElementsAre(testing::Pair("A", "1=2"), testing::Pair("B", "")));
  EXPECT_EQ(options.timeout, 5s);
  EXPECT_EQ(options.max_memory, 64u << 20);
  EXPECT_EQ(options.copies, 3u);
  EXPECT_EQ(options.invoke, "run");
  EXPECT_EQ(options.repeat, 7u);
  EXPECT_THAT(request.programs.at(0).args, ElementsAre("8"));
}

TEST(run_args, stats_take_a_format_only_behind_an_equals_sign) {
  EXPECT_EQ(good({"--stats", "json"}).programs.at(0).path, "json");
  EXPECT_EQ(good({"--stats=json", "a.wasm"}).stats, stats_format::json);
  EXPECT_THAT(problem({"--stats=xml", "a.wasm"}), HasSubstr("'xml' is neither"));
}

TEST(run_args, separators_part_programs) {
  const run_request request = good({"--env", "A=1", "a.wasm", "x", "---", "b.wasm", "---", "a.wasm", "y", "z"});
  ASSERT_EQ(request.programs.size(), 3u);
  EXPECT_THAT(request.programs[0].args, ElementsAre("x"));
  EXPECT_EQ(request.programs[1].path, "b.wasm");
  EXPECT_THAT(request.programs[2].args, ElementsAre("y", "z"));
  for (const auto& program : request.programs) EXPECT_EQ(program.options.environment.size(), 1u);
}

TEST(run_args, options_after_a_separator_count_for_that_program_alone) {
  const run_request request = good({"--timeout", "1s", "--env", "A=1", "a.wasm", "---", "--timeout", "9s", "--env",
                                    "B=2", "--copies", "4", "b.wasm", "---", "c.wasm"});
  EXPECT_EQ(request.programs.at(0).options.timeout, 1s);
  EXPECT_EQ(request.programs.at(1).options.timeout, 9s);
  EXPECT_EQ(request.programs.at(1).options.environment.size(), 2u);
  EXPECT_EQ(request.programs.at(1).options.copies, 4u);
  EXPECT_EQ(request.programs.at(2).options.timeout, 1s);
  EXPECT_EQ(request.programs.at(2).options.environment.size(), 1u);
  EXPECT_EQ(request.programs.at(2).options.copies, 1u);
}

TEST(run_args, a_leading_separator_gives_the_first_program_options_of_its_own) {
  const run_request request = good({"--env", "A=1", "---", "--copies", "3", "a.wasm", "---", "b.wasm"});
  ASSERT_EQ(request.programs.size(), 2u);
  EXPECT_EQ(request.programs[0].options.copies, 3u);
  EXPECT_EQ(request.programs[1].options.copies, 1u);
  EXPECT_EQ(request.programs[1].options.environment.size(), 1u);
}

TEST(run_args, a_dash_dash_lets_a_program_begin_with_a_dash) {
  EXPECT_EQ(good({"--", "-odd.wasm", "x"}).programs.at(0).path, "-odd.wasm");
}

TEST(run_args, a_seed_may_be_any_number_and_is_for_all_programs) {
  EXPECT_FALSE(good({"a.wasm"}).seed.has_value());
  EXPECT_EQ(good({"--sim", "0", "a.wasm"}).seed, 0u);
  EXPECT_EQ(good({"--sim=18446744073709551615", "a.wasm"}).seed, 18446744073709551615u);
  EXPECT_THAT(problem({"--sim", "-1", "a.wasm"}), HasSubstr("'-1'"));
  EXPECT_THAT(problem({"--sim", "seven", "a.wasm"}), HasSubstr("'seven'"));
  EXPECT_THAT(problem({"--sim", "18446744073709551616", "a.wasm"}), HasSubstr("18446744073709551615"));
  EXPECT_THAT(problem({"--sim=", "a.wasm"}), HasSubstr("--sim"));
  EXPECT_THAT(problem({"--sim", "1", "--invoke", "f", "--repeat", "3", "a.wasm"}), HasSubstr("leave one of them out"));
  EXPECT_THAT(problem({"a.wasm", "---", "--sim", "1", "b.wasm"}), HasSubstr("before the first"));
}

TEST(run_args, each_usage_error_is_one_line_that_names_the_word) {
  EXPECT_THAT(problem({}), HasSubstr("which program?"));
  EXPECT_THAT(problem({"--permits", "1"}), HasSubstr("which program?"));
  EXPECT_THAT(problem({"a.wasm", "---"}), HasSubstr("no program after ---"));
  EXPECT_THAT(problem({"a.wasm", "---", "---", "b.wasm"}), HasSubstr("no program after ---"));
  EXPECT_THAT(problem({"--frob", "a.wasm"}), HasSubstr("--frob"));
  EXPECT_THAT(problem({"--permits", "0", "a.wasm"}), HasSubstr("--permits"));
  EXPECT_THAT(problem({"--permits", "two", "a.wasm"}), HasSubstr("'two'"));
  EXPECT_THAT(problem({"--copies", "-1", "a.wasm"}), HasSubstr("--copies"));
  EXPECT_THAT(problem({"--timeout", "5", "a.wasm"}), HasSubstr("has no unit"));
  EXPECT_THAT(problem({"--max-memory", "lots", "a.wasm"}), HasSubstr("--max-memory"));
  EXPECT_THAT(problem({"--env", "A", "a.wasm"}), HasSubstr("NAME=VALUE"));
  EXPECT_THAT(problem({"--dir", "::/x", "a.wasm"}), HasSubstr("HOST::GUEST"));
  EXPECT_THAT(problem({"--repeat", "3", "a.wasm"}), HasSubstr("needs --invoke"));
  EXPECT_THAT(problem({"--timeout"}), HasSubstr("--timeout"));
  EXPECT_THAT(problem({"a.wasm", "---", "--permits", "1", "b.wasm"}), HasSubstr("before the first"));
}

TEST(run_args, help_teaches_with_examples) {
  const auto parsed = parse_run(std::vector<std::string>{"--help"});
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().status, 0);
  for (const char* part : {"Usage: weir run", "Examples:", "--permits", "Exit status", "Ctrl-C", "standard error"})
    EXPECT_THAT(parsed.error().text, HasSubstr(part));
}

} // namespace
} // namespace weir::cli
