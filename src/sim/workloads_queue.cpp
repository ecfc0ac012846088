// SPDX-License-Identifier: Apache-2.0
// The queues of permits by themselves: owners that live by stealing.
#include "sched/run_queue.hpp"
#include "sim/workloads.hpp"

#include <weir/sim/run.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <memory>

namespace weir::sim::workloads {
namespace {

struct numbered_task final : weir::detail::task_header {
  numbered_task() : task_header(none, weir::detail::task_kind::coroutine) {}
  weir::detail::atomic<int> times{0};

private:
  static constexpr weir::detail::task_operations none{};
};

struct shared_queues {
  std::array<rt::run_queue, 3> queues;
  std::deque<numbered_task> tasks;
  weir::detail::atomic<int> taken{0};
};

void count(shared_queues& shared, weir::detail::task_header& task) {
  require(static_cast<numbered_task&>(task).times.fetch_add(1) == 0, "a task is taken once");
  shared.taken.fetch_add(1);
}

void produce(shared_queues& shared) {
  rt::run_queue& own = shared.queues[0];
  for (numbered_task& task : shared.tasks) {
    while (own.room() == 0) block_for(std::chrono::microseconds(1));
    require(own.push_back(task).size == 0, "a queue with room takes a task");
  }
}

void live_by_stealing(shared_queues& shared, std::size_t own) {
  int fruitless = 0;
  while (shared.taken.load() != static_cast<int>(shared.tasks.size())) {
    weir::detail::task_header* task = shared.queues[own].pop_front();
    for (std::size_t other = shared.queues.size(); task == nullptr && other-- != 0;)
      if (other != own) task = shared.queues[own].steal_from(shared.queues[other]);
    if (task != nullptr) {
      count(shared, *task);
      fruitless = 0;
    } else {
      require(++fruitless != 1000, "no task is lost"); // a minute; nobody stands still for so long
      block_for(std::chrono::microseconds(1) * (1 << std::min(fruitless, 16)));
    }
  }
}

} // namespace

void steals() {
  auto shared = std::make_shared<shared_queues>();
  shared->tasks.resize(1 + choose(2000));
  start_thread("producer", [shared] { produce(*shared); });
  for (std::size_t own = 1; own != 3; ++own) start_thread("thief", [shared, own] { live_by_stealing(*shared, own); });
}

} // namespace weir::sim::workloads
