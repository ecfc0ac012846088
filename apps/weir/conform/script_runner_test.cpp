// SPDX-License-Identifier: Apache-2.0
#include "conform/script_runner.hpp"

#include "conform/args.hpp"

#include <weir/runtime.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace weir::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// The scripts of test/integration, replayed in one mode.
class script_runner_test : public testing::TestWithParam<const char*> {
protected:
  script_report replay(const std::string& folder, const std::string& script) {
    const auto files = corpus::open(std::string{WEIR_TEST_DATA} + "/" + folder);
    if (!files) throw std::runtime_error(files.error());
    const conform_mode mode = find_mode(GetParam()).value();
    const wasm::engine engine{mode.engine};
    script_runner runner{*files, script + "/" + script + ".jsonl", engine, mode.style};
    runtime permits{{.permits = 1}};
    return permits.block_on(runner.run());
  }

  static std::string failures(const script_report& report) {
    std::string text;
    for (const failure& one : report.failures)
      text += std::to_string(one.line) + " " + one.directive + ": " + one.expected + " / " + one.got + "\n";
    return text;
  }
};

TEST_P(script_runner_test, every_kind_of_assertion_passes_where_it_holds) {
  const script_report report = replay("corpus", "basic");
  EXPECT_EQ(report.script, "basic.wast");
  EXPECT_EQ(failures(report), "");
  EXPECT_EQ(report.counts.passed, 18u);
  EXPECT_EQ(report.counts.not_run(), 0u);
  EXPECT_TRUE(report.is_fully_supported());
}

TEST_P(script_runner_test, definitions_instances_and_registered_names_link) {
  const script_report report = replay("corpus", "linking");
  EXPECT_EQ(failures(report), "");
  EXPECT_EQ(report.counts.passed, 11u);
}

TEST_P(script_runner_test, what_needs_a_lacking_feature_counts_for_the_feature) {
  const script_report report = replay("corpus", "lacking");
  EXPECT_EQ(failures(report), "");
  EXPECT_EQ(report.counts.passed, 0u);
  EXPECT_FALSE(report.is_fully_supported());
  EXPECT_THAT(report.counts.lacking, ElementsAre(Pair("component-model", 5), Pair("simd", 4), Pair("threads", 4)));
}

TEST_P(script_runner_test, text_alone_is_skipped_and_text_with_a_binary_is_run) {
  const script_report report = replay("corpus", "text");
  EXPECT_EQ(failures(report), "");
  EXPECT_EQ(report.counts.passed, 2u);
  EXPECT_THAT(report.counts.skipped, ElementsAre(Pair("text format", 2)));
  EXPECT_TRUE(report.is_fully_supported());
}

TEST_P(script_runner_test, an_assertion_that_does_not_hold_fails_with_line_expected_and_got) {
  const script_report report = replay("failing", "wrong");
  EXPECT_EQ(report.counts.passed, 1u);
  ASSERT_EQ(report.counts.failed, 6u) << failures(report);
  EXPECT_THAT(failures(report), HasSubstr("2 assert_return: i32:2 / i32:1\n"));
  EXPECT_THAT(failures(report), HasSubstr("3 assert_trap: a trap: unreachable / i32:1\n"));
  EXPECT_THAT(failures(report),
              HasSubstr("4 assert_invalid: an invalid module: type mismatch / a module that compiles\n"));
  EXPECT_THAT(failures(report), HasSubstr("5 assert_return: no value / "));
  EXPECT_THAT(failures(report), HasSubstr("6 assert_return: a module named Nobody / none\n"));
  EXPECT_THAT(failures(report), HasSubstr("type mismatch"));
}

TEST_P(script_runner_test, a_bad_line_and_a_missing_module_are_failures_and_no_crash) {
  const script_report report = replay("failing", "unreadable");
  EXPECT_EQ(report.counts.failed, 4u) << failures(report);
  EXPECT_THAT(failures(report), HasSubstr("1 action: a module before it / none\n"));
  EXPECT_THAT(failures(report), HasSubstr("missing.wasm"));
  EXPECT_THAT(failures(report), HasSubstr("line 5 of unreadable/unreadable.jsonl 'frobnicate' is no type of command"));
  EXPECT_THAT(failures(report), HasSubstr("line 6 of unreadable/unreadable.jsonl is not JSON"));
  EXPECT_THAT(report.counts.skipped, ElementsAre(Pair("its module failed", 1)));
}

INSTANTIATE_TEST_SUITE_P(modes, script_runner_test,
                         testing::Values("normal", "yield", "move", "no-accumulator", "no-pinned-local", "no-fusion"),
                         [](const auto& mode) {
                           std::string name = mode.param;
                           for (char& letter : name)
                             if (letter == '-') letter = '_';
                           return name;
                         });

TEST(script_name, it_is_that_of_the_text_script) {
  EXPECT_EQ(script_name("wasm-core/spec/core/linking/linking.jsonl"), "wasm-core/spec/core/linking.wast");
  EXPECT_EQ(script_name("linking.jsonl"), "linking.wast");
  EXPECT_EQ(script_name("a/b.jsonl"), "a/b.wast");
}

TEST(lacking_proposal, it_is_the_folder_below_proposals) {
  EXPECT_EQ(lacking_proposal("wasm-core/proposals/threads/atomic/atomic.jsonl"), "threads");
  EXPECT_EQ(lacking_proposal("proposals/custom-descriptors/a/a.jsonl"), "custom-descriptors");
  EXPECT_EQ(lacking_proposal("spec/core/i32/i32.jsonl"), "");
  EXPECT_EQ(lacking_proposal("proposals/tail-call/a/a.jsonl"), "");
}

TEST(conform_mode, an_unknown_name_is_none) {
  EXPECT_FALSE(find_mode("fast").has_value());
  EXPECT_EQ(find_mode("yield")->style, call_style::suspending);
}

} // namespace
} // namespace weir::cli
