// SPDX-License-Identifier: Apache-2.0

// The queues as their users see them: what pushes and takes return is what one queue in order would have returned.

#include <deque>

#include "sched/injector.hpp"
#include "sched/run_queue.hpp"

#include <weir/check/history.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using weir::rt::injector;
using weir::rt::run_queue;
using weir::rt::task_chain;
using weir::rt::task_header;

namespace {

using numbers = std::deque<int>;

struct numbered_task : task_header {
  int number = 0;
  numbered_task() : task_header(no_operations, weir::detail::task_kind::coroutine) {}

  static constexpr weir::detail::task_operations no_operations{};
};

// 0: nothing.
int number_of(task_header* task) { return task == nullptr ? 0 : static_cast<numbered_task*>(task)->number; }

int take_first(numbers& of) {
  if (of.empty()) return 0;
  const int first = of.front();
  of.pop_front();
  return first;
}

} // namespace

WEIR_MODEL(injector_is_a_queue) {
  check::history<numbers> calls;
  injector queue;
  numbered_task tasks[2];
  for (int at = 0; at < 2; ++at) tasks[at].number = at + 1;
  const auto push = [&](int at) {
    calls.call(
        at == 0 ? "push(1)" : "push(2)", [&] { queue.push(tasks[at]); }, [at](numbers& of) { of.push_back(at + 1); });
  };
  const auto pop = [&] {
    calls.call(
        "pop()",
        [&] {
          task_chain chain = queue.pop(check::is_mutated("looks past the first") ? 2 : 1);
          int first = number_of(chain.pop_front());
          if (task_header* second = chain.pop_front()) {
            queue.push(tasks[first - 1]);
            first = number_of(second);
          }
          return first;
        },
        take_first);
  };
  m.spawn("pusher", [&] {
    push(0);
    push(1);
  });
  pop();
  m.join_all();
  pop();
  pop();
  calls.require_linearizable();
}
WEIR_MUTATIONS(injector_is_a_queue, "looks past the first");

// The owner's end and the thieves' are one end. A thief that meets another one may go away with nothing.
WEIR_MODEL(run_queue_is_a_queue) {
  check::history<numbers> calls;
  run_queue mine;
  run_queue other;
  numbered_task tasks[3];
  const auto push = [&](int at) {
    static constexpr const char* names[] = {"push(1)", "push(2)", "push(3)"};
    calls.call(
        names[at],
        [&] {
          tasks[at].number = at + 1;
          static_cast<void>(mine.push_back(tasks[at]));
        },
        [at](numbers& of) { of.push_back(at + 1); });
  };
  const auto pop = [&] { calls.call("pop()", [&] { return number_of(mine.pop_front()); }, take_first); };
  push(0);
  const unsigned thief = m.spawn("thief", [&] {
    const int got = calls.call(
        "steal()", [&] { return number_of(other.steal_from(mine)); },
        [](numbers& of, const int& took) { return took == 0 || take_first(of) == took; });
    m.got(got);
  });
  push(1);
  pop();
  m.join_all();
  m.sometimes("the thief gets the first", m.has_got(thief, 1));
  m.sometimes("the thief gets the second", m.has_got(thief, 2));
  m.sometimes("the thief gets nothing", m.has_got(thief, 0));
  if (check::is_mutated("a pop that forgets what was stolen")) calls.call("pop()", [] { return 1; }, take_first);
  pop();
  calls.require_linearizable();
}
WEIR_MUTATIONS(run_queue_is_a_queue, "a pop that forgets what was stolen");
