// SPDX-License-Identifier: Apache-2.0
#include "conform/args.hpp"

#include "support/exit_code.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace weir::cli {
namespace {

constexpr const char* mode_names = "normal, yield, move, no-accumulator, no-pinned-local, no-fusion";

constexpr const char* lessons = R"(What is replayed:
  A corpus is an archive or a folder of scripts as JSON lines with the modules they name. Every script runs in a
  store of its own. What tests the text format alone, or needs a feature that the engine lacks, is counted by
  reason; anything else that does not go as the script says is a failure.

Modes:
  normal           guests are called without suspension
  yield            guests stop and are resumed at every checkpoint
  move             the same, and a guest's value stack moves at every checkpoint; at most 4096 calls deep
  no-accumulator, no-pinned-local, no-fusion   one optimisation of the translator off

Exit status: 0 all that ran passed, 1 something failed or could not be read, 2 usage.

Examples:
  weir conform wasm-core.tar.zst
  weir conform --mode yield --jobs 2 --json result.json wasm-core.tar.zst
  weir conform --filter core/br_if --table unpacked/
)";

} // namespace

std::optional<conform_mode> find_mode(std::string_view name) {
  conform_mode mode;
  if (name == "normal") return mode;
  if (name == "yield") {
    mode.engine.yields_everywhere = true;
    mode.style = call_style::suspending;
    return mode;
  }
  if (name == "move") {
    mode.engine.yields_everywhere = true;
    mode.engine.moves_stack_everywhere = true;
    // Every checkpoint copies the whole stack, so a recursion without end costs the square of its depth.
    mode.engine.max_call_depth = 4096;
    mode.style = call_style::suspending;
    return mode;
  }
  if (name == "no-accumulator") {
    mode.engine.use_accumulator = false;
    return mode;
  }
  if (name == "no-pinned-local") {
    mode.engine.use_pinned_local = false;
    return mode;
  }
  if (name == "no-fusion") {
    mode.engine.use_fusion = false;
    return mode;
  }
  return std::nullopt;
}

std::expected<conform_request, no_conform_request> parse_conform(std::span<const std::string> words) {
  conform_request request;
  CLI::App app{"Replays WebAssembly conformance scripts.", "weir conform"};
  app.footer(lessons);
  app.add_option("ARCHIVE-OR-DIR", request.corpora, "corpora to replay")->required()->type_name("");
  app.add_option("--mode", request.mode, std::string{"how guests are run: "} + mode_names)->type_name("MODE");
  app.add_option("--filter", request.filters, "only scripts whose name contains this; repeatable")
      ->type_name("NAME")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--jobs", request.jobs, "how many scripts run at once")->type_name("N")->check(CLI::Range(1, 256));
  app.add_option("--json", request.json_file, "writes everything, failures included, to this file")->type_name("FILE");
  app.add_flag("--table", request.wants_table, "prints a line for each script");
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return std::unexpected(no_conform_request{exit_code::success, app.help()});
  } catch (const CLI::ParseError& failed) {
    return std::unexpected(no_conform_request{
        exit_code::usage, fmt::format("weir conform: {} (weir conform --help explains)", failed.what())});
  }
  if (!find_mode(request.mode))
    return std::unexpected(no_conform_request{
        exit_code::usage, fmt::format("weir conform: '{}' is no mode; the modes are {}", request.mode, mode_names)});
  return request;
}

} // namespace weir::cli
