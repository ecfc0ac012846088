// SPDX-License-Identifier: Apache-2.0

// No closure is forgotten while a thread becomes spare: the steps of closures.hpp over its shipped queue and the shipped
// list of spare threads. A thread's order is a flag, as worker.hpp has it; runtime_core::publish_closure(), crew::put_back()
// and worker::run_closures_if_any() take the same steps in the same order. Their fences are for free permits, which are
// not here (idle_model.cpp): between the steps that are, the lock of the list orders enough.

#include "base/parker.hpp"
#include "sched/closures.hpp"
#include "sched/spares.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using namespace weir::rt;
using enum std::memory_order;

namespace {

struct model_closure : weir::detail::task_header {
  model_closure() : task_header(no_operations, weir::detail::task_kind::closure) {}
  static constexpr weir::detail::task_operations no_operations{};
  check::cell<int> input{0};
};

struct model_thread : spare_thread {
  check::atomic<int> order{0};
  parker sleep;

  bool take_order() { return order.exchange(0, acquire) != 0; }
};

struct world {
  check::model& m;
  closure_queue closures;
  spare_list<model_thread> spares;
  check::cell<int> runs{0};

  void order(model_thread& taken) {
    taken.order.store(1, release);
    taken.sleep.unpark();
  }

  void publish() {
    if (model_thread* spare = spares.take()) return order(*spare); // (3)
    closures.note_stranded(true);                                  // (5), at the cap
    if (check::is_mutated("the publisher does not look again")) return;
    if (model_thread* spare = spares.take()) order(*spare);
  }

  void put_back(model_thread& thread) {
    spares.add(thread, spare_place::cold, {}); // parker (a)
    if (check::is_mutated("who becomes spare does not look")) return;
    if (closures.are_stranded()) publish();
  }

  bool run_one() {
    weir::detail::task_header* closure = closures.pop(0);
    if (closure == nullptr) return false;
    m.require(static_cast<model_closure*>(closure)->input.get() == 1, "a closure is seen as it was pushed");
    runs.set(runs.get() + 1);
    return true;
  }

  // A thread whose closure has ended: spare until the next one has run.
  void live(model_thread& self) {
    put_back(self);
    for (;;) {
      if (self.take_order() || looks_itself(self)) {
        if (run_one()) return;
        put_back(self);
      } else {
        self.sleep.park();
      }
    }
  }

  // Before a sleep, as the last who may see a closure.
  bool looks_itself(model_thread& self) {
    if (check::is_mutated("who becomes spare does not look")) return false;
    if (self.place.load(relaxed) == spare_place::out) return false;
    return !closures.is_empty() && spares.withdraw(self);
  }
};

} // namespace

WEIR_MODEL(closure_meets_a_thread_that_becomes_spare) {
  world w{m, {}, {}};
  auto* closure = new model_closure;
  auto* thread = new model_thread;
  m.spawn("thread", [&, thread] { w.live(*thread); });
  closure->input.set(1);
  w.closures.push(*closure);
  w.publish();
  m.join_all();
  m.require(w.runs.get() == 1 && w.closures.is_empty(), "the closure runs once");
  w.spares.close();
  delete thread;
  delete closure;
}
WEIR_MUTATIONS(closure_meets_a_thread_that_becomes_spare, "who becomes spare does not look");

// Who took the permit of a thread that sleeps puts it among the spares.
WEIR_MODEL(closure_meets_a_thread_that_is_put_back_by_another) {
  world w{m, {}, {}};
  auto* closure = new model_closure;
  auto* thread = new model_thread;
  m.spawn("sleeper", [&, thread] {
    while (!thread->take_order()) thread->sleep.park();
    m.require(w.run_one(), "the order comes with a closure");
  });
  m.spawn("other", [&, thread] { w.put_back(*thread); });
  closure->input.set(1);
  w.closures.push(*closure);
  w.publish();
  m.join_all();
  m.require(w.runs.get() == 1 && w.closures.is_empty(), "the closure runs once");
  delete thread;
  delete closure;
}
WEIR_MUTATIONS(closure_meets_a_thread_that_is_put_back_by_another, "who becomes spare does not look",
               "the publisher does not look again");

WEIR_EXPLAINED(closure_meets_a_thread_that_becomes_spare, "closures.hpp:47 store: release -> relaxed",
               "a hint: the lock of the shard orders the chain");
WEIR_EXPLAINED(closure_meets_a_thread_that_becomes_spare, "closures.hpp:54 load: acquire -> relaxed", "the same");
WEIR_EXPLAINED(closure_meets_a_thread_that_becomes_spare, "closures.hpp:57 store: release -> relaxed", "the same");
WEIR_EXPLAINED(closure_meets_a_thread_that_becomes_spare, "closures.hpp:67 load: acquire -> relaxed", "the same");
