// SPDX-License-Identifier: Apache-2.0
// Bugs that the library could have, one for each part, and the workload that shows each within 2,000 seeds.
#include "sim/workloads.hpp"

#include <weir/sim/search.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace weir::sim {
namespace {

struct seeded_bug {
  const char* name; ///< as WEIR_MUTANT has it
  void (*body)();
};

void PrintTo(const seeded_bug& bug, std::ostream* to) { *to << bug.name; }

constexpr seeded_bug bugs[] = {
    {"idle: the parker does not look again", workloads::spawn_and_join},
    {"injector: a push from outside is not published", workloads::spawn_and_join},
    {"run queue: an overflow loses one", workloads::bursts},
    {"run queue: a thief loses one", workloads::bursts},
    {"run queue: a thief does not look for room", workloads::steals},
    {"priorities: only normal tasks are looked for", workloads::priorities},
    {"parker: a notify before the park is overwritten", workloads::spawn_and_join},
    {"spin lock: a sleeper is not woken", workloads::spawn_and_join},
    {"task state: a wake during a poll is lost", workloads::spawn_and_join},
    {"join: a waiter that comes late is not told", workloads::spawn_and_join},
    {"region: a permit that was taken is used on", workloads::regions},
    {"return queue: a caller does not look again", workloads::regions},
    {"monitor: a call does not grow older", workloads::regions},
    {"crew: a thread that could not start is counted", workloads::thread_shortage},
    {"block_on: a waiter does not drive the queue", workloads::thread_shortage},
    {"block_on: what was driven is not published", workloads::driving},
    {"shutdown: the monitor is not woken", workloads::regions},
    {"timers: a deadline is rounded down", workloads::timers},
    {"timers: a cancel that comes late drops the task", workloads::timers},
    {"channel: a value that was promised is not passed on", workloads::channels},
    {"channel: a sender is not let in", workloads::channels},
    {"semaphore: a stopped task keeps its permits", workloads::locks_and_events},
    {"event: a wait does not look under the lock", workloads::locks_and_events},
    {"task scope: a child begins after the stop", workloads::scopes_and_stops},
    {"fork: a fiber that waits for the other side is not woken", workloads::forks},
};

search_options options_for(std::string mutant) {
  return {.base = {.faults = fault_plan::all(),
                   .limit = std::chrono::minutes(10),
                   .max_steps = 3'000'000,
                   .mutant = std::move(mutant)},
          .seeds = 2000,
          .twice_one_in = 0};
}

class seeded_bugs : public ::testing::TestWithParam<seeded_bug> {};

TEST_P(seeded_bugs, is_found_within_two_thousand_seeds) {
  const search_result found = search(options_for(GetParam().name), GetParam().body);
  ASSERT_TRUE(found.failing_seed.has_value()) << "no seed of " << found.runs << " shows it";
  RecordProperty("seed", std::to_string(*found.failing_seed));
  std::printf("  found by seed %llu, %s\n", static_cast<unsigned long long>(*found.failing_seed),
              std::string(to_string(found.failing.failure)).c_str());
}

std::string test_name(const ::testing::TestParamInfo<seeded_bug>& info) {
  std::string name = info.param.name;
  std::ranges::replace_if(name, [](char c) { return c == ' ' || c == ':'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(all, seeded_bugs, ::testing::ValuesIn(bugs), test_name);

class the_library : public ::testing::TestWithParam<workloads::workload> {};

TEST_P(the_library, holds_in_a_hundred_seeds_each_run_twice) {
  search_options options = options_for({});
  options.seeds = 100;
  options.twice_one_in = 1;
  const search_result found = search(options, GetParam().body);
  EXPECT_TRUE(found.passed()) << found.report();
  EXPECT_EQ(found.runs, 200u);
}

INSTANTIATE_TEST_SUITE_P(all, the_library, ::testing::ValuesIn(workloads::all),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace weir::sim
