// SPDX-License-Identifier: Apache-2.0
// What bench/gate.py counts the instructions of: `counted WORKLOAD TIMES` repeats one operation on one permit. The gate
// subtracts a short run from a long one, so that only the operation itself is left.
#include <weir/blocking.hpp>
#include <weir/checkpoint.hpp>
#include <weir/fork_join.hpp>
#include <weir/runtime.hpp>
#include <weir/spawn.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

using namespace weir;

task<long> one() { co_return 1; }

// In batches, as a program does that keeps some tasks in flight.
task<long> spawn_and_join(long times) {
  constexpr long batch = 50;
  std::array<join_handle<long>, batch> handles;
  long sum = 0;
  for (long done = 0; done < times; done += batch) {
    for (auto& each : handles) each = spawn(one());
    for (auto& each : handles) sum += (co_await each).value();
  }
  co_return sum;
}

task<long> yield_alone(long times) {
  for (long i = 0; i != times; ++i) co_await yield();
  co_return times;
}

task<long> short_regions(long times) {
  long sum = 0;
  for (long i = 0; i != times; ++i) sum += blocking([] { return 1L; });
  co_return sum;
}

task<long> forks(long times) {
  long sum = 0;
  for (long i = 0; i != times; ++i) {
    auto [left, right] = fork_join([] { return 1L; }, [] { return 0L; });
    sum += left + right;
  }
  co_return sum;
}

struct workload {
  std::string_view name;
  task<long> (*run)(long);
};

constexpr workload all[] = {
    {"spawn", spawn_and_join}, {"yield", yield_alone}, {"region", short_regions}, {"fork", forks}};

} // namespace

int main(int count, char** arguments) {
  if (count == 3) {
    for (const workload& each : all) {
      if (each.name != arguments[1]) continue;
      long times = std::atol(arguments[2]);
      runtime rt({.permits = 1});
      return rt.spawn(each.run(times)).wait().value() == times ? 0 : 1;
    }
  }
  std::fputs("usage: counted spawn|yield|region|fork TIMES (a multiple of 50)\n", stderr);
  return 2;
}
