// SPDX-License-Identifier: Apache-2.0
#include <weir/check/run_models.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include <weir/check/registry.hpp>
#include <weir/check/settings.hpp>

namespace weir::check {

namespace {

struct request {
  bool lists = false;
  bool tries_mutants = false;
  std::string settings;
  std::string replay_string;
  std::string json, dot, perfetto; // paths
  std::vector<std::string_view> names;

  [[nodiscard]] bool wants(const registered_model& model) const {
    for (const std::string_view part : names)
      if (model.name.find(part) != std::string::npos) return true;
    return names.empty();
  }
};

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int refuse(std::string_view what) {
  const std::string line = "models: " + std::string(what) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  return 2;
}

bool take_value(std::string_view argument, std::string_view name, std::string& value) {
  if (!argument.starts_with(name)) return false;
  value = argument.substr(name.size());
  return true;
}

std::expected<request, std::string> parse(int argc, const char* const* argv) {
  request out;
  for (int at = 1; at < argc; ++at) {
    const std::string_view argument = argv[at];
    if (argument == "--list") {
      out.lists = true;
    } else if (argument == "--mutants") {
      out.tries_mutants = true;
    } else if (argument.starts_with("--")) {
      if (!take_value(argument, "--replay=", out.replay_string) && !take_value(argument, "--json=", out.json) &&
          !take_value(argument, "--dot=", out.dot) && !take_value(argument, "--perfetto=", out.perfetto))
        return std::unexpected("'" + std::string(argument) +
                               "' is no option; there are --list, --mutants, --replay=STRING, --json=FILE, --dot=FILE "
                               "and --perfetto=FILE");
    } else if (argument.find('=') != std::string_view::npos) {
      out.settings += std::string(argument) + ' ';
    } else {
      out.names.push_back(argument);
    }
  }
  return out;
}

// False: a file could not be written.
bool write_files(const request& wanted, const exploration& found) {
  const std::array<std::pair<const std::string*, const std::string*>, 3> files{
      {{&wanted.json, &found.report_json}, {&wanted.dot, &found.graphviz}, {&wanted.perfetto, &found.perfetto}}};
  for (const auto& [path, text] : files) {
    if (path->empty()) continue;
    std::ofstream file(*path);
    file << *text;
    if (!file.flush()) return false;
  }
  return true;
}

exploration explore_one(const registered_model& model, const request& wanted, const model_options& options,
                        std::vector<std::string>& survivors) {
  if (!wanted.replay_string.empty()) return replay(model.name, model.body, wanted.replay_string, options);
  if (!wanted.tries_mutants) return explore(model.name, model.body, options);
  registered_model with(model);
  with.options = options;
  model_verdict verdict = verify(with);
  survivors = std::move(verdict.survivors);
  return std::move(verdict.found);
}

} // namespace

int run_models(int argc, const char* const* argv) {
  const auto wanted = parse(argc, argv);
  if (!wanted) return refuse(wanted.error());
  bool was_there = false;
  bool is_clean = true;
  for (const registered_model& model : registered_models()) {
    if (!wanted->wants(model)) continue;
    was_there = true;
    if (wanted->lists) {
      print(model.name + "\n");
      continue;
    }
    model_options options = with_environment(model.options);
    options.reads_environment = false; // the command line goes first
    if (const auto applied = apply_settings(options, wanted->settings); !applied) return refuse(applied.error());
    std::vector<std::string> survivors;
    const exploration found = explore_one(model, *wanted, options, survivors);
    const bool replays = !wanted->replay_string.empty();
    print(model.name + ": " + (replays && found.failure == failure_kind::none ? "passes" : found.verdict) + "\n" +
          found.report);
    for (const std::string& goal : found.never_reached) print("never reached: " + goal + "\n");
    for (const std::string& name : survivors) print("not noticed: " + name + "\n");
    is_clean &= (replays ? found.failure == failure_kind::none : found.found_nothing()) && survivors.empty();
    if (found.failure == failure_kind::none) continue;
    if (!write_files(*wanted, found))
      return refuse("a file for the failure cannot be written; name one in a folder that is there");
  }
  if (!was_there) return refuse("no model has such a name; --list shows them");
  return is_clean ? 0 : 1;
}

} // namespace weir::check
