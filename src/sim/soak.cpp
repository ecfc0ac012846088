// SPDX-License-Identifier: Apache-2.0
// sim_soak [SEEDS [WORKLOAD]]: the library's own workloads under many seeds, each run twice; prints what that cost.
#include "sim/workloads.hpp"

#include <weir/sim/search.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int count, char** words) {
  using namespace weir::sim;
  const std::uint64_t seeds = count > 1 ? std::strtoull(words[1], nullptr, 10) : 10'000;
  bool all = true;
  for (const workloads::workload& each : workloads::all) {
    if (count > 2 && std::string_view(words[2]) != each.name) continue;
    const auto begin = std::chrono::steady_clock::now();
    const search_result found =
        search({.base = {.faults = fault_plan::all(), .limit = std::chrono::minutes(10), .max_steps = 3'000'000},
                .seeds = seeds,
                .twice_one_in = 1},
               each.body);
    const std::chrono::duration<double> span = std::chrono::steady_clock::now() - begin;
    std::printf("%-18s %6llu runs, %11llu steps, %7.2f s, %.2f million steps a second, hash %016llx%s\n", each.name,
                static_cast<unsigned long long>(found.runs), static_cast<unsigned long long>(found.steps), span.count(),
                static_cast<double>(found.steps) / 1e6 / span.count(), static_cast<unsigned long long>(found.hash),
                found.passed() ? "" : ", FAILED");
    if (!found.passed()) std::printf("%s", found.report().c_str());
    std::fflush(stdout);
    all = all && found.passed();
  }
  return all ? 0 : 1;
}
