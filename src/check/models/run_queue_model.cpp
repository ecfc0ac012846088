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

// The ring is full, so the owner's next task goes into a cell that a thief has just copied, or takes half of the ring to
// the injector, or finds a thief at it and goes there alone.
WEIR_MODEL(run_queue_cells_are_used_again) {
  static_assert(run_queue::capacity == 4);
  run_queue mine;
  run_queue other;
  numbered_task tasks[5];
  for (int at = 0; at < 4; ++at) push(mine, tasks[at], at + 1);
  const unsigned thief = m.spawn("thief", [&] {
    run(m, other.steal_from(mine));
    run(m, other.pop_front());
  });
  tasks[4].number.set(5);
  weir::rt::task_chain overflow = mine.push_back(tasks[4]);
  m.sometimes("a copied cell is filled again", overflow.size == 0);
  m.sometimes("a thief is at it", overflow.size == 1);
  m.sometimes("half of the ring overflows", overflow.size == 3);
  while (task_header* task = overflow.pop_front()) run(m, task);
  for (int at = 0; at < 4; ++at) run(m, mine.pop_front());
  m.join_all();
  m.sometimes("the thief gets what the overflow left", m.has_got(thief, 3));
  m.expect_each_once({1, 2, 3, 4, 5});
}

// A ring that is empty and whose cells a slow thief may still copy: what its holder steals goes only where they were copied.
WEIR_MODEL(run_queue_thief_while_another_copies_from_it) {
  run_queue mine;
  run_queue third;
  run_queue slow;
  numbered_task tasks[7];
  for (int at = 0; at < 4; ++at) push(mine, tasks[at], at + 1);
  for (int at = 4; at < 7; ++at) push(third, tasks[at], at + 1);
  m.spawn("slow thief", [&] {
    run(m, slow.steal_from(mine));
    run(m, slow.pop_front());
  });
  while (task_header* task = mine.pop_front()) run(m, task);
  task_header* stolen = mine.steal_from(third);
  m.sometimes("there is room", stolen != nullptr);
  m.sometimes("the cells are still copied", stolen == nullptr);
  run(m, stolen);
  run(m, mine.pop_front());
  m.join_all();
  for (int at = 4; at < 7; ++at) run(m, third.pop_front());
  m.expect_each_once({1, 2, 3, 4, 5, 6, 7});
}
