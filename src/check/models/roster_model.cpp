// SPDX-License-Identifier: Apache-2.0

// Every thread of a runtime ends with it, whoever makes one or puts one back at the very end: the monitor, or a thread
// from outside. The shipped source is sched/roster.hpp with the list of spare threads; the threads and their handles are
// the model's.

#include "base/parker.hpp"
#include "sched/roster.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/mutex.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using namespace weir::rt;
using enum std::memory_order;

namespace {

struct model_handle {
  check::model* model = nullptr;
  unsigned thread = 0;
  const check::atomic<int>* lives_over = nullptr; // of the worker
  int life = 0;
  bool joinable = false;

  [[nodiscard]] bool is_joinable() const noexcept { return joinable; }
  bool join_until(instant deadline) {
    if (!deadline.is_never() && lives_over->load(acquire) < life) return false;
    if (deadline.is_never()) model->join(thread);
    joinable = false;
    return true;
  }
  void detach() noexcept { joinable = false; }
};

struct model_worker : spare_thread {
  model_handle thread;
  int lives = 0; // that were started
  check::atomic<int> lives_over{0};
  check::atomic<int> is_retired{0};
  check::cell<int> own{0}; // the thread's
  parker sleep;
  bool spins = false; // instead; the parker has models of its own

  void wake() {
    if (!spins) sleep.unpark();
  }
  void retire() {
    is_retired.store(1, relaxed);
    wake();
  }
  bool take_retired() {
    if (is_retired.load(relaxed) == 0) return false;
    is_retired.store(0, relaxed);
    return true;
  }
};

struct runtime_end {
  check::model& m;
  const bool spins;
  roster<model_worker, check::mutex> books{2};

  explicit runtime_end(check::model& model, bool has_spinning = true) : m(model), spins(has_spinning) {}

  model_worker* make() {
    auto made = books.start([](std::size_t) { return std::make_unique<model_worker>(); },
                            [&](model_worker& at) -> std::expected<model_handle, int> {
                              at.spins = spins;
                              const unsigned thread = m.spawn("worker", [this, &at] { live(at); });
                              return model_handle{&m, thread, &at.lives_over, ++at.lives, true};
                            });
    return made ? *made : nullptr;
  }

  void live(model_worker& self) {
    self.own.set(1);
    while (!books.is_ending() && !self.take_retired()) {
      if (spins) {
        check::spin_hint();
      } else {
        self.sleep.park();
      }
    }
    self.own.set(2);
    if (check::is_mutated("a thread that has ended is put among the spares")) books.spares().withdraw(self);
    books.note_end(self);
    self.lives_over.fetch_add(1, release);
  }

  // What takes a thread for work that then is not there any more.
  void reserve_in_vain() {
    model_worker* taken = books.spares().take();
    if (taken == nullptr) taken = make();
    if (taken != nullptr) books.put_back(*taken, spare_place::cold, {});
  }

  void end() {
    if (check::is_mutated("a thread is made at the very end")) {
      books.spares().close();
      books.set_ending();
    } else if (check::is_mutated("a thread that has ended is put among the spares")) {
      books.close_creation();
      books.set_ending();
    } else if (check::is_mutated("threads are told before none is made")) {
      books.spares().close();
      books.set_ending();
      books.close_creation();
    } else {
      books.end();
    }
  }

  // As runtime_core::shut_down() does.
  void shut_down(std::initializer_list<unsigned> joined) {
    books.wait_for_end(instant::never());
    for (const unsigned creator : joined) m.join(creator);
    books.join(instant::never());
    m.require(books.live() == 0 && books.ended() == books.spawned(), "every thread that was made has ended");
    m.require(books.spares().size() == 0, "no thread that has ended is among the spares");
  }
};

} // namespace

// The monitor makes a thread for a call, and the call has ended.
WEIR_MODEL(roster_monitor_makes_a_thread_at_the_end) {
  runtime_end world(m, false);
  const unsigned monitor = m.spawn("monitor", [&] { world.reserve_in_vain(); });
  world.end();
  world.shut_down({monitor});
  m.sometimes("the thread is made in time", world.books.spawned() == 1);
  m.sometimes("no thread is made", world.books.spawned() == 0);
}
WEIR_MUTATIONS(roster_monitor_makes_a_thread_at_the_end, "a thread is made at the very end");

// Somebody has taken the spare thread while it is told to end, and gives it back.
WEIR_MODEL(roster_spare_thread_is_put_back_at_the_end) {
  runtime_end world(m);
  world.books.put_back(*world.make(), spare_place::cold, {});
  const unsigned user = m.spawn("user", [&] {
    if (model_worker* taken = world.books.spares().take()) {
      m.sometimes("the spare is taken", true);
      world.books.put_back(*taken, spare_place::cold, {});
    }
  });
  world.end();
  m.join(user);
  world.shut_down({});
}
WEIR_MUTATIONS(roster_spare_thread_is_put_back_at_the_end, "a thread that has ended is put among the spares");

// Nobody joins a thread from outside that spawns a closure; the one who shuts the runtime down is not the one who ends it.
WEIR_MODEL(roster_another_thread_ends_the_runtime) {
  runtime_end world(m);
  static_cast<void>(world.make());
  const unsigned creator = m.spawn("creator", [&] { static_cast<void>(world.make()); });
  const unsigned closer = m.spawn("closer", [&] { world.end(); });
  world.shut_down({});
  m.join(creator);
  m.join(closer);
}
WEIR_MODEL_OPTIONS(roster_another_thread_ends_the_runtime, {.max_executions = 100'000});
WEIR_MUTATIONS(roster_another_thread_ends_the_runtime, "threads are told before none is made",
               "a thread is made at the very end");

// A spare thread is retired, and the next one may get its object.
WEIR_MODEL(roster_number_is_used_again) {
  runtime_end world(m);
  model_worker* first = world.make();
  first->retire();
  model_worker* second = world.make();
  m.sometimes("the object is used again", second == first);
  m.sometimes("the first thread has not ended yet", second != first);
  world.end();
  world.shut_down({});
}

// Counts of threads, read while they start and end.
WEIR_MODEL(roster_counts_are_consistent) {
  runtime_end world(m);
  m.spawn("closer", [&] {
    static_cast<void>(world.make());
    world.end();
  });
  const std::size_t ended = world.books.ended();
  m.require(ended <= world.books.spawned(), "no more threads have ended than were made");
  m.sometimes("the thread has ended", ended == 1);
  m.join_all();
  world.shut_down({});
}

WEIR_EXPLAINED(roster_another_thread_ends_the_runtime, "roster.hpp:99 load: acquire -> relaxed",
               "a thread would have to lock before end() did and end because of it: load buffering, which the language "
               "allows and the checker leaves out");
WEIR_EXPLAINED(roster_another_thread_ends_the_runtime, "roster.hpp:107 exchange: release -> relaxed",
               "the same, on the other side");
WEIR_EXPLAINED(roster_another_thread_ends_the_runtime, "roster.hpp:119 fetch_sub: release -> relaxed",
               "join() would have to lock before a thread whose end it has seen did: load buffering again");
WEIR_EXPLAINED(roster_another_thread_ends_the_runtime, "roster.hpp:125 load: acquire -> relaxed",
               "the same, on the other side");
