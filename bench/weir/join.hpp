// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the families share: many tasks awaited in order, and a runtime that runs one root after another.
#include "../measure/rounds.hpp"

#include <weir/spawn.hpp>

#include <cstdint>
#include <vector>

namespace bench {

/// Spawns `make(0)` to `make(count - 1)`, awaits them all and adds their results.
template <class Make> weir::task<std::uint64_t> sum_of_tasks(std::uint64_t count, Make make) {
  std::vector<weir::join_handle<std::uint64_t>> handles;
  handles.reserve(count);
  for (std::uint64_t i = 0; i != count; ++i) handles.push_back(weir::spawn(make(i)));
  std::uint64_t sum = 0;
  for (auto& each : handles) sum += (co_await each).value();
  co_return sum;
}

template <class T> T run_root(weir::runtime& runtime, weir::task<T> root) {
  return runtime.spawn(std::move(root)).wait().value();
}

/// Warms up with `make(warm_size)`, then measures `make(asked.size)`.
template <class Make>
report measure_roots(const request& asked, std::uint64_t warm_size, std::uint64_t operations, Make make) {
  weir::runtime runtime({.permits = asked.permits});
  run_root(runtime, make(warm_size));
  return measure_rounds(asked, operations, [&] { return run_root(runtime, make(asked.size)); });
}

} // namespace bench
