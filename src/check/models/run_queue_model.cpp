// SPDX-License-Identifier: Apache-2.0

// Each task leaves the queue once, whoever takes it, and its taker sees what was written before it was queued.

#include "sched/run_queue.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using weir::rt::run_queue;
using weir::rt::task_header;

namespace {

struct numbered_task : task_header {
  check::cell<int> number;
  numbered_task() : task_header(no_operations, weir::detail::task_kind::coroutine) {}

  static constexpr weir::detail::task_operations no_operations{};
};

void run(check::model& m, task_header* task) {
  if (task != nullptr) m.got(static_cast<numbered_task*>(task)->number.get());
}

// The orders on head (O2) keep a cell from being filled again while a thief copies it, and the ring has 256 cells.
constexpr const char* not_covered = "not covered: it orders the second use of a cell, and no model fills the ring";

void push(run_queue& queue, numbered_task& task, int number) {
  task.number.set(number);
  static_cast<void>(queue.push_back(task));
}

} // namespace

WEIR_MODEL(run_queue_owner_and_thief) {
  run_queue mine;
  run_queue other;
  numbered_task tasks[2];
  const unsigned thief = m.spawn("thief", [&] {
    run(m, other.steal_from(mine));
    run(m, other.pop_front());
  });
  push(mine, tasks[0], 1);
  push(mine, tasks[1], 2);
  run(m, mine.pop_front());
  m.join_all();
  run(m, mine.pop_front());
  run(m, mine.pop_front());
  m.sometimes("the thief gets the first", m.has_got(thief, 1));
  m.sometimes("the thief gets the second", m.has_got(thief, 2));
  m.sometimes("the thief gets nothing", !m.has_got(thief, 1) && !m.has_got(thief, 2));
  m.expect_each_once({1, 2});
}

WEIR_MODEL(run_queue_two_thieves) {
  run_queue mine;
  run_queue others[2];
  numbered_task tasks[2];
  push(mine, tasks[0], 1);
  push(mine, tasks[1], 2);
  for (run_queue& other : others) m.spawn("thief", [&] { run(m, other.steal_from(mine)); });
  run(m, mine.pop_front());
  m.join_all();
  run(m, mine.pop_front());
  m.expect_each_once({1, 2});
}

WEIR_MODEL(run_queue_thief_of_a_thief) {
  run_queue mine;
  run_queue other;
  run_queue third;
  numbered_task tasks[4];
  m.spawn("thief", [&] { run(m, other.steal_from(mine)); });
  const unsigned second = m.spawn("second thief", [&] { run(m, third.steal_from(other)); });
  for (int at = 0; at < 4; ++at) push(mine, tasks[at], at + 1);
  m.join_all();
  run(m, third.pop_front());
  run(m, other.pop_front());
  for (int at = 0; at < 4; ++at) run(m, mine.pop_front());
  m.sometimes("the second thief gets one", m.has_got(second, 2));
  m.expect_each_once({1, 2, 3, 4});
}

WEIR_EXPLAINED(run_queue_owner_and_thief, "run_queue.hpp:76 ", not_covered);
WEIR_EXPLAINED(run_queue_owner_and_thief, "run_queue.hpp:123 ", not_covered);
WEIR_EXPLAINED(run_queue_owner_and_thief, "run_queue.hpp:129 ", not_covered);
WEIR_EXPLAINED(run_queue_owner_and_thief, "run_queue.hpp:141 ", not_covered);
WEIR_EXPLAINED(run_queue_owner_and_thief, "run_queue.hpp:150 ", not_covered);
WEIR_EXPLAINED(run_queue_owner_and_thief, "run_queue.hpp:157 ", not_covered);
WEIR_EXPLAINED(run_queue_two_thieves, "run_queue.hpp:76 ", not_covered);
WEIR_EXPLAINED(run_queue_two_thieves, "run_queue.hpp:123 ", not_covered);
WEIR_EXPLAINED(run_queue_two_thieves, "run_queue.hpp:129 ", not_covered);
WEIR_EXPLAINED(run_queue_two_thieves, "run_queue.hpp:141 ", not_covered);
WEIR_EXPLAINED(run_queue_two_thieves, "run_queue.hpp:150 ", not_covered);
WEIR_EXPLAINED(run_queue_two_thieves, "run_queue.hpp:157 ", not_covered);
WEIR_EXPLAINED(run_queue_thief_of_a_thief, "run_queue.hpp:76 ", not_covered);
WEIR_EXPLAINED(run_queue_thief_of_a_thief, "run_queue.hpp:123 ", not_covered);
WEIR_EXPLAINED(run_queue_thief_of_a_thief, "run_queue.hpp:129 ", not_covered);
WEIR_EXPLAINED(run_queue_thief_of_a_thief, "run_queue.hpp:141 ", not_covered);
WEIR_EXPLAINED(run_queue_thief_of_a_thief, "run_queue.hpp:150 ", not_covered);
WEIR_EXPLAINED(run_queue_thief_of_a_thief, "run_queue.hpp:157 ", not_covered);
