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

constexpr const char* lessons = R"(What is replayed:
  Each line of the file is a small program on atomics with the states it may end in, whether it has a data race, and
  how many executions it has. All executions of each are explored; anything that differs is a line of output.

Exit status: 0 all are equal, 1 a program behaves differently, 2 usage, or the file cannot be used.

Examples:
  weir check litmus litmus.jsonl
)";

int replay_litmus_file(const std::string& file) {
  const auto start = std::chrono::steady_clock::now();
  const auto summary = check::run_litmus(file, [](const check::litmus_mismatch& at) {
    print(stream::output, fmt::format("{}: {}\n", at.program, at.what));
  });
  if (!summary) {
    complain(summary.error());
    return exit_code::usage;
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  print(stream::output,
        fmt::format("{} of {} programs equal, {} mismatches, {} executions in {:.0f} ms\n", summary->equal,
                    summary->programs, summary->mismatches.size(), summary->executions, took.count()));
  return summary->equal == summary->programs ? exit_code::success : exit_code::failure;
}

} // namespace

int run_check(std::span<const std::string> words) {
  CLI::App app("Checks the model checker against programs whose behaviour is known.", "weir check");
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
