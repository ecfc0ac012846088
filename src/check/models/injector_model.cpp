// SPDX-License-Identifier: Apache-2.0

// Each task leaves once and in the order of its pusher, with what was written before it was pushed; a queue whose size
// has been seen holds the task.

#include "sched/injector.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using weir::rt::injector;
using weir::rt::task_chain;
using weir::rt::task_header;

namespace {

struct numbered_task : task_header {
  check::cell<int> number;
  numbered_task() : task_header(no_operations, weir::detail::task_kind::coroutine) {}

  static constexpr weir::detail::task_operations no_operations{};
};

int run_all(check::model& m, task_chain tasks) {
  int last = 0;
  while (task_header* task = tasks.pop_front()) {
    last = static_cast<numbered_task*>(task)->number.get();
    m.got(last);
  }
  return last;
}

} // namespace

WEIR_MODEL(injector_keeps_the_order_of_a_pusher) {
  injector queue;
  numbered_task tasks[2];
  for (int at = 0; at < 2; ++at) tasks[at].number.set(at + 1);
  m.spawn("pusher", [&] {
    queue.push(tasks[0]);
    queue.push(tasks[1]);
  });
  const int first = run_all(m, queue.pop(1));
  m.sometimes("something is there", first == 1);
  m.sometimes("nothing is there yet", first == 0);
  m.require(first != 2, "first in, first out");
  m.join_all();
  run_all(m, queue.pop(2));
  m.require(queue.size() == 0, "the size follows");
  m.expect_each_once({1, 2});
}

WEIR_MODEL(injector_two_pushers) {
  injector queue;
  numbered_task tasks[2];
  for (int at = 0; at < 2; ++at)
    m.spawn("pusher", [&, at] {
      tasks[at].number.set(at + 1);
      queue.push(tasks[at]);
    });
  const int last = run_all(m, queue.pop(2));
  m.sometimes("one is first", last == 2);
  m.sometimes("two is first", last == 1);
  m.join_all();
  run_all(m, queue.pop(2));
  m.expect_each_once({1, 2});
}

// What idle.hpp builds on: whoever reads the size after its fence takes part in the order of fences, whoever sees a
// size finds the task.
WEIR_MODEL(injector_size_is_a_promise) {
  injector queue;
  numbered_task task;
  m.spawn("pusher", [&] {
    task.number.set(1);
    queue.push(task);
  });
  while (queue.size() == 0) check::spin_hint();
  run_all(m, queue.pop(1));
  m.expect_each_once({1});
  m.join_all();
}
