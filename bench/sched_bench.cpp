// SPDX-License-Identifier: Apache-2.0
// What the scheduler's own operations cost: spawn and join, and yield. One line a workload and number of permits;
// medians over rounds.
//
//   sched_bench [ROUNDS]
#include <weir/blocking.hpp>
#include <weir/checkpoint.hpp>
#include <weir/spawn.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

using namespace weir;
using clock_type = std::chrono::steady_clock;

task<int> one() { co_return 1; }

task<int> spawn_and_join(int count) {
  std::vector<join_handle<int>> handles;
  handles.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i != count; ++i) handles.push_back(spawn(one()));
  int sum = 0;
  for (auto& each : handles) sum += (co_await each).value();
  co_return sum;
}

task<int> yield_often(int times) {
  for (int i = 0; i != times; ++i) co_await yield();
  co_return times;
}

task<int> yield_in_many(int tasks, int times) {
  std::vector<join_handle<int>> handles;
  for (int i = 0; i != tasks; ++i) handles.push_back(spawn(yield_often(times)));
  int sum = 0;
  for (auto& each : handles) sum += (co_await each).value();
  co_return sum;
}

task<int> empty_regions(int times) {
  int sum = 0;
  for (int i = 0; i != times; ++i) sum += blocking([] { return 1; });
  co_return sum;
}

template <class Make> void measure(const char* name, std::size_t permits, int rounds, int operations, Make make) {
  runtime rt({.permits = permits});
  std::vector<double> times;
  std::clock_t cpu_before = std::clock();
  for (int round = 0; round != rounds; ++round) {
    auto begin = clock_type::now();
    if (rt.spawn(make()).wait().value() != operations) std::abort();
    times.push_back(std::chrono::duration<double, std::nano>(clock_type::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  double cpu = static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC * 1e9 / rounds / operations;
  metrics counts = rt.snapshot();
  std::printf("%-20s permits %zu: median %8.3f ms, min %8.3f ms; each %6.1f ns median, %6.1f ns min, %6.1f ns CPU; "
              "steals %llu\n",
              name, permits, times[times.size() / 2] / 1e6, times.front() / 1e6, times[times.size() / 2] / operations,
              times.front() / operations, cpu, static_cast<unsigned long long>(counts.steals));
}

} // namespace

int main(int count, char** arguments) {
  int rounds = count > 1 ? std::atoi(arguments[1]) : 15;
  for (std::size_t permits : {1u, 2u}) {
    measure("spawn and join 20000", permits, rounds, 20'000, [] { return spawn_and_join(20'000); });
    measure("yield 1000 x 100", permits, rounds, 100'000, [] { return yield_in_many(1000, 100); });
    measure("empty region 100000", permits, rounds, 100'000, [] { return empty_regions(100'000); });
  }
  return 0;
}
