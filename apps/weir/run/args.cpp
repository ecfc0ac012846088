// SPDX-License-Identifier: Apache-2.0
#include "run/args.hpp"

#include "support/exit_code.hpp"
#include "support/units.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace weir::cli {
namespace {

constexpr const char* separator = "---";

constexpr const char* synopsis = "weir run [OPTIONS] PROG.wasm [ARGS...] [--- [OPTIONS] PROG.wasm [ARGS...]]...";

constexpr const char* lessons = R"(How a command line is read:
  Options stand before a program; all words after its name are the guest's own, up to the next '---'.
  Options before the first program count for every program. Options between '---' and a program count for
  that program alone: they replace the common value (--dir and --env add to it). To give the first program
  options of its own, put '---' before it as well.

What a program gets:
  Each program (and each copy) is one task on one runtime, and all tasks share its permits. A file that is
  named twice is compiled once. A command starts at _start; with --invoke, at the function named.
  Standard input belongs to the only program, or to the first one of several; the others read end of file.
  With several programs each line of output begins with its program's name; --raw leaves it out.
  --stats writes its table to standard error; --stats=json writes one line, the last one of standard output.

Simulation:
  With --sim, threads, clocks and random numbers are simulated, and SEED decides who runs when: the same command
  with the same seed has the same output, byte for byte. Try other seeds to see other orders, and keep the seed
  that shows a bug. Time is virtual: sleeping takes none of yours, each loop and call of a guest a little of its
  own, and --timeout and --stats count that time. Files are the host's: put them back before a run is repeated.
  Standard input is read to its end when a guest first asks for it, and all wait meanwhile. Ctrl-C ends weir at
  once. When every guest waits for what will never come, weir says who waits where, and the status is 1.

Exit status:
  The guest's own; of several guests, that of the first one on the command line that failed.
  2 usage    124 time-out    126 not a program    130 Ctrl-C    134 trap
  Ctrl-C stops the guests at their next checkpoint, a second one ends weir at once.
  Ctrl-\ (SIGQUIT) writes to standard error what each guest is doing, and the guests go on.

Examples:
  weir run hello.wasm
  weir run --dir . wordcount.wasm README.md
  weir run --dir data::/in --env LANG=C --timeout 5s --max-memory 64MiB convert.wasm /in/a.txt
  weir run --permits 1 --stats spin-until.wasm /tmp/f --- publish.wasm /tmp/f
  weir run --permits 2 --copies 8 sieve.wasm 100000
  weir run --env A=1 --- --copies 3 worker.wasm --- --timeout 1s watcher.wasm
  weir run --invoke fib corelike.wasm 22
  weir run --invoke run --repeat 20 corelike.wasm 8
  weir run --sim 7 --permits 2 --copies 3 sieve.wasm 1000
)";

/// The words between two separators, as CLI11 leaves them: options not yet interpreted, and the program with its
/// arguments.
struct raw_options {
  std::vector<std::string> folders;
  std::vector<std::string> environment;
  std::string invoke;
  std::string repeat;
  std::string timeout;
  std::string max_memory;
  std::string copies;
  std::string permits;
  std::string threads;
  std::string stats;
  std::string seed;
  bool has_seed = false;
  bool is_raw = false;
  std::vector<std::string> rest;
};

/// CLI11's help with a usage line that shows the separators.
class with_synopsis : public CLI::Formatter {
public:
  std::string make_usage(const CLI::App*, std::string) const override { return fmt::format("Usage: {}\n\n", synopsis); }
};

std::unexpected<no_request> usage(std::string_view problem) {
  return std::unexpected(no_request{exit_code::usage, fmt::format("weir run: {} (weir run --help explains)", problem)});
}

void declare_options(CLI::App& app, raw_options& raw) {
  const auto repeatable = [&](const char* name, std::vector<std::string>& into, const char* help, const char* shape) {
    app.add_option(name, into, help)->type_name(shape)->expected(1)->take_all()->allow_extra_args(false);
  };
  const auto single = [&](const char* name, std::string& into, const char* help, const char* shape) {
    app.add_option(name, into, help)->type_name(shape);
  };
  single("--permits", raw.permits, "how many guests execute at once (default: the CPUs this process may use)", "N");
  single("--threads", raw.threads, "the most threads, those waiting in blocking calls included (default: 512)", "N");
  app.add_flag("--stats{table}", raw.stats, "at the end, a table of what each guest used; --stats=json for programs")
      ->type_name("");
  single("--sim", raw.seed, "simulates threads, clocks and random numbers; the same SEED gives the same output",
         "SEED");
  app.add_flag("--raw", raw.is_raw, "no names before lines of output");
  repeatable("--dir", raw.folders, "lets the guest use a folder, under another name if GUEST is given; repeatable",
             "HOST[::GUEST]");
  repeatable("--env", raw.environment, "sets an environment variable of the guest; repeatable", "K=V");
  single("--invoke", raw.invoke, "calls this exported function with ARGS and prints what it returns", "FN");
  single("--repeat", raw.repeat, "with --invoke: calls it once to warm up, then N times, and prints the times", "N");
  single("--timeout", raw.timeout, "cancels the guest after this long: 500ms, 5s, 2m", "TIME");
  single("--max-memory", raw.max_memory, "the most linear memory of the guest: 64MiB", "SIZE");
  single("--copies", raw.copies, "runs N guests of the program, named NAME.1 to NAME.N", "N");
}

/// Reads the options at the front of `words`; what begins at the program stays untouched in `rest`.
std::expected<raw_options, no_request> read_segment(std::span<const std::string> words) {
  raw_options raw;
  CLI::App app{"Runs WebAssembly programs side by side on a few permits, none starving the others.", "weir run"};
  app.formatter(std::make_shared<with_synopsis>());
  app.footer(lessons);
  app.prefix_command();
  declare_options(app, raw);
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return std::unexpected(no_request{exit_code::success, app.help()});
  } catch (const CLI::ParseError& failed) {
    return usage(failed.what());
  }
  raw.has_seed = app.count("--sim") != 0;
  raw.rest = app.remaining();
  if (!raw.rest.empty() && raw.rest.front() == "--")
    raw.rest.erase(raw.rest.begin());
  else if (!raw.rest.empty() && raw.rest.front().starts_with('-') && raw.rest.front() != "-")
    return usage(fmt::format("there is no option {}", raw.rest.front()));
  return raw;
}

std::expected<std::size_t, no_request> read_count(const char* option, const std::string& text) {
  std::size_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failed] = std::from_chars(text.data(), last, number);
  if (failed != std::errc{} || end != last || number == 0 || number > 1'000'000'000)
    return usage(fmt::format("{} needs a whole number from 1 up, not '{}'", option, text));
  return number;
}

std::expected<std::uint64_t, no_request> read_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failed] = std::from_chars(text.data(), last, seed);
  if (failed != std::errc{} || end != last)
    return usage(fmt::format("--sim needs a whole number from 0 to 18446744073709551615, not '{}'", text));
  return seed;
}

std::expected<program_options::folder, no_request> read_folder(const std::string& text) {
  const std::size_t colons = text.find("::");
  program_options::folder folder{text.substr(0, colons), colons == std::string::npos ? text : text.substr(colons + 2)};
  if (folder.host.empty() || folder.guest.empty())
    return usage(fmt::format("--dir needs HOST or HOST::GUEST, not '{}'", text));
  return folder;
}

/// What `raw` says on top of `options`.
std::expected<program_options, no_request> refine(program_options options, const raw_options& raw) {
  for (const std::string& text : raw.folders) {
    auto folder = read_folder(text);
    if (!folder) return std::unexpected(folder.error());
    options.folders.push_back(std::move(*folder));
  }
  for (const std::string& text : raw.environment) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return usage(fmt::format("--env needs NAME=VALUE, not '{}'", text));
    options.environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  if (!raw.invoke.empty()) options.invoke = raw.invoke;
  if (!raw.repeat.empty()) {
    const auto count = read_count("--repeat", raw.repeat);
    if (!count) return std::unexpected(count.error());
    options.repeat = *count;
  }
  if (!raw.copies.empty()) {
    const auto count = read_count("--copies", raw.copies);
    if (!count) return std::unexpected(count.error());
    if (*count > 100'000) return usage("--copies needs at most 100000");
    options.copies = *count;
  }
  if (!raw.timeout.empty()) {
    const auto timeout = parse_duration(raw.timeout);
    if (!timeout) return usage(fmt::format("--timeout: {}", timeout.error()));
    options.timeout = *timeout;
  }
  if (!raw.max_memory.empty()) {
    const auto bytes = parse_size(raw.max_memory);
    if (!bytes) return usage(fmt::format("--max-memory: {}", bytes.error()));
    options.max_memory = *bytes;
  }
  return options;
}

std::expected<void, no_request> set_runtime_options(run_request& request, const raw_options& raw) {
  request.is_raw = raw.is_raw;
  if (!raw.permits.empty()) {
    const auto count = read_count("--permits", raw.permits);
    if (!count) return std::unexpected(count.error());
    if (*count > 1024) return usage("--permits needs at most 1024");
    request.permits = *count;
  }
  if (!raw.threads.empty()) {
    const auto count = read_count("--threads", raw.threads);
    if (!count) return std::unexpected(count.error());
    request.max_threads = *count;
  }
  if (raw.has_seed) {
    const auto seed = read_seed(raw.seed);
    if (!seed) return std::unexpected(seed.error());
    request.seed = *seed;
  }
  if (raw.stats == "table")
    request.stats = stats_format::table;
  else if (raw.stats == "json")
    request.stats = stats_format::json;
  else if (!raw.stats.empty() && raw.stats != "false")
    return usage(fmt::format("--stats is a table, or json with --stats=json; '{}' is neither", raw.stats));
  return {};
}

std::expected<void, no_request> add_program(run_request& request, raw_options& raw, program_options options) {
  if (options.repeat && !options.invoke) return usage("--repeat needs --invoke FN, the function to call");
  if (options.repeat && request.seed)
    return usage("--repeat measures time, which --sim makes up: leave one of them out");
  program_request program;
  program.path = std::move(raw.rest.front());
  program.args.assign(std::make_move_iterator(raw.rest.begin() + 1), std::make_move_iterator(raw.rest.end()));
  program.options = std::move(options);
  request.programs.push_back(std::move(program));
  return {};
}

} // namespace

std::expected<run_request, no_request> parse_run(std::span<const std::string> words) {
  run_request request;
  program_options common;
  for (bool is_first = true;; is_first = false) {
    const auto end = std::ranges::find(words, separator);
    const bool is_last = end == words.end();
    auto raw = read_segment({words.begin(), end});
    if (!raw) return std::unexpected(raw.error());
    auto options = refine(common, *raw);
    if (!options) return std::unexpected(options.error());

    if (is_first) {
      common = *options;
      if (const auto set = set_runtime_options(request, *raw); !set) return std::unexpected(set.error());
    } else if (raw->is_raw || !raw->permits.empty() || !raw->threads.empty() || !raw->stats.empty() || raw->has_seed) {
      return usage(
          "--permits, --threads, --stats, --sim and --raw are for all programs: put them before the first one");
    }
    if (!raw->rest.empty()) {
      if (const auto added = add_program(request, *raw, std::move(*options)); !added)
        return std::unexpected(added.error());
    } else if (is_last || !is_first) {
      return usage(is_first ? "which program?" : "there is no program after ---");
    }
    if (is_last) return request;
    words = {end + 1, words.end()};
  }
}

} // namespace weir::cli
