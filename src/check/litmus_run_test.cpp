// SPDX-License-Identifier: Apache-2.0
#include "check/litmus_run.hpp"

#include "base/scratch_folder.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <weir/check/litmus.hpp>

using namespace weir::check;
using namespace weir::check::detail;

namespace {

// A file that lives as long as the test.
class written_file {
public:
  explicit written_file(const std::string& text) : path_(folder_.write("programs.jsonl", text)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  weir::test::scratch_folder folder_;
  std::filesystem::path path_;
};

// Store buffering; `outcomes` and the numbers are the caller's claim about it.
std::string store_buffering(const std::string& order, const std::string& outcomes, const std::string& executions,
                            const std::string& race = "false") {
  const auto thread = [&](const char* mine, const char* other) {
    return std::string(R"([{"op":"store","loc":")") + mine + R"(","val":1,"ord":")" + order +
           R"("},{"op":"load","reg":"r0","loc":")" + other + R"(","ord":")" + order + R"("}])";
  };
  return R"({"name":"SB","threads":[)" + thread("x", "y") + "," + thread("y", "x") + R"(],"outcomes":[)" + outcomes +
         R"(],"race":)" + race + R"(,"executions":)" + executions + "}\n";
}

std::string state(int first, int second) {
  return R"({"0:r0":)" + std::to_string(first) + R"(,"1:r0":)" + std::to_string(second) + R"(,"[x]":1,"[y]":1})";
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

const std::string three_states = state(0, 1) + "," + state(1, 0) + "," + state(1, 1);

} // namespace

TEST(litmus_run, accepts_a_file_that_states_what_the_model_allows) {
  const written_file file(store_buffering("sc", three_states, "3") + "\n" +
                          store_buffering("rlx", three_states + "," + state(0, 0), "4"));
  const auto summary = run_litmus(file.path());
  ASSERT_TRUE(summary) << summary.error();
  EXPECT_EQ(summary->programs, 2U);
  EXPECT_EQ(summary->equal, 2U);
  EXPECT_EQ(summary->executions, 7U);
  EXPECT_TRUE(summary->mismatches.empty());
}

TEST(litmus_run, reports_each_way_in_which_a_program_differs_from_its_file) {
  const written_file file(store_buffering("sc", state(0, 0) + "," + state(0, 1), "5", "true"));
  std::vector<std::string> lines;
  const auto summary =
      run_litmus(file.path(), [&](const litmus_mismatch& at) { lines.push_back(at.program + ": " + at.what); });
  ASSERT_TRUE(summary) << summary.error();
  EXPECT_EQ(summary->equal, 0U);
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "SB: 2 final states that the file does not allow, the first: 0:r0=1 1:r0=0 [x]=1 [y]=1",
                       "SB: 1 allowed final states were not reached, the first: 0:r0=0 1:r0=0 [x]=1 [y]=1",
                       "SB: no data race, the file says there is one",
                       "SB: 3 executions, the file says 5",
                   }));
}

TEST(litmus_run, says_which_line_is_no_program) {
  const written_file file(store_buffering("sc", three_states, "3") + store_buffering("strong", three_states, "3"));
  const auto summary = run_litmus(file.path());
  ASSERT_FALSE(summary);
  EXPECT_NE(summary.error().find(".jsonl:2: no memory order is called 'strong'"), std::string::npos) << summary.error();
  const written_file empty("\n\n");
  EXPECT_FALSE(run_litmus(empty.path()));
  EXPECT_FALSE(run_litmus("/nonexistent/file.jsonl"));
}

TEST(litmus_run, finds_a_race_that_a_seq_cst_fence_does_not_remove) {
  // T0: d=1; F; if (y==0) z=1.  T1: y=1; F; if (z==1) d=2.  All relaxed, d plain: a fence orders the reads, it makes no
  // happens-before.
  const std::string relaxed =
      R"({"name":"RACE","threads":[[{"op":"pstore","loc":"d","val":1},{"op":"fence","ord":"sc"},{"op":"load","reg":"r0","loc":"y","ord":"rlx"},)"
      R"({"op":"if","reg":"r0","eq":0,"then":[{"op":"store","loc":"z","val":1,"ord":"rlx"}]}],)"
      R"([{"op":"store","loc":"y","val":1,"ord":"rlx"},{"op":"fence","ord":"sc"},{"op":"load","reg":"r0","loc":"z","ord":"rlx"},)"
      R"({"op":"if","reg":"r0","eq":1,"then":[{"op":"pstore","loc":"d","val":2}]}]],"outcomes":[],"race":true,"executions":0})";
  const std::string synchronised =
      with(with(relaxed, R"("loc":"z","val":1,"ord":"rlx")", R"("loc":"z","val":1,"ord":"rel")"),
           R"("loc":"z","ord":"rlx")", R"("loc":"z","ord":"acq")");
  explorer engine;
  const auto racy = parse_litmus(relaxed);
  const auto calm = parse_litmus(synchronised);
  ASSERT_TRUE(racy);
  ASSERT_TRUE(calm);
  EXPECT_TRUE(explore_litmus(engine, racy->program).has_race);
  EXPECT_FALSE(explore_litmus(engine, calm->program).has_race);
}

TEST(litmus_run, follows_the_data_set_where_it_is_at_hand) {
  const char* const path = std::getenv("WEIR_LITMUS_FILE");
  if (path == nullptr) GTEST_SKIP() << "WEIR_LITMUS_FILE names no file of litmus programs";
  const auto summary = run_litmus(path);
  ASSERT_TRUE(summary) << summary.error();
  EXPECT_EQ(summary->equal, summary->programs);
  EXPECT_EQ(summary->dead_ends, 0U);
}
