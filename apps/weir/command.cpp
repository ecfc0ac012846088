// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include "check_command.hpp"
#include "conform/conform.hpp"
#include "inspect/inspect.hpp"
#include "run/run.hpp"
#include "support/console.hpp"
#include "support/exit_code.hpp"

#include <fmt/format.h>

namespace weir::cli {
namespace {

constexpr const char* help = R"(weir runs WebAssembly programs side by side on a few permits, none starving the others.

Usage: weir COMMAND [...]

Commands:
  run       runs programs:               weir run --permits 1 --stats a.wasm --- b.wasm
  inspect   shows what a file contains:  weir inspect a.wasm
  conform   replays conformance scripts: weir conform wasm-core.tar.zst
  check     replays litmus programs:     weir check litmus litmus.jsonl

weir COMMAND --help explains a command. weir --version prints the version.
)";

} // namespace

int run_command(std::span<const std::string> words) {
  if (words.empty()) {
    print(stream::error, help);
    return exit_code::usage;
  }
  const std::string& name = words.front();
  const auto rest = words.subspan(1);
  if (name == "run") return run_programs(rest);
  if (name == "inspect") return inspect_program(rest);
  if (name == "conform") return replay_corpora(rest);
  if (name == "check") return run_check(rest);
  if (name == "--help" || name == "-h" || name == "help") {
    print(stream::output, help);
    return exit_code::success;
  }
  if (name == "--version") {
    print(stream::output, "weir " WEIR_VERSION "\n");
    return exit_code::success;
  }
  complain(fmt::format(
      "there is no command '{}'; the commands are run, inspect, conform and check (weir --help explains)", name));
  return exit_code::usage;
}

} // namespace weir::cli
