// SPDX-License-Identifier: Apache-2.0
#include "check_command.hpp"

#include "support/console.hpp"
#include "support/exit_code.hpp"

#include <weir/check/litmus.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

namespace weir::cli {
namespace {

constexpr const char* lessons = R"(Exit status: 0, 1 a program behaves differently or the file cannot be used, 2 usage.

Example:
  weir check litmus litmus.jsonl
)";

int replay_litmus_file(const std::string& file) {
  const auto start = std::chrono::steady_clock::now();
  const auto summary = check::run_litmus(file, [](const check::litmus_mismatch& at) {
    write_all(stream::output, fmt::format("{}: {}\n", at.program, at.what));
  });
  if (!summary) {
    complain(summary.error());
    return exit_code::failure;
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  write_all(stream::output,
            fmt::format("{} of {} programs equal, {} mismatches, {} executions in {:.0f} ms\n", summary->equal,
                        summary->programs, summary->mismatches.size(), summary->executions, took.count()));
  return summary->equal == summary->programs ? exit_code::success : exit_code::failure;
}

} // namespace

int run_check(std::span<const std::string> words) {
  CLI::App app("Checks the model checker", "weir check");
  app.footer(lessons);
  app.require_subcommand(1);
  CLI::App* const litmus =
      app.add_subcommand("litmus", "Replays litmus programs: outcomes, races and counts of executions");
  std::string file;
  litmus->add_option("file", file, "One JSON program a line")->required();
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? exit_code::success : exit_code::usage;
  }
  return replay_litmus_file(file);
}

} // namespace weir::cli
