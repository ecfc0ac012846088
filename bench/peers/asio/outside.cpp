// SPDX-License-Identifier: Apache-2.0
// Threads from outside the pool: spawning, requests in a closed loop, wakes; parked tasks; and the build graph.
#include "../../measure/build_graph.hpp"
#include "../../measure/many.hpp"
#include "../../measure/wake_rig.hpp"
#include "join.hpp"

#include <thread>

namespace bench {
namespace {

constexpr std::uint64_t remote_tasks = 64'000;

awaitable<void> count_down(countdown* left) {
  left->done();
  co_return;
}

std::uint64_t spawn_from_threads(asio::thread_pool& pool, std::uint64_t threads) {
  std::uint64_t each = remote_tasks / threads;
  countdown left(each * threads);
  std::vector<std::thread> spawners;
  for (std::uint64_t i = 0; i != threads; ++i)
    spawners.emplace_back([&] {
      for (std::uint64_t k = 0; k != each; ++k) asio::co_spawn(pool, count_down(&left), asio::detached);
    });
  for (auto& spawner : spawners) spawner.join();
  left.wait();
  return each * threads;
}

report remote_spawn(const request& asked) { // size: threads that spawn
  asio::thread_pool pool(asked.permits);
  spawn_from_threads(pool, asked.size);
  return measure_rounds(asked, remote_tasks, [&] { return spawn_from_threads(pool, asked.size); });
}

constexpr unsigned request_steps = 1000;

awaitable<std::uint64_t> serve(std::uint64_t request) { co_return work(request, request_steps); }

std::uint64_t drive(asio::thread_pool& pool, std::size_t lanes, std::uint64_t requests, latencies* into) {
  std::vector<std::thread> threads;
  std::vector<std::uint64_t> sums(lanes * 8);
  for (std::size_t lane = 0; lane != lanes; ++lane)
    threads.emplace_back([&, lane] {
      for (std::uint64_t i = 0; i != requests; ++i) {
        std::uint64_t begin = now_ns();
        sums[lane * 8] += asio::co_spawn(pool, serve(lane * requests + i), asio::use_future).get();
        if (into != nullptr) into->set(lane * requests + i, now_ns() - begin);
      }
    });
  for (auto& thread : threads) thread.join();
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

report closed_loop(const request& asked) { // size: requests of each lane
  asio::thread_pool pool(asked.permits);
  drive(pool, asked.permits, asked.size / 10 + 1, nullptr);
  latencies spans(asked.permits * asked.size);
  report found =
      measure_rounds(asked, asked.permits * asked.size, [&] { return drive(pool, asked.permits, asked.size, &spans); });
  spans.add_to(found);
  return found;
}

awaitable<void> woken_often(signal_channel* signal, wake_rig* rig) {
  for (std::uint64_t i = 0; i != rig->wakes(); ++i) {
    co_await signal->async_receive(use_awaitable);
    rig->woken(i);
  }
}

report wake(const request& asked, std::uint64_t gap) {
  wake_rig rig(asked.size);
  asio::thread_pool pool(asked.permits);
  signal_channel signal(pool, 1);
  auto task = asio::co_spawn(pool, woken_often(&signal, &rig), asio::use_future);
  report found = rig.drive(asked, gap, [&] { signal.try_send(error_code{}); });
  task.get();
  return found;
}

report wake_hot(const request& asked) { return wake(asked, wake_rig::hot_gap_ns); }
report wake_cold(const request& asked) { return wake(asked, wake_rig::cold_gap_ns); }

awaitable<void> wait_once(signal_channel* release, std::atomic<std::uint64_t>* waiting) {
  waiting->fetch_add(1, std::memory_order_relaxed);
  error_code ignored;
  co_await release->async_receive(asio::redirect_error(use_awaitable, ignored));
  waiting->fetch_sub(1, std::memory_order_relaxed);
}

report parked(const request& asked) {
  asio::thread_pool pool(asked.permits);
  signal_channel release(pool, 0);
  std::atomic<std::uint64_t> waiting{0};
  auto start = [&] {
    for (std::uint64_t i = 0; i != asked.size; ++i) asio::co_spawn(pool, wait_once(&release, &waiting), asio::detached);
  };
  return measure_parked(asked, waiting, start, [&] { release.cancel(); });
}

void build(asio::thread_pool& pool, build_graph& graph, std::uint32_t node) {
  auto content = graph.read_input(node);
  graph.finish(node, content,
               [&](std::uint32_t ready) { asio::post(pool, [&pool, &graph, ready] { build(pool, graph, ready); }); });
}

report build_graph_walk(const request& asked) { // size: nodes
  build_graph graph(asked.size);
  asio::thread_pool pool(asked.permits);
  return measure_rounds(asked, asked.size, [&] {
    graph.restart();
    for (std::uint32_t root : graph.roots()) asio::post(pool, [&, root] { build(pool, graph, root); });
    return graph.wait();
  });
}

constexpr workload all[] = {
    {"remote_spawn", 8, remote_spawn}, {"closed_loop", 5000, closed_loop}, {"wake_hot", 30'000, wake_hot},
    {"wake_cold", 5000, wake_cold},    {"parked", 1'000'000, parked},      {"build_graph", 1000, build_graph_walk},
};

const family registered(all);

} // namespace
} // namespace bench
