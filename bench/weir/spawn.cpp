// SPDX-License-Identifier: Apache-2.0
// Tasks that do nothing: spawned and joined, yielding, in a tree of ten, and spawned from outside.
#include "join.hpp"

#include <weir/checkpoint.hpp>

#include <thread>

namespace bench {
namespace {

using weir::task;

task<std::uint64_t> value_of(std::uint64_t value) { co_return value; }

report spawn_join(const request& asked) {
  return measure_roots(asked, asked.size / 10 + 1, asked.size,
                       [](std::uint64_t count) { return sum_of_tasks(count, value_of); });
}

constexpr std::uint64_t yielding_tasks = 1000;

task<std::uint64_t> yield_often(std::uint64_t times) {
  for (std::uint64_t i = 0; i != times; ++i) co_await weir::yield();
  co_return times;
}

report yield(const request& asked) { // size: yields of each task
  return measure_roots(asked, asked.size / 10 + 1, yielding_tasks * asked.size, [](std::uint64_t times) {
    return sum_of_tasks(yielding_tasks, [times](std::uint64_t) { return yield_often(times); });
  });
}

task<std::uint64_t> skynet_node(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) co_return first;
  std::uint64_t share = leaves / 10;
  co_return co_await sum_of_tasks(10, [=](std::uint64_t i) { return skynet_node(first + i * share, share); });
}

report skynet(const request& asked) { // size: leaves, a power of ten
  return measure_roots(asked, 1000, asked.size, [](std::uint64_t leaves) { return skynet_node(0, leaves); });
}

constexpr std::uint64_t remote_tasks = 64'000;

task<void> count_down(countdown* left) {
  left->done();
  co_return;
}

std::uint64_t spawn_from_threads(weir::runtime& runtime, std::uint64_t threads) {
  std::uint64_t each = remote_tasks / threads;
  countdown left(each * threads);
  std::vector<std::thread> spawners;
  for (std::uint64_t i = 0; i != threads; ++i)
    spawners.emplace_back([&] {
      for (std::uint64_t k = 0; k != each; ++k) runtime.spawn(count_down(&left)).detach();
    });
  for (auto& spawner : spawners) spawner.join();
  left.wait();
  return each * threads;
}

report remote_spawn(const request& asked) { // size: threads that spawn
  weir::runtime runtime({.permits = asked.permits});
  spawn_from_threads(runtime, asked.size);
  return measure_rounds(asked, remote_tasks, [&] { return spawn_from_threads(runtime, asked.size); });
}

constexpr workload all[] = {
    {"spawn_join", 1'000'000, spawn_join},
    {"yield", 1000, yield},
    {"skynet_tasks", 1'000'000, skynet},
    {"remote_spawn", 8, remote_spawn},
};

const family registered(all);

} // namespace
} // namespace bench
