// SPDX-License-Identifier: Apache-2.0
#include "conform/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ranges>
#include <utility>

namespace weir::cli {
namespace {

std::size_t sum(const std::map<std::string, std::size_t>& counts) {
  std::size_t all = 0;
  for (const auto& [reason, count] : counts) all += count;
  return all;
}

/// Largest first.
std::string by_reason(const std::map<std::string, std::size_t>& counts) {
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::sort(
      sorted, [](const auto& a, const auto& b) { return std::pair{b.second, a.first} < std::pair{a.second, b.first}; });
  std::string text;
  for (const auto& [reason, count] : sorted) text += fmt::format("  {:>8}  {}\n", count, reason);
  return text;
}

std::string joined(const std::map<std::string, std::size_t>& counts) {
  std::string text;
  for (const auto& [reason, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, reason);
  return text;
}

nlohmann::json to_json(const tally& counts) {
  return {
      {"passed", counts.passed}, {"failed", counts.failed}, {"lacking", counts.lacking}, {"skipped", counts.skipped}};
}

/// Bytes of a script or a module may be in a message; JSON holds only UTF-8.
std::string dump(const nlohmann::json& value) {
  return value.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

std::size_t tally::not_run() const { return sum(lacking) + sum(skipped); }

tally& tally::operator+=(const tally& other) {
  passed += other.passed;
  failed += other.failed;
  for (const auto& [feature, count] : other.lacking) lacking[feature] += count;
  for (const auto& [reason, count] : other.skipped) skipped[reason] += count;
  return *this;
}

void script_report::add(std::uint64_t line, std::string_view directive, verdict result, std::size_t weight) {
  switch (result.what) {
  case verdict::kind::passed: counts.passed += weight; break;
  case verdict::kind::lacks_feature: counts.lacking[result.reason] += weight; break;
  case verdict::kind::skipped: counts.skipped[result.reason] += weight; break;
  case verdict::kind::failed:
    counts.failed += weight;
    failures.push_back({line, std::string{directive}, std::move(result.expected), std::move(result.got)});
    break;
  }
}

void conform_report::add(script_report one) {
  total_ += one.counts;
  if (one.is_fully_supported()) {
    supported_ += one.counts;
    ++fully_supported_;
  }
  std::string name = one.script;
  scripts_.insert_or_assign(std::move(name), std::move(one));
}

std::string conform_report::failures(std::size_t most) const {
  std::string text;
  for (const auto& [name, script] : scripts_) {
    for (const failure& one : script.failures | std::views::take(most))
      text += fmt::format("{}:{}: {}: expected {}, got {}\n", name, one.line, one.directive, one.expected, one.got);
    if (script.failures.size() > most)
      text += fmt::format("{}: {} more failures (--json lists all)\n", name, script.failures.size() - most);
  }
  return text;
}

std::string conform_report::table() const {
  std::size_t width = 6;
  for (const auto& [name, script] : scripts_) width = std::max(width, name.size());
  std::string text = fmt::format("{:<{}}  passed  failed  not run  why not\n", "script", width);
  for (const auto& [name, script] : scripts_) {
    std::string why = joined(script.counts.lacking);
    if (const std::string other = joined(script.counts.skipped); !other.empty())
      why += (why.empty() ? "" : ", ") + other;
    text += fmt::format("{:<{}}  {:>6}  {:>6}  {:>7}  {}\n", name, width, script.counts.passed, script.counts.failed,
                        script.counts.not_run(), why);
  }
  return text;
}

std::string conform_report::summary() const {
  std::string text;
  if (!total_.lacking.empty())
    text +=
        fmt::format("{} directives not run for want of a feature:\n{}", sum(total_.lacking), by_reason(total_.lacking));
  if (!total_.skipped.empty())
    text +=
        fmt::format("{} directives not run for another reason:\n{}", sum(total_.skipped), by_reason(total_.skipped));
  text += fmt::format("{} of {} scripts need only what the engine has: {} directives passed, {} failed\n",
                      fully_supported_, scripts_.size(), supported_.passed, supported_.failed);
  text += fmt::format("{} scripts, {} directives: {} passed, {} failed, {} not run\n", scripts_.size(), total_.all(),
                      total_.passed, total_.failed, total_.not_run());
  return text;
}

std::string conform_report::json(std::string_view mode) const {
  nlohmann::json scripts = nlohmann::json::array();
  for (const auto& [name, script] : scripts_) {
    nlohmann::json one = to_json(script.counts);
    one["script"] = name;
    one["fully_supported"] = script.is_fully_supported();
    one["failures"] = nlohmann::json::array();
    for (const failure& what : script.failures)
      one["failures"].push_back(
          {{"line", what.line}, {"directive", what.directive}, {"expected", what.expected}, {"got", what.got}});
    scripts.push_back(std::move(one));
  }
  return dump({{"mode", mode},
               {"total", to_json(total_)},
               {"fully_supported",
                {{"scripts", fully_supported_}, {"passed", supported_.passed}, {"failed", supported_.failed}}},
               {"scripts", std::move(scripts)}}) +
         "\n";
}

} // namespace weir::cli
