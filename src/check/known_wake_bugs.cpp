// SPDX-License-Identifier: Apache-2.0

// Known bugs of sleeping and waking, and of the bookkeeping around it.

#include "check/known_bugs.hpp"

#include <array>

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/futex.hpp>

namespace weir::check::detail {

namespace {

using enum std::memory_order;
using word = atomic<std::uint32_t>;

void ring(word& bell) {
  bell.store(1, release);
  futex_wake(bell);
}

void await(word& bell) {
  while (bell.load(acquire) == 0) futex_wait(bell, 0);
}

// While somebody searches nobody is woken, so the last one to stop has to look once more.
void last_searcher(model& m, bool is_right) {
  atomic<int> queued{0};
  atomic<int> searching{1};
  word bell{0};
  m.spawn("worker", [&] {
    if (queued.load(seq_cst) != 0) return;
    searching.fetch_sub(1, seq_cst);
    if (is_right && queued.load(seq_cst) != 0) return;
    await(bell);
  });
  queued.store(1, seq_cst);
  if (searching.load(seq_cst) == 0) {
    ring(bell);
  } else {
    m.join_all(); // a search that is under way finds it
  }
  m.join_all();
}

void looks_before_it_counts_as_asleep(model& m, bool is_right) {
  atomic<int> queued{0};
  atomic<int> asleep{0};
  word bell{0};
  m.spawn("worker", [&] {
    if (!is_right && queued.load(seq_cst) != 0) return;
    asleep.fetch_add(1, seq_cst);
    if (is_right && queued.load(seq_cst) != 0) return;
    await(bell);
  });
  queued.store(1, seq_cst);
  if (asleep.load(seq_cst) != 0) ring(bell);
  m.join_all();
}

// The task that is next goes to the queue when another one takes its place, and then somebody else has to know.
void next_slot_was_full(model& m, bool is_right) {
  atomic<int> next{1};
  atomic<int> queued{0};
  atomic<int> is_done{0};
  word bell{0};
  m.spawn("other worker", [&] {
    await(bell);
    if (queued.exchange(0, acquire) == 1) is_done.store(1, release);
  });
  queued.store(next.exchange(2, relaxed), release);
  if (is_right) ring(bell);
  while (is_done.load(acquire) == 0) spin_hint(); // task 2 waits for task 1
  m.join_all();
}

void epoch_that_wraps(model& m, bool is_right) {
  const std::uint32_t epochs = is_right ? 8 : 2;
  atomic<int> work{0};
  word epoch{0};
  m.spawn("waiter", [&] {
    for (;;) {
      const std::uint32_t seen = epoch.load(acquire);
      if (work.load(acquire) != 0) return;
      futex_wait(epoch, seen);
    }
  });
  for (int round = 0; round < 2; ++round) {
    if (round == 1) work.store(1, release);
    epoch.store((epoch.load(relaxed) + 1) % epochs, release);
    futex_wake(epoch);
  }
  m.join_all();
}

// Who takes back that it waits may have been counted out already.
void cancel_counts_twice(model& m, bool is_right) {
  atomic<int> waiters{0};
  atomic<int> work{0};
  word signals{0};
  const auto cancel = [&] {
    if (!is_right) {
      waiters.fetch_sub(1, seq_cst);
      return;
    }
    for (int seen = waiters.load(seq_cst); seen > 0;)
      if (waiters.compare_exchange_strong(seen, seen - 1, seq_cst, seq_cst)) return;
  };
  const auto notify = [&] {
    if (const int count = waiters.exchange(0, seq_cst); count > 0) {
      signals.fetch_add(static_cast<std::uint32_t>(count), seq_cst);
      futex_wake(signals, 2);
    }
  };
  m.spawn("canceller", [&] {
    waiters.fetch_add(1, seq_cst);
    cancel();
  });
  notify(); // for something else
  m.join(1);
  m.spawn("waiter", [&] {
    const std::uint32_t seen = signals.load(seq_cst);
    waiters.fetch_add(1, seq_cst);
    if (work.load(seq_cst) != 0) return;
    while (signals.load(seq_cst) == seen) futex_wait(signals, seen);
  });
  work.store(1, seq_cst);
  notify();
  m.join_all();
}

// A signal belongs to those who waited when it was given.
void later_waiter_steals(model& m, bool is_right) {
  word signals{0};
  atomic<std::uint32_t> tickets{0};
  const auto wait = [&] {
    const std::uint32_t mine = tickets.fetch_add(1, acq_rel);
    for (std::uint32_t seen = signals.load(acquire);; seen = signals.load(acquire)) {
      if (is_right ? seen > mine : seen > 0 && signals.compare_exchange_strong(seen, seen - 1, acq_rel, acquire))
        return;
      futex_wait(signals, seen);
    }
  };
  const auto signal = [&] {
    signals.fetch_add(1, release);
    futex_wake(signals, 2);
  };
  const unsigned first = m.spawn("first", wait);
  while (tickets.load(acquire) == 0) spin_hint();
  signal();
  m.spawn("second", wait);
  m.join(first); // it was there when the signal came
  signal();
  m.join_all();
}

// A worker that is woken for a task of its own leaves the set of the idle ones, or it is chosen once more while another
// one sleeps.
void woken_outside_of_the_set(model& m, bool is_right) {
  atomic<unsigned> idle{3};
  atomic<int> queued{0};
  atomic<int> is_done{0};
  word bells[2] = {word{0}, word{0}};
  m.spawn("pinned", [&] {
    await(bells[0]);
    while (is_done.load(acquire) == 0) spin_hint(); // its task waits for the other
  });
  m.spawn("other", [&] {
    await(bells[1]);
    if (queued.exchange(0, acquire) != 0) is_done.store(1, release);
  });
  if (is_right) idle.fetch_and(~1U, acq_rel);
  ring(bells[0]);
  queued.store(1, release);
  const unsigned chosen = (idle.load(acquire) & 1U) != 0 ? 0 : 1;
  idle.fetch_and(~(1U << chosen), acq_rel);
  ring(bells[chosen]);
  m.join_all();
}

// An idle thread whose time is up was counted a moment ago.
void idle_thread_times_out(model& m, bool is_right) {
  atomic<int> queued{0};
  atomic<int> idle{1};
  atomic<int> runs{0};
  word bell{0};
  const auto run = [&] {
    if (queued.exchange(0, seq_cst) != 0) runs.fetch_add(1, relaxed);
  };
  m.spawn("pool thread", [&] {
    while (bell.load(acquire) == 0) {
      if (futex_wait(bell, 0, true)) continue;
      idle.fetch_sub(1, seq_cst);
      if (is_right) run();
      return;
    }
    run();
  });
  queued.store(1, seq_cst);
  if (idle.load(seq_cst) != 0) {
    ring(bell);
  } else {
    run(); // as a new thread would
  }
  m.join_all();
  m.require(runs.load(relaxed) == 1, "the task runs");
}

void thread_that_could_not_be_made(model& m, bool is_right) {
  atomic<int> runs{0};
  if (m.choose(2) == 0) {
    m.spawn("new thread", [&] { runs.fetch_add(1, relaxed); });
  } else if (is_right) {
    runs.fetch_add(1, relaxed);
  }
  m.join_all();
  m.require(runs.load(relaxed) == 1, "the task runs");
}

constexpr std::array bugs{
    known_bug{"a last searcher that does not look again", last_searcher},
    known_bug{"a worker that looks before it counts as asleep", looks_before_it_counts_as_asleep},
    known_bug{"a full next slot without a wake", next_slot_was_full},
    known_bug{"an epoch that wraps", epoch_that_wraps},
    known_bug{"a cancelled wait that is counted out twice", cancel_counts_twice},
    known_bug{"a later waiter that steals a signal", later_waiter_steals},
    known_bug{"a wake outside of the idle set", woken_outside_of_the_set},
    known_bug{"an idle thread that times out with a task", idle_thread_times_out},
    known_bug{"a thread that could not be made", thread_that_could_not_be_made},
};

} // namespace

std::span<const known_bug> known_wake_bugs() { return bugs; }

} // namespace weir::check::detail
