// SPDX-License-Identifier: Apache-2.0
// Forks, and looks at a runtime from outside while it works.
#include "sim/workloads.hpp"

#include <weir/checkpoint.hpp>
#include <weir/event.hpp>
#include <weir/fork_join.hpp>
#include <weir/runtime.hpp>
#include <weir/sim/run.hpp>
#include <weir/spawn.hpp>

#include <stdexcept>
#include <vector>

namespace weir::sim::workloads {
namespace {

using namespace std::chrono_literals;

int small(std::uint64_t bound) { return static_cast<int>(choose(bound)); }

/// Takes some of the time in which a fork is offered to others.
long work(long value) {
  block_for(std::chrono::nanoseconds(choose(40'000)));
  return value;
}

long sum(long first, long last) {
  return parallel_reduce(first, last, 0L, [](long i) { return work(i); }, [](long a, long b) { return a + b; }, 1);
}

task<long> sum_in_task(long last) { co_return sum(0, last); }

/// Both sides run to their end, whichever throws.
int failing_forks(int depth) {
  if (depth == 0) {
    work(0);
    if (choose(3) == 0) throw std::runtime_error("a leaf fails");
    return 1;
  }
  int ended = 0;
  try {
    auto [left, right] = fork_join([&] { return failing_forks(depth - 1); }, [&] { return failing_forks(depth - 1); });
    ended = left + right;
  } catch (const std::runtime_error&) {
    ended = -1;
  }
  return ended;
}

task<int> breed(int count) {
  std::vector<join_handle<int>> all;
  for (int i = 0; i != count; ++i) {
    all.push_back(spawn([](int yields) -> task<int> {
      for (int turn = 0; turn != yields; ++turn) co_await yield();
      co_return 1;
    }(small(3))));
    if (choose(4) == 0) co_await yield();
  }
  int total = 0;
  for (auto& each : all) {
    auto got = co_await each;
    total += got.value();
  }
  co_return total;
}

void require_sense(const metrics& seen, metrics& before) {
  require(seen.finished <= seen.spawned, "nothing ends that was not spawned");
  require(seen.spawned == seen.tasks + seen.finished, "a task of a snapshot lives or has ended");
  require(seen.finished <= seen.polls + seen.closures, "nothing ends without having been taken up");
  require(seen.permits == seen.active + seen.free + seen.changing_hands, "every permit is somewhere");
  require(seen.in_regions <= seen.active, "a permit in a region is held");
  require(seen.spawned >= before.spawned && seen.finished >= before.finished, "counts never go back");
  before = seen;
}

} // namespace

void forks() {
  runtime pool({.permits = 1 + choose(4)});
  const long size = 1 + small(40);
  const long expected = size * (size - 1) / 2;
  auto task = pool.spawn(sum_in_task(size));
  auto fiber = pool.spawn_fiber([size] { return sum(0, size); });
  auto failing = pool.spawn_fiber([depth = 1 + small(4)] { return failing_forks(depth); });
  auto stopped = pool.spawn_fiber([size] { return sum(0, size); });
  require(pool.block_on(sum_in_task(size)) == expected, "a reduction of a thread from outside");
  block_for(std::chrono::nanoseconds(choose(200'000)));
  stopped.abort();
  static_cast<void>(stopped.wait());
  require(task.wait().value() == expected, "a reduction of a task");
  require(fiber.wait().value() == expected, "a reduction of a fiber");
  failing.wait().value();
  pool.shutdown();
}

void views() {
  runtime pool({.permits = 2 + choose(3)});
  std::vector<join_handle<int>> handles;
  std::vector<int> counts;
  for (int i = 1 + small(3); i != 0; --i) {
    counts.push_back(1 + small(30));
    handles.push_back(pool.spawn(breed(counts.back())));
  }
  metrics before;
  for (int looks = 1 + small(12); looks != 0; --looks) {
    block_for(std::chrono::nanoseconds(choose(10'000)));
    require_sense(pool.snapshot(), before);
    if (choose(2) == 0) require(pool.dump_tasks().tasks.size() <= 100, "a dump has the tasks that there are");
  }
  for (std::size_t at = 0; at != handles.size(); ++at)
    require(handles[at].wait().value() == counts[at], "every child counts once");
  pool.shutdown();
  require(pool.snapshot().tasks == 0, "shutdown leaves no task");
}

} // namespace weir::sim::workloads
