// SPDX-License-Identifier: Apache-2.0

// Each task that is put into the cell comes out of it once, whoever takes it, and its taker sees what was written before.

#include "sched/next_cell.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using weir::detail::task_header;
using weir::rt::next_cell;

namespace {

struct numbered_task : task_header {
  check::cell<int> number;
  numbered_task() : task_header(no_operations, weir::detail::task_kind::coroutine) {}

  static constexpr weir::detail::task_operations no_operations{};
};

void run(check::model& m, task_header* task) {
  if (task != nullptr) m.got(static_cast<numbered_task*>(task)->number.get());
}

task_header* put(next_cell& cell, numbered_task& task, int number) {
  task.number.set(number);
  return cell.put(task);
}

} // namespace

WEIR_MODEL(next_cell_holder_and_thieves) {
  next_cell cell;
  numbered_task tasks[2];
  const unsigned thief = m.spawn("thief", [&] { run(m, cell.take()); });
  m.spawn("second thief", [&] { run(m, cell.take()); });
  run(m, put(cell, tasks[0], 1));
  run(m, put(cell, tasks[1], 2));
  run(m, cell.take());
  m.join_all();
  m.sometimes("a thief gets the first", m.has_got(thief, 1));
  m.sometimes("a thief gets the second", m.has_got(thief, 2));
  m.sometimes("the thieves get nothing", m.has_got(0, 1) && m.has_got(0, 2));
  m.expect_each_once({1, 2});
}

// The permit changes hands between: the next holder finds what is left.
WEIR_MODEL(next_cell_changes_hands) {
  next_cell cell;
  numbered_task tasks[2];
  check::atomic<int> permit{0};
  m.spawn("thief", [&] { run(m, cell.take()); });
  m.spawn("next holder", [&] {
    while (permit.load(std::memory_order::acquire) == 0) check::spin_hint();
    run(m, put(cell, tasks[1], 2));
    run(m, cell.take());
  });
  run(m, put(cell, tasks[0], 1));
  permit.store(1, std::memory_order::release);
  m.join_all();
  run(m, cell.take());
  m.expect_each_once({1, 2});
}
