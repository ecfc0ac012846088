// SPDX-License-Identifier: Apache-2.0
// Flat work: spawned and joined, from outside, blocking, and the build graph.
#include "../../measure/build_graph.hpp"
#include "../../measure/wake_rig.hpp"
#include "arena.hpp"

#include <numeric>
#include <thread>

namespace bench {
namespace {

template <class Run> std::uint64_t sum_of_tasks(std::uint64_t count, Run run) {
  std::vector<std::uint64_t> results(count);
  tbb::task_group group;
  for (std::uint64_t i = 0; i != count; ++i) group.run([&results, run, i] { results[i] = run(i); });
  group.wait();
  return std::accumulate(results.begin(), results.end(), std::uint64_t{0});
}

report spawn_join(const request& asked) {
  return measure_in_arena(asked, asked.size / 10 + 1, asked.size,
                          [](std::uint64_t count) { return sum_of_tasks(count, [](std::uint64_t i) { return i; }); });
}

report block_inline(const request& asked) { // oneTBB has no hand-off: the call occupies its thread
  arena_of in(asked.permits);
  return measure_rounds(asked, asked.size, [&] {
    return in.arena.execute([&] {
      return sum_of_tasks(asked.size, [](std::uint64_t) {
        sleep_1ms();
        return std::uint64_t{1};
      });
    });
  });
}

constexpr std::uint64_t remote_tasks = 64'000;

std::uint64_t spawn_from_threads(tbb::task_arena& arena, std::uint64_t threads) {
  std::uint64_t each = remote_tasks / threads;
  countdown left(each * threads);
  std::vector<std::thread> spawners;
  for (std::uint64_t i = 0; i != threads; ++i)
    spawners.emplace_back([&] {
      for (std::uint64_t k = 0; k != each; ++k) arena.enqueue([&left] { left.done(); });
    });
  for (auto& spawner : spawners) spawner.join();
  left.wait();
  return each * threads;
}

report remote_spawn(const request& asked) { // size: threads that spawn
  arena_of in(asked.permits, true);
  spawn_from_threads(in.arena, asked.size);
  return measure_rounds(asked, remote_tasks, [&] { return spawn_from_threads(in.arena, asked.size); });
}

report wake(const request& asked, std::uint64_t gap) { // no task waits in oneTBB: the wake is an enqueue
  arena_of in(asked.permits, true);
  wake_rig rig(asked.size);
  std::uint64_t next = 0;
  return rig.drive(asked, gap, [&] { in.arena.enqueue([&rig, at = next++] { rig.woken(at); }); });
}

report wake_hot(const request& asked) { return wake(asked, wake_rig::hot_gap_ns); }
report wake_cold(const request& asked) { return wake(asked, wake_rig::cold_gap_ns); }

void build(tbb::task_arena& arena, build_graph& graph, std::uint32_t node) {
  auto content = graph.read_input(node);
  graph.finish(node, content,
               [&](std::uint32_t ready) { arena.enqueue([&arena, &graph, ready] { build(arena, graph, ready); }); });
}

report build_graph_walk(const request& asked) { // size: nodes
  build_graph graph(asked.size);
  arena_of in(asked.permits, true);
  return measure_rounds(asked, asked.size, [&] {
    graph.restart();
    for (std::uint32_t root : graph.roots()) in.arena.enqueue([&, root] { build(in.arena, graph, root); });
    return graph.wait();
  });
}

constexpr workload all[] = {
    {"spawn_join", 1'000'000, spawn_join}, {"block_inline", 1000, block_inline},
    {"remote_spawn", 8, remote_spawn},     {"wake_hot", 30'000, wake_hot},
    {"wake_cold", 5000, wake_cold},        {"build_graph", 1000, build_graph_walk},
};

const family registered(all);

} // namespace
} // namespace bench
