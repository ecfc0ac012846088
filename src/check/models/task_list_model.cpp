// SPDX-License-Identifier: Apache-2.0

// The list of a permit's tasks: its owner and a visitor never use it at once, closing finds every task that was admitted,
// and a task that leaves by another permit is unlinked once.

#include "sched/task_list.hpp"
#include "sched/task_state.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using weir::rt::task_chain;
using weir::rt::task_header;
using weir::rt::task_list;

namespace {

struct listed_task : task_header {
  check::cell<int> number;
  explicit listed_task(int as) : task_header(no_operations, weir::detail::task_kind::coroutine) { number.set(as); }

  static constexpr weir::detail::task_operations no_operations{};
};

} // namespace

WEIR_MODEL(task_list_owner_and_visitor) {
  task_list list;
  list.make_owned();
  listed_task tasks[2] = {listed_task(1), listed_task(2)};
  const unsigned visitor = m.spawn(
      "visitor", [&] { list.visit([&](task_header& task) { m.got(static_cast<listed_task&>(task).number.get()); }); });
  m.require(list.add(tasks[0], true), "an open list admits");
  m.require(list.add(tasks[1], true), "an open list admits");
  m.require(!list.remove(tasks[0], true), "a removal from an open list does not count");
  tasks[0].number.set(3);
  m.join_all();
  m.sometimes("the visitor sees both", m.has_got(visitor, 1) && m.has_got(visitor, 2));
  m.sometimes("the visitor sees the second alone", !m.has_got(visitor, 1) && m.has_got(visitor, 2));
  m.require(!m.has_got(visitor, 3), "a removed task is not visited");
}

WEIR_MODEL(task_list_admission_and_close) {
  task_list list;
  list.make_owned();
  listed_task task(1);
  std::size_t found = 0;
  m.spawn("closer",
          [&] { found = list.close([&](task_header& each) { m.got(static_cast<listed_task&>(each).number.get()); }); });
  const bool is_admitted = list.add(task, true);
  const bool counts = is_admitted && list.remove(task, true);
  m.join_all();
  m.sometimes("it is refused", !is_admitted);
  m.sometimes("it is admitted and stopped", is_admitted && counts);
  m.sometimes("it is gone before", is_admitted && !counts);
  m.require(found == (counts ? 1u : 0u), "who removes an admitted task knows whether the closer has counted it");
}

// Who leaves and who closes: one of the two unlinks the task.
WEIR_MODEL(task_list_leaving_while_it_closes) {
  task_list list;
  list.make_owned();
  listed_task task(1);
  m.require(list.add(task, true), "an open list admits");
  std::size_t unlinked[2] = {0, 0};
  const auto collect = [&](std::size_t by) {
    std::size_t counted = 0;
    if (list.has_leaving()) unlinked[by] = list.collect(false, counted).size;
  };
  m.spawn("leaver", [&] {
    task_chain gone;
    gone.push_back(task);
    if (list.leave(gone).is_closed) collect(0);
  });
  list.close([](task_header&) {});
  collect(1);
  m.join_all();
  m.sometimes("the leaver unlinks it", unlinked[0] == 1);
  m.sometimes("the closer unlinks it", unlinked[1] == 1);
  m.require(unlinked[0] + unlinked[1] == 1, "a task that leaves is unlinked once");
}

// What a task wrote before it left is seen by the owner who frees it.
WEIR_MODEL(task_list_leaving_by_its_owner) {
  task_list list;
  list.make_owned();
  listed_task task(1);
  m.require(list.add(task, true), "an open list admits");
  m.spawn("leaver", [&] {
    task.number.set(2);
    task_chain gone;
    gone.push_back(task);
    static_cast<void>(list.leave(gone));
  });
  std::size_t counted = 0;
  if (list.collect(true, counted).size == 1) m.got(task.number.get());
  m.join_all();
  m.sometimes("the owner finds it", m.has_got(0, 2));
  m.require(m.has_got(0, 2) || list.collect(true, counted).size == 1, "it is found at last");
}
