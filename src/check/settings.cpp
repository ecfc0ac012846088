// SPDX-License-Identifier: Apache-2.0
#include <weir/check/settings.hpp>

#include <charconv>
#include <cstdlib>

#include <weir/check.hpp>

namespace weir::check {

namespace {

template <class T> bool read_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_switch(std::string_view text, bool& value) {
  value = text == "on";
  return text == "on" || text == "off";
}

bool read_engine(std::string_view text, engine_kind& value) {
  for (const engine_kind kind :
       {engine_kind::exhaustive, engine_kind::bounded, engine_kind::random, engine_kind::pct, engine_kind::pos}) {
    if (text != to_string(kind)) continue;
    value = kind;
    return true;
  }
  return false;
}

bool read_seconds(std::string_view text, std::chrono::milliseconds& value) {
  double seconds = 0;
  if (!read_number(text, seconds) || seconds < 0) return false;
  value = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1'000));
  return true;
}

bool apply(model_options& options, std::string_view name, std::string_view value) {
  if (name == "engine") return read_engine(value, options.engine);
  if (name == "preemptions") return read_number(value, options.preemptions);
  if (name == "runs") return read_number(value, options.runs);
  if (name == "seed") return read_number(value, options.seed);
  if (name == "depth") return read_number(value, options.depth) && options.depth > 0;
  if (name == "stale") return read_number(value, options.stale_reads);
  if (name == "executions") return read_number(value, options.max_executions);
  if (name == "time") return read_seconds(value, options.time_limit);
  if (name == "progress") return read_switch(value, options.shows_progress);
  if (name == "shrink") return read_switch(value, options.shrinks);
  return false;
}

} // namespace

std::expected<void, std::string> apply_settings(model_options& options, std::string_view settings) {
  static constexpr std::string_view separators = " ,\t\n";
  model_options changed = options;
  while (!settings.empty()) {
    const std::size_t start = settings.find_first_not_of(separators);
    if (start == std::string_view::npos) break;
    settings.remove_prefix(start);
    const std::string_view word = settings.substr(0, settings.find_first_of(separators));
    settings.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || !apply(changed, word.substr(0, equals), word.substr(equals + 1)))
      return std::unexpected(
          "'" + std::string(word) +
          "' is no setting of a search; there are engine=exhaustive|bounded|random|pct|pos, preemptions=N, "
          "runs=N, seed=N, depth=N (1 or more), stale=N, executions=N, time=SECONDS, progress=on|off and "
          "shrink=on|off");
  }
  options = std::move(changed);
  return {};
}

model_options with_environment(const model_options& options) {
  model_options out = options;
  if (!options.reads_environment) return out;
  const char* const settings = std::getenv("WEIR_CHECK"); // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (settings == nullptr) return out;
  const auto applied = apply_settings(out, settings);
  WEIR_CHECK(applied.has_value(), "the environment variable WEIR_CHECK holds settings of a search",
             std::string_view(applied ? std::string_view() : std::string_view(applied.error())));
  return out;
}

} // namespace weir::check
