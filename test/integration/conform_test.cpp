// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace weir::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(weir_conform, a_clean_corpus_ends_with_what_passed_and_what_was_not_run) {
  for (const char* mode : {"normal", "yield", "move"}) {
    const ended run = weir({"conform", "--mode", mode, "--jobs", "2", test_data("corpus")});
    EXPECT_EQ(run.status, 0) << run.output << run.error;
    EXPECT_EQ(lines(run.output).back(), "4 scripts, 46 directives: 31 passed, 0 failed, 15 not run");
    EXPECT_THAT(run.output, HasSubstr("       4  simd\n"));
    EXPECT_THAT(run.output, HasSubstr("       2  text format\n"));
    EXPECT_THAT(run.output,
                HasSubstr("3 of 4 scripts need only what the engine has: 31 directives passed, 0 failed\n"));
    EXPECT_EQ(run.error, "");
  }
}

TEST(weir_conform, failures_are_listed_and_make_the_status_1) {
  const ended run = weir({"conform", test_data("failing")});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.output, HasSubstr("wrong.wast:2: assert_return: expected i32:2, got i32:1\n"));
  EXPECT_THAT(lines(run.output).back(), HasSubstr("10 failed"));
}

TEST(weir_conform, the_table_and_the_filter_choose_what_is_shown) {
  const ended run = weir({"conform", "--table", "--filter", "basic", test_data("corpus")});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(lines(run.output)[0], StartsWith("script"));
  EXPECT_THAT(lines(run.output)[1], testing::MatchesRegex("basic.wast +18 +0 +0 *"));
  EXPECT_THAT(lines(run.output).back(), StartsWith("1 scripts, 18 directives"));
}

TEST(weir_conform, json_goes_to_the_file) {
  const scratch_folder folder;
  const ended run = weir({"conform", "--json", folder.file("out.json"), test_data("failing")});
  EXPECT_EQ(run.status, 1);
  const auto read = nlohmann::json::parse(read_file(folder.file("out.json")));
  EXPECT_EQ(read["total"]["failed"], 10);
  EXPECT_EQ(read["mode"], "normal");
}

TEST(weir_conform, what_is_no_corpus_gives_one_line) {
  const scratch_folder folder;
  for (const std::string& path : {folder.path(), folder.file("missing"), folder.write("x.tar.zst", "noise")}) {
    const ended run = weir({"conform", path});
    EXPECT_EQ(run.status, 1);
    ASSERT_EQ(lines(run.error).size(), 1u) << run.error;
    EXPECT_THAT(run.error, StartsWith("weir: " + path));
  }
  EXPECT_EQ(weir({"conform"}).status, 2);
  EXPECT_EQ(weir({"conform", "--mode", "fast", test_data("corpus")}).status, 2);
}

} // namespace
} // namespace weir::test
