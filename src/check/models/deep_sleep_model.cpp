// SPDX-License-Identifier: Apache-2.0

// Two looks across a fence: work is pushed while the monitor goes to sleep, and while a call that is expected to take long
// begins. A queue is a counter; runtime_core::wake_one(), monitor::sleep_deeply() and worker::start_long_call() take the
// same steps in the same order.

#include "base/parker.hpp"
#include "sched/call_word.hpp"
#include "sched/deep_sleep.hpp"
#include "sched/long_calls.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using namespace weir::rt;
using enum std::memory_order;

namespace {

void push(check::atomic<int>& queue) {
  queue.fetch_add(1, relaxed);
  if (!check::is_mutated("the publisher has no fence")) check::fence(seq_cst);
}

} // namespace

WEIR_MODEL(deep_sleep_leaves_no_demand_behind) {
  deep_sleep sleep;
  parker sleeper;
  check::atomic<int> queue{0};
  const unsigned publisher = m.spawn("publisher", [&] {
    push(queue);
    const bool has_ended = sleep.end();
    m.got(has_ended ? 1 : 0);
    if (has_ended) sleeper.unpark();
  });
  int parks = 0;
  bool has_seen = check::is_mutated("the monitor looks before it goes to sleep") && queue.load(relaxed) != 0;
  while (!has_seen) {
    sleep.begin();
    if (check::is_mutated("the monitor looks before it goes to sleep") || queue.load(relaxed) == 0) {
      sleeper.park();
      ++parks;
    }
    sleep.leave();
    has_seen = queue.load(relaxed) != 0;
  }
  m.join_all();
  m.require(!sleep.is_on(), "the monitor is awake");
  m.require(parks == 0 || m.has_got(publisher, 1), "only who has ended the sleep wakes the monitor");
  m.sometimes("the monitor sees the task before it sleeps", parks == 0);
  m.sometimes("the monitor is woken", parks == 1);
}
WEIR_MUTATIONS(deep_sleep_leaves_no_demand_behind, "the publisher has no fence",
               "the monitor looks before it goes to sleep");

// One of several publishers ends the sleep.
WEIR_MODEL(deep_sleep_is_ended_once) {
  deep_sleep sleep;
  sleep.begin();
  check::atomic<int> ended{0};
  for (int at = 0; at != 2; ++at) {
    m.spawn("publisher", [&] {
      if (sleep.end()) ended.fetch_add(1, relaxed);
    });
  }
  m.join_all();
  m.require(ended.load(relaxed) == 1, "the monitor is woken once");
}

// The publisher takes the call's permit for a worker that runs the task, or the caller gives it away itself.
WEIR_MODEL(long_calls_keep_no_permit_from_work) {
  permit_word word{call_word{permit_phase::run, 1, 0}.pack()};
  long_call_count calls;
  check::atomic<int> queue{0};
  check::atomic<int> taken{0};
  const auto take = [&](std::uint16_t receiver) { // runtime_core::take_long_call()
    const call_word seen = call_word::unpack(word.load(relaxed));
    if (seen.phase != permit_phase::long_call || !take_call(word, seen, receiver)) return;
    calls.subtract();
    taken.fetch_add(1, relaxed);
  };
  m.spawn("publisher", [&] {
    push(queue);
    if (calls.size() != 0) take(2);
  });
  const bool counts_first = check::is_mutated("a call is counted before it begins");
  if (counts_first) calls.add();
  static_cast<void>(begin_call(word, permit_phase::long_call));
  if (!counts_first) calls.add();
  if (queue.load(relaxed) != 0) take(3);
  m.join_all();
  m.require(taken.load(relaxed) == 1, "the permit goes to the task, once");
  m.require(calls.size() == 0, "who takes the call subtracts it");
  m.sometimes("the publisher takes the call", call_word::unpack(word.load(relaxed)).worker == 2);
  m.sometimes("the caller gives its permit away", call_word::unpack(word.load(relaxed)).worker == 3);
}
WEIR_MUTATIONS(long_calls_keep_no_permit_from_work, "the publisher has no fence", "a call is counted before it begins");
