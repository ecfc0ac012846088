// SPDX-License-Identifier: Apache-2.0
// Tasks: spawned and joined, yielding, in a tree of ten, blocking, and asleep.
#include "../../measure/many.hpp"
#include "join.hpp"

#include <boost/asio/steady_timer.hpp>

namespace bench {
namespace {

awaitable<std::uint64_t> value_of(std::uint64_t value) { co_return value; }

report spawn_join(const request& asked) {
  return measure_roots(asked, asked.size / 10 + 1, asked.size,
                       [](std::uint64_t count) { return sum_of_tasks(count, value_of); });
}

constexpr std::uint64_t yielding_tasks = 1000;

awaitable<std::uint64_t> yield_often(std::uint64_t times) {
  for (std::uint64_t i = 0; i != times; ++i) co_await asio::post(use_awaitable);
  co_return times;
}

report yield(const request& asked) { // size: yields of each task
  return measure_roots(asked, asked.size / 10 + 1, yielding_tasks * asked.size, [](std::uint64_t times) {
    return sum_of_tasks(yielding_tasks, [times](std::uint64_t) { return yield_often(times); });
  });
}

awaitable<std::uint64_t> skynet_node(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) co_return first;
  std::uint64_t share = leaves / 10;
  co_return co_await sum_of_tasks(10, [=](std::uint64_t i) { return skynet_node(first + i * share, share); });
}

report skynet(const request& asked) { // size: leaves, a power of ten
  return measure_roots(asked, 1000, asked.size, [](std::uint64_t leaves) { return skynet_node(0, leaves); });
}

awaitable<std::uint64_t> block_once() { // Asio has no hand-off: the call occupies its thread
  sleep_1ms();
  co_return 1;
}

report block_inline(const request& asked) {
  asio::thread_pool pool(asked.permits);
  return measure_rounds(asked, asked.size, [&] {
    auto blocks = sum_of_tasks(asked.size, [](std::uint64_t) { return block_once(); });
    return asio::co_spawn(pool, std::move(blocks), asio::use_future).get();
  });
}

awaitable<std::uint64_t> sleep_once(std::uint64_t i, latencies* late) {
  auto span = std::chrono::microseconds(sleep_us(i));
  std::uint64_t due = now_ns() + sleep_us(i) * 1000;
  asio::steady_timer timer(co_await asio::this_coro::executor, span);
  co_await timer.async_wait(use_awaitable);
  std::uint64_t at = now_ns();
  late->set(i, at > due ? at - due : 0);
  co_return 1;
}

report sleepers(const request& once) {
  request asked = once;
  asked.rounds = 1;
  latencies late(asked.size);
  asio::thread_pool pool(asked.permits);
  report found = measure_rounds(asked, asked.size, [&] {
    auto sleeps = sum_of_tasks(asked.size, [&late](std::uint64_t i) { return sleep_once(i, &late); });
    return asio::co_spawn(pool, std::move(sleeps), asio::use_future).get();
  });
  late.add_to(found);
  return found;
}

constexpr workload all[] = {
    {"spawn_join", 1'000'000, spawn_join}, {"yield", 1000, yield},
    {"skynet", 1'000'000, skynet},         {"block_inline", 1000, block_inline},
    {"sleepers", 1'000'000, sleepers},
};

const family registered(all);

} // namespace
} // namespace bench
