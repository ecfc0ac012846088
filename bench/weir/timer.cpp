// SPDX-License-Identifier: Apache-2.0
// Sleeps of 1 to 1000 ms, all at once.
#include "../measure/many.hpp"
#include "join.hpp"

#include <weir/time.hpp>

namespace bench {
namespace {

weir::task<std::uint64_t> sleep_once(std::uint64_t i, latencies* late) {
  auto due = weir::now() + std::chrono::microseconds(sleep_us(i));
  co_await weir::sleep_until(due);
  late->set(i, static_cast<std::uint64_t>((weir::now() - due).count()));
  co_return 1;
}

report sleepers(const request& once) {
  request asked = once;
  asked.rounds = 1;
  latencies late(asked.size);
  weir::runtime runtime({.permits = asked.permits});
  report found = measure_rounds(asked, asked.size, [&] {
    return run_root(runtime, sum_of_tasks(asked.size, [&late](std::uint64_t i) { return sleep_once(i, &late); }));
  });
  late.add_to(found);
  return found;
}

constexpr workload all[] = {{"sleepers", 1'000'000, sleepers}};

const family registered(all);

} // namespace
} // namespace bench
