// SPDX-License-Identifier: Apache-2.0

// A call ends or loses its permit, never both; and no caller waits for a permit beside one that is free.

#include "sched/call_word.hpp"
#include "sched/idle.hpp"
#include "sched/return_queue.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using namespace weir::rt;

namespace {

struct model_permit {};
struct model_worker {
  model_worker* next_returner = nullptr;
  bool has_permit = false;
};
using model_queue = return_queue<model_worker, model_permit>;

} // namespace

// The queue of a permit is the holder's until the call, and the taker's from then on. The taker may have read the word of the
// first call and come when the second is under way.
WEIR_MODEL(call_word_return_against_taker) {
  permit_word word{call_word{permit_phase::run, 1, 0}.pack()};
  check::cell<int> queue{0};
  std::uint64_t taken = 0;
  std::uint64_t ended = 0;
  m.spawn("taker", [&] {
    call_word seen = call_word::unpack(word.load(std::memory_order::relaxed));
    if (!is_call(seen.phase) || !take_call(word, seen, 2)) return;
    taken = seen.generation;
    m.require(queue.get() == static_cast<int>(taken), "the taker sees what the call's holder left");
    queue.set(-1);
  });
  for (int call = 1; call != 3; ++call) {
    queue.set(call);
    std::uint64_t mine = begin_call(word, permit_phase::call);
    if (!end_call(word, mine)) break;
    ended = call_word::unpack(mine).generation;
    m.require(queue.get() == call, "the queue is the holder's again");
  }
  m.join_all();
  m.require(taken == 0 ? ended == 2 : ended + 1 == taken, "each call has ended or was taken, and not both");
  m.sometimes("the first call is taken", taken == 1);
  m.sometimes("the second call is taken", taken == 2);
  m.sometimes("both calls end", taken == 0);
}

WEIR_MODEL(call_word_two_takers) {
  permit_word word{call_word{permit_phase::run, 1, 0}.pack()};
  check::cell<int> queue{0};
  int takes[2] = {0, 0};
  queue.set(1);
  std::uint64_t mine = begin_call(word, permit_phase::long_call);
  for (int& mark : takes) {
    m.spawn("taker", [&] {
      call_word seen = call_word::unpack(word.load(std::memory_order::relaxed));
      if (!is_call(seen.phase) || !take_call(word, seen, static_cast<std::uint16_t>(2 + (&mark - takes)))) return;
      mark = 1;
      queue.set(queue.get() + 1);
    });
  }
  bool has_ended = end_call(word, mine);
  m.join_all();
  m.require(takes[0] + takes[1] + (has_ended ? 1 : 0) == 1, "one of the three has the permit");
  m.sometimes("a taker wins", !has_ended);
  m.sometimes("the holder wins", has_ended);
}

namespace {

// What runtime_core does on both sides of return_queue.hpp O1, with one permit.
struct model_core {
  idle_set idle{1};
  model_queue returners;
  model_permit the_permit;

  model_permit* claim() { return idle.claim_any() ? &the_permit : nullptr; }
  void serve() {
    returners.serve([&] { return claim(); }, [](model_worker& head, model_permit&) { head.has_permit = true; });
  }
  void go_idle() {
    idle.set_free(0);
    weir::detail::seq_cst_fence();
    if (returners.size() != 0) serve();
  }
  void take_back(model_worker& self) {
    if (returners.claim_or_enqueue(self, [&] { return claim(); }) != nullptr) {
      self.has_permit = true;
      return;
    }
    weir::detail::seq_cst_fence();
    serve();
  }
};

} // namespace

WEIR_MODEL(return_queue_meets_a_permit_that_becomes_free) {
  model_core core;
  model_worker returner;
  core.idle.claim(0); // held
  m.spawn("holder", [&] { core.go_idle(); });
  core.take_back(returner);
  m.join_all();
  m.require(returner.has_permit, "a returner never waits beside a free permit");
  m.require(core.returners.size() == 0 && !core.idle.has_free(), "one permit has one owner");
}

WEIR_MODEL(return_queue_serves_in_order) {
  model_core core;
  model_worker workers[2];
  core.idle.claim(0);
  core.take_back(workers[0]);
  m.spawn("holder", [&] { core.go_idle(); });
  core.take_back(workers[1]);
  m.join_all();
  m.require(workers[0].has_permit, "the first in the queue is served first");
  m.require(!workers[1].has_permit, "one permit has one owner");
}
