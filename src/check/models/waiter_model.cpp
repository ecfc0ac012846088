// SPDX-License-Identifier: Apache-2.0

// A wait is decided once; a task that was granted is polled afterwards and sees it; nobody touches the node, the task or
// the parker when their owner may have destroyed them. The shipped source is sync/decide.hpp, the list and the task
// word; the lock and the queue are the model's.

#include "sync/decide.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
namespace task_state = weir::rt::task_state;
using weir::detail::wait_state;
using weir::detail::waiter;
using enum std::memory_order;

namespace weir::detail {

// As in join.cpp, which belongs to the build with real atomics.
void drop_reference(task_header& task) noexcept {
  std::uint64_t before = task.state.fetch_sub(task_state::reference, memory_order::acq_rel);
  if (before / task_state::reference == 1) task.operations->destroy(task);
}

} // namespace weir::detail

namespace {

struct list_lock {
  check::atomic<int> word{0};
  void lock() {
    while (word.exchange(1, acquire) != 0) check::spin_hint();
  }
  void unlock() { word.store(0, release); }
};

// A task that waits already: parked, with its node on the list, one reference of the scheduler and `more`.
struct world {
  struct task : weir::detail::task_header {
    explicit task(std::uint64_t more) : task_header(operations, weir::detail::task_kind::coroutine) {
      state.store((1 + more) * task_state::reference, relaxed);
    }
    static void destroy(task_header& self) noexcept { delete static_cast<task*>(&self); }
    static constexpr weir::detail::task_operations operations{nullptr, nullptr, nullptr, destroy, nullptr};
  };

  explicit world(std::uint64_t more) : subject(new task(more)), node(new waiter) {
    node->who = static_cast<weir::detail::task_header*>(subject);
    list.push_back(*node);
  }

  task* subject;
  waiter* node; // in the task's frame
  list_lock lock;
  weir::detail::waiter_list list;
  check::atomic<int> queue{0};
  check::cell<int> value{0}; // what is handed over
  bool is_over = false;      // of the worker

  void grant() {
    bool owns_entry = false;
    lock.lock();
    if (waiter* first = list.pop_front()) {
      value.set(1);
      if (check::is_mutated("grants outside the lock")) lock.unlock();
      if (check::is_mutated("grants without holding the task")) {
        first->set(wait_state::granted);
        owns_entry = task_state::set_notified(*subject);
      } else {
        owns_entry = weir::rt::decide_task(*first, wait_state::granted);
      }
      if (check::is_mutated("grants outside the lock")) lock.lock();
    }
    lock.unlock();
    if (owns_entry) queue.store(1, release);
  }
  void wake(std::uint64_t also) {
    if (task_state::set_notified(*subject, also)) queue.store(1, relaxed); // the task word orders this
  }

  // The frame goes away, and with it the node.
  void end() {
    delete node;
    task_state::set_complete(*subject);
    weir::detail::drop_reference(*subject);
    is_over = true;
  }
  // The destructor of a wait whose task is stopped.
  bool withdraw() {
    lock.lock();
    bool waits = node->seen() == wait_state::waiting;
    if (waits) list.erase(*node);
    lock.unlock();
    return waits;
  }
  void poll(check::model& m) {
    for (;;) {
      bool is_stopped = (task_state::start(*subject) & task_state::cancel) != 0;
      if (!is_stopped && node->seen() == wait_state::granted) {
        m.got(value.get());
        return end();
      }
      auto next = is_stopped ? task_state::after_poll::cancelled : task_state::suspend(*subject, false);
      if (next == task_state::after_poll::parked) return;
      if (next == task_state::after_poll::cancelled) {
        m.got(withdraw() ? 10 : 20 + value.get());
        return end();
      }
    }
  }
  void work(check::model& m) {
    while (!is_over) {
      if (queue.exchange(0, acquire) != 0) {
        poll(m);
      } else {
        check::spin_hint();
      }
    }
  }
};

} // namespace

WEIR_MODEL(waiter_granted_while_a_stranger_wakes_the_task) {
  world w(1);
  const unsigned worker = m.spawn("worker", [&] { w.work(m); });
  m.spawn("stranger", [&] {
    w.wake(0);
    weir::detail::drop_reference(*w.subject);
  });
  w.grant();
  m.join_all();
  m.require(m.has_got(worker, 1), "the poll that ends the wait sees what was handed over");
}
WEIR_MUTATIONS(waiter_granted_while_a_stranger_wakes_the_task, "grants without holding the task");

WEIR_MODEL(waiter_granted_while_its_task_is_stopped) {
  world w(1);
  const unsigned worker = m.spawn("worker", [&] { w.work(m); });
  m.spawn("stopper", [&] {
    w.wake(task_state::cancel);
    weir::detail::drop_reference(*w.subject);
  });
  w.grant();
  m.join_all();
  m.sometimes("the stop comes first", m.has_got(worker, 10));
  m.sometimes("the grant comes between, and is given back", m.has_got(worker, 21));
}
WEIR_MUTATIONS(waiter_granted_while_its_task_is_stopped, "grants outside the lock");

WEIR_MODEL(waiter_of_a_thread_is_let_go) {
  auto* node = new waiter;
  auto* sleeper = new weir::rt::parker;
  check::cell<int> value{0};
  node->how = waiter::kind::thread;
  node->who = sleeper;
  m.spawn("granter", [&, node] {
    value.set(1);
    node->set(wait_state::granted);
    if (check::is_mutated("lets the thread go first")) {
      auto* parker = static_cast<weir::rt::parker*>(node->who);
      node->state.fetch_or(waiter::let_go, release);
      parker->unpark();
    } else {
      weir::rt::wake_thread(*node);
    }
  });
  while (!weir::rt::is_decided(node)) sleeper->park();
  m.require(value.get() == 1, "who sees the grant sees the value");
  while ((node->state.load(acquire) & waiter::let_go) == 0) check::spin_hint();
  delete sleeper;
  delete node;
  m.join_all();
}
WEIR_MUTATIONS(waiter_of_a_thread_is_let_go, "lets the thread go first");

WEIR_EXPLAINED(waiter_granted_while_a_stranger_wakes_the_task, "task_state.hpp:77 compare_exchange: acq_rel -> release",
               "redundant: a poll that follows begins with start(), which acquires the same word");
