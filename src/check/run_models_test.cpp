// SPDX-License-Identifier: Apache-2.0
#include <weir/check/run_models.hpp>

#include "base/scratch_folder.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <weir/check/atomic.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;

namespace {

struct outcome {
  int code = 0;
  std::string out;
  std::string error;
};

outcome run(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "models");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = check::run_models(static_cast<int>(arguments.size()), arguments.data());
  std::string out = testing::internal::GetCapturedStdout();
  return {code, std::move(out), testing::internal::GetCapturedStderr()};
}

} // namespace

WEIR_MODEL(sample_that_holds) {
  check::atomic<int> count{0};
  m.spawn("other", [&] { count.fetch_add(1, std::memory_order::seq_cst); });
  count.fetch_add(1, std::memory_order::seq_cst);
  m.join_all();
  m.require(count.load(std::memory_order::relaxed) == 2, "nothing is lost");
}

WEIR_MODEL(sample_that_fails) {
  check::atomic<int> count{0};
  const auto add = [&] { count.store(count.load(std::memory_order::relaxed) + 1, std::memory_order::relaxed); };
  m.spawn("other", add);
  add();
  m.join_all();
  m.require(count.load(std::memory_order::relaxed) == 2, "nothing is lost");
}
WEIR_MODEL_OPTIONS(sample_that_fails, {.engine = check::engine_kind::bounded});

TEST(run_models, explores_those_that_are_named_and_says_what_that_amounts_to) {
  const outcome good = run({"that_holds"});
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(good.out, "sample_that_holds: verified: 2 executions\n");
  const outcome sampled = run({"that_holds", "engine=random", "runs=100"});
  EXPECT_EQ(sampled.out, "sample_that_holds: sampled: 100 runs from seed 1\n");
  const outcome bad = run({"that_fails"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.out.find("sample_that_fails: failed: requirement\nREQUIREMENT  model sample_that_fails"), 0U)
      << bad.out;
  EXPECT_NE(bad.out.find("  engine bounded"), std::string::npos) << bad.out;
  EXPECT_EQ(run({"--list", "sample"}).out, "sample_that_holds\nsample_that_fails\n");
}

TEST(run_models, tries_mutants_and_names_those_that_go_unnoticed) {
  const outcome mutants = run({"that_holds", "--mutants"});
  EXPECT_EQ(mutants.code, 1);
  EXPECT_NE(mutants.out.find("not noticed: run_models_test.cpp:"), std::string::npos) << mutants.out;
}

TEST(run_models, replays_and_writes_what_failed_for_tools) {
  const std::string bad = run({"that_fails"}).out;
  const std::size_t at = bad.find("replay w1:");
  const std::string replay = "--replay=" + bad.substr(at + 7, bad.find('\n', at) - at - 7);
  const weir::test::scratch_folder folder;
  const auto file = folder / "failed.json";
  const std::string json = "--json=" + file.string();
  const outcome again = run({"that_fails", replay.c_str(), json.c_str()});
  EXPECT_EQ(again.code, 1);
  EXPECT_NE(again.out.find("REQUIREMENT"), std::string::npos) << again.out;
  std::ifstream in(file);
  const std::string written{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(written.find("{\"model\": \"sample_that_fails\""), 0U) << written;
}

TEST(run_models, refuses_arguments_that_make_no_sense) {
  EXPECT_EQ(run({"no_such_model"}).code, 2);
  EXPECT_EQ(run({"--fast"}).code, 2);
  const outcome setting = run({"sample", "speed=9"});
  EXPECT_EQ(setting.code, 2);
  EXPECT_NE(setting.error.find("'speed=9' is no setting"), std::string::npos) << setting.error;
}
