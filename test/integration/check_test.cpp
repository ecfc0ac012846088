// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace weir::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

// Message passing. With release and acquire the flag comes with the data, in 3 executions.
std::string message_passing(const std::string& store_order, const std::string& outcomes, int executions) {
  return R"({"name":"MP","threads":[[{"op":"store","loc":"x","val":1,"ord":"rlx"},{"op":"store","loc":"y","val":1,"ord":")" +
         store_order +
         R"("}],[{"op":"load","reg":"r0","loc":"y","ord":"acq"},{"op":"load","reg":"r1","loc":"x","ord":"rlx"}]],)"
         R"("outcomes":[)" +
         outcomes + R"(],"race":false,"executions":)" + std::to_string(executions) + "}\n";
}

std::string outcome(int flag, int data) {
  return R"({"1:r0":)" + std::to_string(flag) + R"(,"1:r1":)" + std::to_string(data) + R"(,"[x]":1,"[y]":1})";
}

const std::string ordered = outcome(0, 0) + "," + outcome(0, 1) + "," + outcome(1, 1);

TEST(weir_check, a_file_that_is_right_ends_with_one_summary_line) {
  const scratch_folder folder;
  const ended run = weir({"check", "litmus", folder.write("mp.jsonl", message_passing("rel", ordered, 3))});
  EXPECT_EQ(run.status, 0) << run.output << run.error;
  EXPECT_THAT(run.output, MatchesRegex("1 of 1 programs equal, 0 mismatches, 3 executions in [0-9]+ ms\n"));
  EXPECT_EQ(run.error, "");
}

TEST(weir_check, each_mismatch_is_a_line_and_makes_the_status_1) {
  const scratch_folder folder;
  const std::string file =
      folder.write("mp.jsonl", message_passing("rel", ordered, 3) + message_passing("rlx", ordered, 3));
  const ended run = weir({"check", "litmus", file});
  EXPECT_EQ(run.status, 1);
  const auto printed = lines(run.output);
  ASSERT_EQ(printed.size(), 3u) << run.output;
  EXPECT_EQ(printed[0], "MP: 1 final states that the file does not allow, the first: 1:r0=1 1:r1=0 [x]=1 [y]=1");
  EXPECT_EQ(printed[1], "MP: 4 executions, the file says 3");
  EXPECT_THAT(printed[2], StartsWith("1 of 2 programs equal, 2 mismatches, 7 executions in "));
}

TEST(weir_check, a_file_that_cannot_be_used_says_what_is_wrong_and_where) {
  const scratch_folder folder;
  const std::string broken = folder.write("broken.jsonl", message_passing("rel", ordered, 3) + "{\"name\":\"MP\"\n");
  const std::string strange = folder.write("strange.jsonl", message_passing("strong", ordered, 3));
  const std::string empty = folder.write("empty.jsonl", "\n");
  std::string deep;
  for (int at = 0; at < 100'000; ++at) deep += R"({"op":"if","reg":"r0","eq":0,"then":[)";
  for (int at = 0; at < 100'000; ++at) deep += "]}";
  const std::string nested = folder.write("nested.jsonl", R"({"name":"deep","threads":[[)" + deep + "]]}\n");
  const struct {
    std::string file, says;
  } cases[] = {{broken, broken + ":2: "},
               {strange, strange + ":1: no memory order is called 'strong'; a line is an object with name, threads, "},
               {nested, nested + ":1: instructions are nested more than 64 deep; "},
               {empty, empty + ": holds no program; "},
               {folder.path(), folder.path() + ": cannot be read; give the path of a file"},
               {folder.file("missing"), folder.file("missing") + ": cannot be opened; give the path of a file"}};
  for (const auto& [file, says] : cases) {
    const ended run = weir({"check", "litmus", file});
    EXPECT_EQ(run.status, 2) << run.output;
    ASSERT_EQ(lines(run.error).size(), 1u) << run.error;
    EXPECT_THAT(run.error, StartsWith("weir: " + says));
  }
}

TEST(weir_check, a_wrong_command_line_is_refused_and_help_explains) {
  EXPECT_EQ(weir({"check"}).status, 2);
  EXPECT_EQ(weir({"check", "litmus"}).status, 2);
  EXPECT_EQ(weir({"check", "everything"}).status, 2);
  const ended help = weir({"check", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.output, HasSubstr("weir check litmus litmus.jsonl"));
  EXPECT_THAT(weir({"--help"}).output, HasSubstr("weir check litmus"));
}

TEST(weir_check, the_litmus_corpus_is_equal_where_it_is_at_hand) {
  const char* const corpora = std::getenv("WEIR_CORPORA");
  if (corpora == nullptr) GTEST_SKIP() << "WEIR_CORPORA names no folder of corpora";
  const std::string file = std::string{corpora} + "/litmus/litmus.jsonl";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " does not exist";
  const ended run = weir({"check", "litmus", file});
  EXPECT_EQ(run.status, 0) << run.output << run.error;
  EXPECT_THAT(run.output, StartsWith("758 of 758 programs equal, 0 mismatches, "));
}

} // namespace
} // namespace weir::test
