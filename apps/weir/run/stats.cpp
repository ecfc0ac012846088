// SPDX-License-Identifier: Apache-2.0
#include "run/stats.hpp"

#include "support/units.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace weir::cli {
namespace {

guest_stats sum(std::span<const guest_stats> guests, const run_totals& totals) {
  guest_stats all;
  all.name = "total";
  all.wall = totals.wall;
  all.cpu = totals.cpu;
  std::size_t failures = 0;
  for (const guest_stats& one : guests) {
    failures += one.status != 0;
    all.polls += one.polls;
    all.handoffs += one.handoffs;
    all.checkpoints += one.checkpoints;
    all.memory_pages += one.memory_pages;
  }
  all.result = failures == 0 ? "all well" : fmt::format("{} failed", failures);
  return all;
}

std::string milliseconds(std::chrono::nanoseconds time) {
  const double ms = static_cast<double>(time.count()) / 1e6;
  return ms >= 1 ? fmt::format("{:.2f} ms", ms) : fmt::format("{:.5f} ms", ms);
}

} // namespace

std::string stats_table(std::span<const guest_stats> guests, const run_totals& totals) {
  const guest_stats total = sum(guests, totals);
  std::size_t name_width = total.name.size();
  std::size_t result_width = std::max<std::size_t>(6, total.result.size());
  for (const guest_stats& one : guests) {
    name_width = std::max(name_width, one.name.size());
    result_width = std::max(result_width, one.result.size());
  }
  std::string text =
      fmt::format("{:<{}}  {:<{}}  {:>10}  {:>10}  {:>8}  {:>8}  {:>11}  {:>12}\n", "guest", name_width, "result",
                  result_width, "wall", "CPU", "polls", "handoffs", "checkpoints", "peak memory");
  const auto add_line = [&](const guest_stats& one) {
    text += fmt::format("{:<{}}  {:<{}}  {:>10}  {:>10}  {:>8}  {:>8}  {:>11}  {:>6} pages\n", one.name, name_width,
                        one.result, result_width, format_duration(one.wall), format_duration(one.cpu), one.polls,
                        one.handoffs, one.checkpoints, one.memory_pages);
  };
  for (const guest_stats& one : guests) add_line(one);
  add_line(total);
  text += fmt::format("{} permit{}, {} thread{}\n", totals.permits, totals.permits == 1 ? "" : "s", totals.threads,
                      totals.threads == 1 ? "" : "s");
  return text;
}

std::string stats_json(std::span<const guest_stats> guests, const run_totals& totals) {
  const auto to_json = [](const guest_stats& one) {
    return nlohmann::json{{"name", one.name},
                          {"result", one.result},
                          {"status", one.status},
                          {"wall_ns", one.wall.count()},
                          {"cpu_ns", one.cpu.count()},
                          {"polls", one.polls},
                          {"handoffs", one.handoffs},
                          {"checkpoints", one.checkpoints},
                          {"peak_memory_pages", one.memory_pages}};
  };
  nlohmann::json all{{"guests", nlohmann::json::array()}};
  for (const guest_stats& one : guests) all["guests"].push_back(to_json(one));
  all["total"] = to_json(sum(guests, totals));
  all["total"].erase("name");
  all["total"].erase("status");
  all["total"]["permits"] = totals.permits;
  all["total"]["threads"] = totals.threads;
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string repeat_line(std::span<std::chrono::nanoseconds> times) {
  std::ranges::sort(times);
  const std::size_t middle = times.size() / 2;
  const auto median = times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  return fmt::format("min {}, median {} over {} calls", milliseconds(times.front()), milliseconds(median),
                     times.size());
}

} // namespace weir::cli
