// SPDX-License-Identifier: Apache-2.0
// Tasks that wait: woken from outside, and a million at once.
#include "../measure/many.hpp"
#include "../measure/wake_rig.hpp"
#include "join.hpp"

#include <weir/event.hpp>
#include <weir/semaphore.hpp>

namespace bench {
namespace {

using weir::task;

task<void> woken_often(weir::semaphore* signal, wake_rig* rig) {
  for (std::uint64_t i = 0; i != rig->wakes(); ++i) {
    co_await signal->acquire();
    rig->woken(i);
  }
}

report wake(const request& asked, std::uint64_t gap) {
  wake_rig rig(asked.size);
  weir::runtime runtime({.permits = asked.permits});
  weir::semaphore signal(0);
  auto woken = runtime.spawn(woken_often(&signal, &rig));
  report found = rig.drive(asked, gap, [&] { signal.release(); });
  woken.wait().value();
  return found;
}

report wake_hot(const request& asked) { return wake(asked, wake_rig::hot_gap_ns); }
report wake_cold(const request& asked) { return wake(asked, wake_rig::cold_gap_ns); }

task<void> wait_once(weir::event* release, std::atomic<std::uint64_t>* waiting) {
  waiting->fetch_add(1, std::memory_order_relaxed);
  co_await *release;
  waiting->fetch_sub(1, std::memory_order_relaxed);
}

task<std::uint64_t> start_waiting(std::uint64_t count, weir::event* release, std::atomic<std::uint64_t>* waiting) {
  for (std::uint64_t i = 0; i != count; ++i) weir::spawn(wait_once(release, waiting)).detach();
  co_return count;
}

report parked(const request& asked) { // detached, so that only the tasks count
  weir::runtime runtime({.permits = asked.permits});
  weir::event release;
  std::atomic<std::uint64_t> waiting{0};
  auto start = [&] { run_root(runtime, start_waiting(asked.size, &release, &waiting)); };
  return measure_parked(asked, waiting, start, [&] { release.set(); });
}

constexpr workload all[] = {
    {"wake_hot", 30'000, wake_hot}, {"wake_cold", 5000, wake_cold}, {"parked", 1'000'000, parked}};

const family registered(all);

} // namespace
} // namespace bench
