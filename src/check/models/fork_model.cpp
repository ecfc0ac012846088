// SPDX-License-Identifier: Apache-2.0

// A fork runs once: by who takes it, or by its owner. The owner sees what a taker left, is told when it waits for that,
// and may destroy the fork as soon as it has seen the end.

#include "base/parker.hpp"
#include "sched/fork_join.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using weir::detail::fork_list;
using weir::detail::fork_node;
using namespace weir::rt;

namespace {

struct model_fork : fork_node {
  check::cell<int> input{0};
  check::cell<int> result{0};

  explicit model_fork(fork_list& on) : fork_node(call, on) {}
  static void call(fork_node& node) noexcept {
    auto& self = static_cast<model_fork&>(node);
    self.result.set(self.input.get() + 1);
  }
};

// What run_taken() does, with a parker as the only waiter there is.
void run_taken_model(fork_node& node) {
  node.run(node);
  fork_end before = end_fork(node);
  if (check::is_mutated("touches the fork after its end")) before = fork_end::unpack(node.end.load());
  if (before.kind == fork_waiter::parker) static_cast<fork_sleeper*>(before.who)->unpark();
}

// What join_offered() does on a thread; the fork is gone afterwards.
void join_and_destroy(check::model& m, model_fork* node) {
  if (take_fork_back(*node)) {
    node->run(*node);
    m.sometimes("the owner takes its offer back", true);
  } else if (has_ended(*node)) {
    m.sometimes("the other side is over at the join", true);
  } else {
    fork_sleeper sleeper;
    if (set_fork_waiter(*node, &sleeper, fork_waiter::parker)) sleeper.park();
    m.sometimes("the owner may have to wait", true);
  }
  m.require(node->result.get() == 3, "each fork has run once when its join is over");
  delete node;
}

} // namespace

WEIR_MODEL(fork_taken_or_taken_back) {
  fork_place place{nullptr};
  m.spawn("worker", [&] {
    if (fork_node* taken = take_fork(place)) run_taken_model(*taken);
  });
  fork_list list;
  auto* node = new model_fork(list);
  node->input.set(2);
  m.require(offer_fork(*node, place), "the place is empty");
  join_and_destroy(m, node);
  m.join_all();
}
WEIR_MUTATIONS(fork_taken_or_taken_back, "touches the fork after its end");

WEIR_MODEL(fork_place_is_used_again) {
  fork_place place{nullptr};
  for (int at = 0; at != 2; ++at) {
    m.spawn("worker", [&] {
      if (fork_node* taken = take_fork(place)) run_taken_model(*taken);
    });
  }
  fork_list list;
  for (int round = 0; round != 2; ++round) {
    auto* node = new model_fork(list);
    node->input.set(2);
    m.require(offer_fork(*node, place), "a join leaves the place empty");
    node->leave(list);
    join_and_destroy(m, node);
  }
  m.join_all();
}

// A fiber that is stopped while it waits puts its thread in the place of its task. The task's reference is dropped
// once: by the owner, or by who ends the fork.
WEIR_MODEL(fork_waiter_is_replaced) {
  fork_place place{nullptr};
  auto* references = new check::atomic<int>(1);
  fork_sleeper sleeper;
  m.spawn("worker", [&, references] {
    fork_node* taken = take_fork(place);
    if (taken == nullptr) return;
    taken->run(*taken);
    fork_end before = end_fork(*taken);
    if (before.kind == fork_waiter::task) references->fetch_sub(1, std::memory_order::relaxed);
    if (before.kind == fork_waiter::parker) sleeper.unpark();
  });
  fork_list list;
  auto* node = new model_fork(list);
  node->input.set(2);
  m.require(offer_fork(*node, place), "the place is empty");
  bool was_taken = !take_fork_back(*node);
  if (was_taken) {
    static long task;
    bool waits = set_fork_waiter(*node, &task, fork_waiter::task);
    if (!waits) references->fetch_sub(1, std::memory_order::relaxed);
    if (waits && set_fork_waiter(*node, &sleeper, fork_waiter::parker, fork_end::pack(&task, fork_waiter::task))) {
      references->fetch_sub(1, std::memory_order::relaxed);
      while (!has_ended(*node)) sleeper.park();
    }
    m.require(node->result.get() == 3, "the end is there when the wait is over");
  }
  delete node;
  m.join_all();
  m.require(references->load(std::memory_order::relaxed) == (was_taken ? 0 : 1),
            "the reference of a waiting task is dropped once");
  m.sometimes("the fork is taken", was_taken);
  delete references;
}
