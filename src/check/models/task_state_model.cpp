// SPDX-License-Identifier: Apache-2.0

// One poll at a time, and a wake is never lost: a task that waits for an event sees it in the poll that follows the
// wake.

#include "sched/task_state.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
namespace task_state = weir::rt::task_state;
using enum std::memory_order;

namespace {

// A task, the one place of its queue, and what it waits for.
struct world {
  struct task : weir::detail::task_header {
    task() : task_header(no_operations, weir::detail::task_kind::coroutine) { task_state::init(*this); }
    static constexpr weir::detail::task_operations no_operations{};
  };

  task subject;
  check::atomic<int> queue{1}; // orders as the run queues do: an entry that keeps running has nothing else
  check::atomic<int> events[2];
  check::cell<int> context{0};
  check::atomic<bool> is_over{false};

  void wake(int event) {
    events[event].store(1, relaxed); // ordered by the wake alone
    if (task_state::set_notified(subject)) queue.store(1, release);
  }

  // Takes the queue entry if there is one and polls until the task parks. True: it has ended.
  bool poll(int wanted) {
    if (queue.exchange(0, acquire) == 0) return false;
    for (;;) {
      task_state::start(subject);
      context.set(context.get() + 1);
      if (events[0].load(relaxed) + events[1].load(relaxed) == wanted) {
        task_state::set_complete(subject);
        return true;
      }
      if (task_state::suspend(subject, false) != task_state::after_poll::requeue) return false;
    }
  }
};

} // namespace

WEIR_MODEL(task_state_two_wakers) {
  world w;
  m.spawn("one", [&] { w.wake(0); });
  m.spawn("two", [&] { w.wake(1); });
  while (!w.poll(2)) check::spin_hint();
  m.sometimes("one poll is enough", w.context.get() == 1);
  m.sometimes("each event has a poll of its own", w.context.get() == 3);
  m.join_all();
}

WEIR_MODEL(task_state_two_workers) {
  world w;
  const auto work = [&] {
    while (!w.is_over.load(relaxed)) {
      if (w.poll(1)) {
        w.is_over.store(true, relaxed);
        break;
      }
      check::spin_hint();
    }
  };
  m.spawn("first", work);
  m.spawn("second", work);
  w.wake(0);
  m.join_all();
  m.sometimes("the task is polled twice", w.context.get() == 2);
}

// Whoever is second, the completer or the joiner, finds what the other left.
WEIR_MODEL(task_state_completion) {
  world w;
  check::cell<int> result{0};
  check::cell<int> waiter{0};
  const unsigned runner = m.spawn("runner", [&] {
    task_state::start(w.subject);
    result.set(1);
    if ((task_state::set_complete(w.subject) & task_state::waiter) != 0) m.got(waiter.get());
  });
  waiter.set(2);
  const std::uint64_t before = w.subject.state.fetch_or(task_state::waiter, acq_rel);
  if ((before & task_state::complete) != 0) m.got(result.get());
  m.join(runner);
  m.sometimes("the runner is second", m.has_got(runner, 2));
  m.sometimes("the joiner is second", m.has_got(0, 1));
  m.require(m.has_got(runner, 2) != m.has_got(0, 1), "exactly one of them is second");
}

// The completer and the join handle's owner, who does not wait: one of them destroys the result, and who drops the last
// reference destroys the task after every other use.
WEIR_MODEL(task_state_last_reference) {
  world w;
  check::cell<int> result{0};
  check::cell<int> block{0};
  const auto destroy = [&] { block.set(block.get() + 1); };
  const unsigned runner = m.spawn("runner", [&] {
    task_state::start(w.subject);
    result.set(1);
    static_cast<void>(block.get());
    if (task_state::set_complete_and_drop(w.subject)) return;
    if ((task_state::set_complete(w.subject) & task_state::join) == 0) m.got(result.get());
    static_cast<void>(block.get());
    if (task_state::drop(w.subject)) destroy();
  });
  static_cast<void>(block.get());
  if ((task_state::give_up_join(w.subject) & task_state::complete) != 0) {
    m.got(result.get());
    if (task_state::drop(w.subject)) destroy();
  }
  m.join(runner);
  m.require(block.get() == 1, "the task is destroyed once");
  m.sometimes("the runner has the result", m.has_got(runner, 1));
  m.sometimes("the handle has the result", m.has_got(0, 1));
  m.require(m.has_got(runner, 1) != m.has_got(0, 1), "exactly one of them has the result");
}

// A task that keeps running in the queue: a wake there is seen by the poll that takes the entry, or by one more.
WEIR_MODEL(task_state_wake_in_queue) {
  world w;
  check::cell<int> polls{0};
  m.spawn("waker", [&] { w.wake(0); });
  bool has_seen = false;
  bool keeps = false;
  while (!has_seen) {
    if (!keeps && w.queue.exchange(0, relaxed) == 0) {
      check::spin_hint();
      continue;
    }
    task_state::start(w.subject);
    polls.set(polls.get() + 1);
    has_seen = w.events[0].load(relaxed) == 1;
    if (!has_seen) keeps = task_state::suspend(w.subject, polls.get() == 1) == task_state::after_poll::requeue;
  }
  m.join_all();
  m.sometimes("the wake comes before the first poll", polls.get() == 1);
  m.sometimes("the wake queues the task", polls.get() == 3);
  m.require(polls.get() <= 3, "a wake causes one poll");
}

// Who drops the last reference destroys the task after every other holder's last use.
WEIR_MODEL(task_state_two_holders) {
  world w;
  w.subject.state.store(task_state::complete + 2 * task_state::reference, relaxed);
  check::cell<int> block{0};
  const auto hold = [&] {
    static_cast<void>(block.get());
    if (task_state::drop(w.subject)) block.set(1);
  };
  m.spawn("other", hold);
  hold();
  m.join_all();
  m.require(block.get() == 1, "the task is destroyed");
}
