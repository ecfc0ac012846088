// SPDX-License-Identifier: Apache-2.0
#include "check/verdict.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace weir::check {

std::string_view to_string(engine_kind kind) noexcept {
  static constexpr std::array<std::string_view, 5> names{"exhaustive", "bounded", "random", "pct", "pos"};
  return names[static_cast<std::size_t>(kind)];
}

} // namespace weir::check

namespace weir::check::detail {

namespace {

constexpr std::string_view advice =
    "; make the model smaller, raise the limit, or search with the engine bounded or pct";

std::string limit_of(const checker& run, const model_options& options) {
  return run.result().ran_out_of_time
             ? "the time limit of " + about(std::chrono::duration<double>(options.time_limit).count()) + " s came first"
             : "the limit of " + grouped(options.max_executions) + " came first";
}

std::string exhaustive_verdict(const checker& run, const model_options& options) {
  const std::uint64_t executions = run.engine().counts().executions;
  if (run.result().is_complete) return "verified: " + grouped(executions) + " executions";
  std::string out = "bounded: " + grouped(executions);
  if (run.result().estimated_executions > 0) out += " of about " + about(run.result().estimated_executions);
  return out + " executions, " + limit_of(run, options) + std::string(advice);
}

std::string bounded_verdict(const checker& run, const model_options& options) {
  const std::string switches = options.preemptions == 1 ? " preemption" : " preemptions";
  const std::string within = "with at most " + std::to_string(options.preemptions) + switches +
                             ", memory that shows the newest write, " + grouped(run.engine().counts().executions) +
                             " executions";
  if (!run.result().is_finished) return "bounded: not all schedules " + within + ", " + limit_of(run, options);
  return "bounded: every schedule " + within +
         (run.result().left_some_out ? "; schedules with more were left out" : "; no schedule needs more");
}

std::string sampled_verdict(const checker& run, const model_options& options) {
  const auto runs = run.engine().counts().executions + run.engine().counts().blocked;
  std::string out = "sampled: " + grouped(runs) + " runs from seed " + std::to_string(options.seed);
  if (!run.result().is_finished) out += " of " + grouped(options.runs) + ", " + limit_of(run, options);
  if (options.engine != engine_kind::pct) return out;
  const double one = run.result().probability;
  const double missed = std::pow(1 - one, static_cast<double>(runs));
  return out + "; a bug that needs " + std::to_string(options.depth) +
         " ordered steps is met with a probability of at least " + about(1 - missed) + " (" +
         std::to_string(run.result().threads) + " threads, " + grouped(run.result().steps) + " steps: " + about(one) +
         " a run)";
}

} // namespace

std::string verdict_of(const checker& run, const model_options& options) {
  if (run.found().kind != failure_kind::none) return "failed: " + std::string(to_string(run.found().kind));
  switch (options.engine) {
  case engine_kind::exhaustive: return exhaustive_verdict(run, options);
  case engine_kind::bounded: return bounded_verdict(run, options);
  default: return sampled_verdict(run, options);
  }
}

std::string grouped(std::uint64_t value) {
  std::string out = std::to_string(value);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, 1, ',');
  return out;
}

std::string about(double value) {
  std::array<char, 32> text{};
  const char* form = value >= 10'000 ? "%.1e" : value >= 100 ? "%.0f" : "%.2g";
  const int length = std::snprintf(text.data(), text.size(), form, value);
  std::string out(text.data(), static_cast<std::size_t>(length));
  for (const char* zero : {"e+0", "e+"}) // 3.1e+06 as 3.1e6
    if (const std::size_t at = out.find(zero); at != std::string::npos) out.replace(at, std::string(zero).size(), "e");
  return out;
}

} // namespace weir::check::detail
