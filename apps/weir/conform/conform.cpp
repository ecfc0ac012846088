// SPDX-License-Identifier: Apache-2.0
#include "conform/conform.hpp"

#include "conform/args.hpp"
#include "conform/corpus.hpp"
#include "conform/progress.hpp"
#include "conform/report.hpp"
#include "conform/script_runner.hpp"
#include "support/console.hpp"
#include "support/exit_code.hpp"

#include <weir/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <vector>

namespace weir::cli {
namespace {

constexpr std::size_t most_failures_of_a_script = 20;

/// A script to replay and where it is.
struct job {
  const corpus* files;
  std::string script;
};

/// What all replays of a run share. The mutex guards the two fields after it.
struct replay_board {
  wasm::engine engine;
  call_style style;
  std::mutex mutex;
  conform_report report;
  progress_line progress;

  replay_board(const conform_mode& mode, std::size_t scripts)
      : engine{mode.engine}, style{mode.style}, progress{scripts} {}

  void add(script_report one) {
    const std::scoped_lock lock{mutex};
    const std::string name = one.script;
    report.add(std::move(one));
    progress.advance(name, report.total().passed, report.total().failed);
  }
};

task<void> replay_script(const job* one, replay_board* board) {
  script_report report{script_name(one->script), {}, {}};
  try {
    script_runner runner{*one->files, one->script, board->engine, board->style};
    task<script_report> running = runner.run();
    report = co_await std::move(running);
  } catch (const std::exception& thrown) {
    report.add(0, "script", verdict::fail("a replay to the end", thrown.what()));
  }
  board->add(std::move(report));
}

bool is_wanted(const std::string& script, const std::vector<std::string>& filters) {
  const std::string name = script_name(script);
  return filters.empty() ||
         std::ranges::any_of(filters, [&](const std::string& one) { return name.find(one) != std::string::npos; });
}

std::expected<std::vector<job>, std::string> find_jobs(const conform_request& request,
                                                       std::vector<std::unique_ptr<corpus>>& opened) {
  std::vector<job> jobs;
  for (const std::string& path : request.corpora) {
    auto files = corpus::open(path);
    if (!files) return std::unexpected(files.error());
    opened.push_back(std::make_unique<corpus>(*std::move(files)));
    for (const std::string& script : opened.back()->scripts())
      if (is_wanted(script, request.filters)) jobs.push_back({opened.back().get(), script});
  }
  if (jobs.empty()) return std::unexpected("no script has a name that --filter asks for");
  return jobs;
}

int write_report(const conform_request& request, const conform_report& report) {
  if (request.wants_table) print(stream::output, report.table() + "\n");
  print(stream::output, report.failures(most_failures_of_a_script));
  print(stream::output, report.summary());
  if (!request.json_file.empty()) {
    std::ofstream file{request.json_file, std::ios::binary};
    file << report.json(request.mode) << std::flush;
    if (!file) {
      complain(fmt::format("{}: cannot be written", request.json_file));
      return exit_code::failure;
    }
  }
  return report.is_clean() ? exit_code::success : exit_code::failure;
}

} // namespace

int replay_corpora(std::span<const std::string> words) {
  const auto request = parse_conform(words);
  if (!request) {
    print(request.error().status == exit_code::success ? stream::output : stream::error, request.error().text + "\n");
    return request.error().status;
  }
  std::vector<std::unique_ptr<corpus>> opened;
  const auto jobs = find_jobs(*request, opened);
  if (!jobs) {
    complain(jobs.error());
    return exit_code::failure;
  }
  auto built = runtime::build({.permits = request->jobs});
  if (!built) {
    complain(fmt::format("no runtime with {} permits: {}", request->jobs, built.error().message()));
    return exit_code::failure;
  }
  runtime scripts = *std::move(built);
  auto board = std::make_unique<replay_board>(*find_mode(request->mode), jobs->size());
  std::vector<join_handle<void>> running;
  for (const job& one : *jobs)
    running.push_back(scripts.spawn(replay_script(&one, board.get()), {.name = script_name(one.script)}));
  for (auto& one : running) one.wait().value();
  scripts.shutdown();
  const conform_report report = std::move(board->report);
  board.reset(); // erases the progress line
  return write_report(*request, report);
}

} // namespace weir::cli
