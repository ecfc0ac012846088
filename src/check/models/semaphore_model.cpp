// SPDX-License-Identifier: Apache-2.0

// Permits of a semaphore or mutex are neither lost nor invented, whoever waits, gives up or closes; what was done with one
// before is seen by the next holder. Events and latches end every wait, and the waiter may destroy them. The shipped source
// is sync/semaphore.cpp, event.cpp and latch.cpp; waits are those of threads.

#include "base/parker.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>
#include <weir/latch.hpp>
#include <weir/semaphore.hpp>

namespace check = weir::check;
using weir::detail::permit_queue;
using weir::detail::permit_wait;
using weir::detail::waiter;

namespace {

// A wait that its owner gives up at once; true when it has got the permit all the same.
bool wait_and_give_up(permit_queue& queue) {
  permit_wait node(queue, 1);
  if (node.try_now()) return true;
  weir::rt::parker sleeper;
  node.how = waiter::kind::thread;
  node.who = &sleeper;
  if (!node.enqueue()) return node.take();
  if (node.withdraw(nullptr)) return false;
  while ((node.state.load(std::memory_order::acquire) & waiter::let_go) == 0) check::spin_hint();
  return node.take();
}

} // namespace

WEIR_MODEL(semaphore_hands_its_permit_over) {
  weir::semaphore permits(0);
  check::cell<int> data{0};
  m.spawn("giver", [&] {
    data.set(1);
    permits.release();
  });
  m.require(permits.acquire().wait().has_value(), "a release ends the wait");
  m.require(data.get() == 1, "what came before the release is seen");
  m.join_all();
  m.require(permits.available() == 0, "the permit is taken once");
}

WEIR_MODEL(semaphore_excludes) {
  weir::semaphore permits(1);
  check::cell<int> count{0};
  const auto add = [&] {
    static_cast<void>(permits.acquire().wait());
    count.set(count.get() + 1);
    permits.release();
  };
  m.spawn("other", add);
  add();
  m.join_all();
  m.require(count.get() == 2 && permits.available() == 1, "one holder at a time, and nothing is lost");
}

// A release may find that the wait it was for is gone.
WEIR_MODEL(semaphore_wait_is_given_up_while_a_permit_comes) {
  permit_queue queue(0);
  check::cell<int> data{0};
  bool has_got = false;
  m.spawn("waiter", [&] { has_got = wait_and_give_up(queue); });
  m.spawn("giver", [&] {
    data.set(1);
    queue.give(1);
  });
  const bool has_taken = queue.try_take(1);
  if (has_taken) m.require(data.get() == 1, "what came before the release is seen");
  m.join_all();
  m.require(queue.free() + (has_got ? 1U : 0U) + (has_taken ? 1U : 0U) == 1, "a permit has one owner or is free");
  m.sometimes("the permit comes in time", has_got);
  m.sometimes("the permit goes to another", has_taken);
  m.sometimes("the permit stays free", !has_got && !has_taken);
}

// Who gives up may stand before one that can be served.
WEIR_MODEL(semaphore_who_gives_up_makes_room) {
  permit_queue queue(1);
  m.spawn("large", [&] {
    permit_wait node(queue, 2);
    if (node.try_now()) return;
    weir::rt::parker sleeper;
    node.how = waiter::kind::thread;
    node.who = &sleeper;
    if (node.enqueue()) m.require(node.withdraw(nullptr), "nobody gives a second permit");
  });
  weir::detail::wait_operation<permit_wait> small(queue, std::uint64_t{1});
  m.require(small.wait(), "the smaller request is served");
  m.join_all();
}

WEIR_MODEL(semaphore_close_ends_a_wait) {
  weir::semaphore permits(0);
  check::cell<int> data{0};
  m.spawn("closer", [&] {
    data.set(1);
    permits.close();
  });
  if (permits.is_closed()) m.require(data.get() == 1, "what came before the end is seen");
  m.require(!permits.acquire().wait().has_value(), "a wait ends without a permit");
  m.join_all();
}

WEIR_MODEL(latch_waiter_destroys_it) {
  auto* latch = new weir::latch(2);
  check::cell<int> parts[2];
  for (check::cell<int>& part : parts)
    m.spawn("finisher", [&part, latch] {
      part.set(1);
      latch->count_down();
    });
  latch->wait();
  m.require(parts[0].get() + parts[1].get() == 2, "what all finishers did is seen");
  delete latch;
  m.join_all();
}

WEIR_MODEL(event_waiter_destroys_it) {
  auto* event = new weir::event;
  check::cell<int> data{0};
  m.spawn("setter", [&, event] {
    data.set(1);
    event->set();
  });
  event->wait();
  m.require(data.get() == 1, "what came before set() is seen");
  delete event;
  m.join_all();
}
