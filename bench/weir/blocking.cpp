// SPDX-License-Identifier: Apache-2.0
// Calls that block: empty ones, one millisecond, waits at sockets, and block_on inside block_on.
#include "join.hpp"

#include <weir/blocking.hpp>

#include <memory>

namespace bench {
namespace {

using weir::task;

constexpr std::uint64_t regions_per_task = 100;

template <class Call> task<std::uint64_t> call_in_regions(Call call) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i != regions_per_task; ++i) sum += weir::blocking(call);
  co_return sum;
}

template <class Call> report measure_regions(const request& asked, Call call) { // size: regions in all
  return measure_roots(asked, asked.size, asked.size, [call](std::uint64_t regions) {
    return sum_of_tasks(regions / regions_per_task, [call](std::uint64_t) { return call_in_regions(call); });
  });
}

report empty_region(const request& asked) {
  return measure_regions(asked, [] { return std::uint64_t{1}; });
}

report syscall_region(const request& asked) { return measure_regions(asked, short_system_call); }

task<std::uint64_t> block_once() {
  weir::blocking(sleep_1ms);
  co_return 1;
}

report block_inline(const request& asked) { // not warmed up: the threads a burst needs are part of its cost
  weir::runtime runtime({.permits = asked.permits});
  return measure_rounds(asked, asked.size, [&] {
    return run_root(runtime, sum_of_tasks(asked.size, [](std::uint64_t) { return block_once(); }));
  });
}

task<std::uint64_t> offload(std::uint64_t count) {
  std::vector<weir::join_handle<std::uint64_t>> handles;
  handles.reserve(count);
  for (std::uint64_t i = 0; i != count; ++i)
    handles.push_back(weir::spawn_blocking([] {
      sleep_1ms();
      return std::uint64_t{1};
    }));
  std::uint64_t sum = 0;
  for (auto& each : handles) sum += (co_await each).value();
  co_return sum;
}

report block_offload(const request& asked) {
  weir::runtime runtime({.permits = asked.permits});
  return measure_rounds(asked, asked.size, [&] { return run_root(runtime, offload(asked.size)); });
}

constexpr std::uint64_t socket_wait_ns = 500'000;

task<std::uint64_t> wait_at(const silent_socket* socket, std::uint64_t times) {
  std::uint64_t waits = 0;
  for (std::uint64_t i = 0; i != times; ++i)
    waits += weir::blocking([socket] { return socket->wait_for_ns(socket_wait_ns); }) ? 1 : 0;
  co_return waits;
}

report socket_wait(const request& asked) { // size: waits of each of 4P lanes
  std::size_t lanes = 4 * asked.permits;
  auto sockets = std::make_unique<silent_socket[]>(lanes);
  return measure_roots(asked, asked.size / 10 + 1, lanes * asked.size, [&](std::uint64_t times) {
    return sum_of_tasks(lanes, [&, times](std::uint64_t i) { return wait_at(&sockets[i], times); });
  });
}

task<std::uint64_t> nest(std::uint64_t depth) {
  if (depth == 0) co_return 0;
  auto inner = [](std::uint64_t left) -> task<std::uint64_t> { co_return (co_await weir::spawn(nest(left))).value(); };
  co_return 1 + weir::block_on(inner(depth - 1));
}

report nested_block_on(const request& asked) { return measure_roots(asked, asked.size, asked.size, nest); }

constexpr workload all[] = {
    {"empty_region", 100'000, empty_region}, {"syscall_region", 100'000, syscall_region},
    {"block_inline", 1000, block_inline},    {"block_offload", 1000, block_offload},
    {"socket_wait", 200, socket_wait},       {"nested_block_on", 32, nested_block_on},
};

const family registered(all);

} // namespace
} // namespace bench
