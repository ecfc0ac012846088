// SPDX-License-Identifier: Apache-2.0

// Bugs that were made in earnest, each in a small model of its own with a twin that is right. The checker has to find
// every one, raise no alarm on any twin, and replay what it found.

#include "check/known_bugs.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/futex.hpp>
#include <weir/check/model.hpp>

namespace check = weir::check;
using check::atomic;
using check::cell;
using check::fence;
using check::model;
using check::spin_hint;
using enum std::memory_order;

namespace {

using check::detail::known_bug;

// Two threads go through `enter`, a counter and `leave`; the counter says whether they excluded each other.
template <class Enter, class Leave> void exclusion(model& m, Enter enter, Leave leave) {
  cell<int> count{0};
  for (int self = 0; self < 2; ++self)
    m.spawn("worker", [&, self] {
      enter(self);
      count.set(count.get() + 1);
      leave(self);
    });
  m.join_all();
  m.require(count.get() == 2, "no increment is lost");
}

void peterson(model& m, bool is_right) {
  atomic<bool> wants[2];
  atomic<int> turn{0};
  const auto order = is_right ? seq_cst : release;
  exclusion(
      m,
      [&](int self) {
        wants[self].store(true, order);
        turn.exchange(1 - self, is_right ? seq_cst : relaxed);
        while (wants[1 - self].load(is_right ? seq_cst : acquire) &&
               turn.load(is_right ? seq_cst : acquire) == 1 - self)
          spin_hint();
      },
      [&](int self) { wants[self].store(false, release); });
}

void dekker_try(model& m, bool is_right) {
  atomic<bool> wants[2];
  cell<int> data{0};
  for (int self = 0; self < 2; ++self)
    m.spawn("worker", [&, self] {
      wants[self].store(true, relaxed);
      if (is_right) fence(seq_cst);
      if (!wants[1 - self].load(relaxed)) data.set(self);
    });
  m.join_all();
}

void spsc_ring(model& m, bool is_right) {
  cell<int> slots[2];
  atomic<unsigned> head{0};
  atomic<unsigned> tail{0};
  m.spawn("producer", [&] {
    for (unsigned at = 0; at < 3; ++at) {
      while (at - head.load(acquire) == 2) spin_hint();
      slots[at % 2].set(static_cast<int>(at));
      tail.store(at + 1, release);
    }
  });
  for (unsigned at = 0; at < 3; ++at) {
    while (tail.load(acquire) == at) spin_hint();
    m.require(slots[at % 2].get() == static_cast<int>(at), "in order");
    head.store(at + 1, is_right ? release : relaxed);
  }
  m.join_all();
}

void double_checked_init(model& m, bool is_right) {
  atomic<bool> is_ready{false};
  atomic<bool> is_locked{false};
  cell<int> value{0};
  for (int self = 0; self < 2; ++self)
    m.spawn("user", [&] {
      if (!is_ready.load(is_right ? acquire : relaxed)) {
        while (is_locked.exchange(true, acquire)) spin_hint();
        if (!is_ready.load(relaxed)) {
          value.set(7);
          is_ready.store(true, release);
        }
        is_locked.store(false, release);
      }
      m.require(value.get() == 7, "it is initialised");
    });
  m.join_all();
}

void ticket_lock(model& m, bool is_right) {
  atomic<unsigned> next{0};
  atomic<unsigned> serving{0};
  exclusion(
      m,
      [&](int) {
        const unsigned ticket = next.fetch_add(1, relaxed);
        while (serving.load(is_right ? acquire : relaxed) != ticket) spin_hint();
      },
      [&](int) { serving.store(serving.load(relaxed) + 1, release); });
}

void mcs_lock(model& m, bool is_right) {
  struct node {
    atomic<node*> next{nullptr};
    atomic<bool> waits{false};
  };
  node nodes[2];
  atomic<node*> tail{nullptr};
  exclusion(
      m,
      [&](int self) {
        node& mine = nodes[self];
        node* const before = tail.exchange(&mine, acq_rel);
        if (before == nullptr) return;
        mine.waits.store(true, relaxed);
        before->next.store(&mine, is_right ? release : relaxed);
        while (mine.waits.load(acquire)) spin_hint();
      },
      [&](int self) {
        node& mine = nodes[self];
        node* expected = &mine;
        if (mine.next.load(acquire) == nullptr && tail.compare_exchange_strong(expected, nullptr, release, relaxed))
          return;
        while (mine.next.load(acquire) == nullptr) spin_hint();
        mine.next.load(acquire)->waits.store(false, release);
      });
}

// Nodes 1 and 2 are linked through next[]; with a tag above the number, a node that came back is told from one that
// never left.
void treiber_aba(model& m, bool is_right) {
  atomic<unsigned> head{1};
  atomic<unsigned> next[3] = {atomic<unsigned>{0}, atomic<unsigned>{2}, atomic<unsigned>{0}};
  atomic<int> owners[3];
  const unsigned tag = is_right ? 16 : 0;
  const auto pop = [&]() -> unsigned {
    for (unsigned seen = head.load(acquire);;) {
      if (seen % 16 == 0) return 0;
      const unsigned after = next[seen % 16].load(relaxed) + (seen / 16 * 16) + tag;
      if (head.compare_exchange_strong(seen, after, acq_rel, acquire)) return seen % 16;
    }
  };
  m.spawn("one", [&] {
    if (const unsigned got = pop()) owners[got].fetch_add(1, relaxed);
  });
  m.spawn("two", [&] {
    const unsigned first = pop();
    const unsigned second = pop();
    if (second != 0) owners[second].fetch_add(1, relaxed);
    if (first == 0) return;
    for (unsigned seen = head.load(relaxed);;) {
      next[first].store(seen % 16, relaxed);
      if (head.compare_exchange_strong(seen, first + (seen / 16 * 16) + tag, release, relaxed)) break;
    }
  });
  m.join_all();
  for (unsigned left = pop(); left != 0; left = pop()) owners[left].fetch_add(1, relaxed);
  m.require(owners[1].load(relaxed) == 1 && owners[2].load(relaxed) == 1, "each node has one owner");
}

void seqlock(model& m, bool is_right) {
  atomic<unsigned> sequence{0};
  atomic<int> low{0};
  atomic<int> high{0};
  m.spawn("writer", [&] {
    sequence.store(1, relaxed);
    if (is_right) fence(release);
    low.store(1, relaxed);
    high.store(1, relaxed);
    sequence.store(2, release);
  });
  const unsigned before = sequence.load(acquire);
  const int seen_low = low.load(relaxed);
  const int seen_high = high.load(relaxed);
  fence(acquire);
  const unsigned after = sequence.load(relaxed);
  if (before == after && before % 2 == 0) m.require(seen_low == seen_high, "no torn read");
  m.join_all();
}

void reference_count(model& m, bool is_right) {
  atomic<int> references{2};
  auto object = std::make_unique<cell<int>>(0);
  const auto drop = [&] {
    if (references.fetch_sub(1, is_right ? acq_rel : release) == 1) object.reset();
  };
  m.spawn("other", [&] {
    static_cast<void>(object->get());
    drop();
  });
  static_cast<void>(object->get());
  drop();
  m.join_all();
}

void publication(model& m, bool is_right) {
  atomic<cell<int>*> current{nullptr};
  auto fresh = std::make_unique<cell<int>>();
  m.spawn("writer", [&] {
    fresh->set(1);
    current.store(fresh.get(), is_right ? release : relaxed);
  });
  if (cell<int>* const seen = current.load(acquire)) m.require(seen->get() == 1, "what was published is whole");
  m.join_all();
}

// Owner: push 2, take 2. Thief: steal 2. Too small a model would not show the double take.
void chase_lev_take(model& m, bool is_right) {
  atomic<int> top{0};
  atomic<int> bottom{0};
  atomic<int> slots[2];
  const auto push = [&](int value) {
    const int at = bottom.load(relaxed);
    slots[at].store(value, relaxed);
    fence(release);
    bottom.store(at + 1, relaxed);
  };
  const auto take = [&] {
    const int at = bottom.load(relaxed) - 1;
    bottom.store(at, relaxed);
    if (is_right) fence(seq_cst);
    int oldest = top.load(relaxed);
    if (oldest <= at) {
      const int value = slots[at].load(relaxed);
      if (oldest != at) return m.got(value);
      if (top.compare_exchange_strong(oldest, oldest + 1, seq_cst, relaxed)) m.got(value);
    }
    bottom.store(at + 1, relaxed);
  };
  const auto steal = [&] {
    int oldest = top.load(acquire);
    fence(seq_cst);
    if (oldest >= bottom.load(acquire)) return;
    const int value = slots[oldest].load(relaxed);
    if (top.compare_exchange_strong(oldest, oldest + 1, seq_cst, relaxed)) m.got(value);
  };
  m.spawn("owner", [&] {
    push(1);
    push(2);
    take();
    take();
  });
  m.spawn("thief", [&] {
    steal();
    steal();
  });
  m.join_all();
  steal();
  steal();
  m.expect_each_once({1, 2});
}

void linked_queue(model& m, bool is_right) {
  struct node {
    cell<int> value{0};
    atomic<node*> next{nullptr};
  };
  node nodes[3];
  atomic<node*> tail{&nodes[0]};
  for (int self = 1; self < 3; ++self)
    m.spawn("producer", [&, self] {
      nodes[self].value.set(self);
      tail.exchange(&nodes[self], acq_rel)->next.store(&nodes[self], is_right ? release : relaxed);
    });
  node* at = &nodes[0];
  for (int taken = 0; taken < 2; ++taken) {
    while (at->next.load(acquire) == nullptr) spin_hint();
    at = at->next.load(acquire);
    m.got(at->value.get());
  }
  m.join_all();
  m.expect_each_once({1, 2});
}

// Whoever notifies looks for sleepers behind a fence, or misses one that has just looked at the queue.
void notifier_fence(model& m, bool is_right) {
  atomic<int> work{0};
  atomic<int> sleepers{0};
  atomic<std::uint32_t> epoch{0};
  m.spawn("sleeper", [&] {
    for (;;) {
      const std::uint32_t seen = epoch.load(acquire);
      sleepers.exchange(1, seq_cst);
      fence(seq_cst);
      if (work.load(relaxed) != 0) break;
      check::futex_wait(epoch, seen);
    }
  });
  work.store(1, relaxed);
  if (is_right) fence(seq_cst);
  if (sleepers.load(relaxed) != 0) {
    epoch.fetch_add(1, release);
    check::futex_wake(epoch);
  }
  m.join_all();
}

// A seq_cst load is no substitute for a fence or a read-modify-write.
void idle_count(model& m, bool is_right) {
  atomic<int> queued{0};
  atomic<int> idle{0};
  atomic<std::uint32_t> wake{0};
  m.spawn("worker", [&] {
    idle.fetch_add(1, seq_cst);
    if (queued.load(seq_cst) != 0) return;
    while (wake.load(acquire) == 0) check::futex_wait(wake, 0);
  });
  queued.store(1, is_right ? seq_cst : release);
  if (idle.load(seq_cst) != 0) {
    wake.store(1, release);
    check::futex_wake(wake);
  }
  m.join_all();
  m.require(true, "the worker has seen the work or was woken");
}

void mutex_unlock(model& m, bool is_right) {
  atomic<std::uint32_t> word{0};
  exclusion(
      m,
      [&](int) {
        std::uint32_t seen = 0;
        if (word.compare_exchange_strong(seen, 1, acquire, relaxed)) return;
        while (word.exchange(2, acquire) != 0) check::futex_wait(word, 2);
      },
      [&](int) {
        if (!is_right) return word.store(0, release);
        if (word.exchange(0, release) == 2) check::futex_wake(word);
      });
}

void latch_touch(model& m, bool is_right) {
  struct latch {
    atomic<int> left{2};
    atomic<int> finished{0};
  };
  auto word = std::make_unique<latch>();
  m.spawn("finisher", [&, at = word.get()] {
    if (is_right) at->finished.fetch_add(1, relaxed);
    at->left.fetch_sub(1, acq_rel);
    if (!is_right) at->finished.fetch_add(1, relaxed);
  });
  word->left.fetch_sub(1, acq_rel);
  while (word->left.load(acquire) != 0) spin_hint();
  word.reset();
  m.join_all();
}

void hazard_pointer(model& m, bool is_right) {
  atomic<int> current{1}; // object 1 is replaced by object 2
  atomic<int> hazard{0};
  cell<int> object{5};
  m.spawn("reader", [&] {
    const int seen = current.load(relaxed);
    hazard.store(seen, relaxed);
    if (is_right) fence(seq_cst);
    if (seen == 1 && current.load(acquire) == 1) static_cast<void>(object.get());
    hazard.store(0, release);
  });
  current.store(2, release);
  fence(seq_cst);
  while (hazard.load(acquire) == 1) spin_hint();
  object.set(0); // freed
  m.join_all();
}

void cancel_or_complete(model& m, bool is_right) {
  atomic<int> state{0};
  atomic<int> outcomes{0};
  const auto claim = [&](int mine) {
    int free = 0;
    if (is_right) {
      if (state.compare_exchange_strong(free, mine, acq_rel, relaxed)) outcomes.fetch_add(1, relaxed);
    } else if (state.load(acquire) == 0) {
      state.store(mine, release);
      outcomes.fetch_add(1, relaxed);
    }
  };
  m.spawn("canceller", [&] { claim(1); });
  claim(2);
  m.join_all();
  m.require(outcomes.load(relaxed) == 1, "exactly one outcome");
}

// A wake during a poll queues the task once more: bit 1 runs, bit 2 was woken.
void wake_during_poll(model& m, bool is_right) {
  atomic<unsigned> state{1};
  atomic<int> event{0};
  m.spawn("waker", [&] {
    event.store(1, release);
    state.fetch_or(2, acq_rel);
  });
  bool has_event = event.load(acquire) != 0; // the poll
  unsigned running = 1;
  if (is_right) {
    if (!state.compare_exchange_strong(running, 0, acq_rel, acquire)) has_event = event.load(acquire) != 0;
  } else {
    state.exchange(0, acq_rel); // clears the wake with the rest
  }
  m.join_all();
  m.require(has_event || state.load(relaxed) == 2, "the task has seen the event or is queued again");
}

void published_before_saved(model& m, bool is_right) {
  cell<int> saved{0};
  atomic<int> queue{0};
  m.spawn("suspends", [&] {
    if (is_right) saved.set(1);
    queue.store(1, release);
    if (!is_right) saved.set(1);
  });
  while (queue.load(acquire) == 0) spin_hint();
  m.require(saved.get() == 1, "the context is saved before somebody enters it");
  m.join_all();
}

constexpr std::array bugs{
    known_bug{"Peterson's lock with release and acquire", peterson},
    known_bug{"Dekker's flags without fences", dekker_try},
    known_bug{"a ring that gives slots back relaxed", spsc_ring},
    known_bug{"double-checked initialisation with a relaxed look", double_checked_init},
    known_bug{"a ticket lock with a relaxed wait", ticket_lock},
    known_bug{"an MCS lock that links relaxed", mcs_lock},
    known_bug{"a stack whose nodes come back, without a tag", treiber_aba},
    known_bug{"a seqlock without the writer's fence", seqlock},
    known_bug{"a reference count that does not acquire", reference_count},
    known_bug{"a relaxed publication", publication},
    known_bug{"a Chase-Lev deque without the fence in take", chase_lev_take},
    known_bug{"a linked queue that links relaxed", linked_queue},
    known_bug{"a notifier without a fence", notifier_fence},
    known_bug{"an idle count behind a release store", idle_count},
    known_bug{"a mutex whose unlock wakes nobody", mutex_unlock},
    known_bug{"a latch that is touched after the last count", latch_touch},
    known_bug{"a hazard pointer without a fence", hazard_pointer},
    known_bug{"an outcome claimed by load and store", cancel_or_complete},
    known_bug{"a poll that clears the wake it did not see", wake_during_poll},
    known_bug{"a context published before it is saved", published_before_saved},
};

std::vector<known_bug> all_bugs() {
  std::vector<known_bug> out(bugs.begin(), bugs.end());
  for (const auto more :
       {check::detail::known_queue_bugs(), check::detail::known_wake_bugs(), check::detail::known_lifetime_bugs()})
    out.insert(out.end(), more.begin(), more.end());
  return out;
}

check::model_options quick(check::engine_kind engine) {
  check::model_options options;
  options.engine = engine;
  options.suggests_fixes = false;
  return options;
}

} // namespace

TEST(known_bugs, each_is_found_within_a_minute_and_replays) {
  for (const known_bug& bug : all_bugs()) {
    const auto run = [&](model& m) { bug.run(m, false); };
    const auto start = std::chrono::steady_clock::now();
    const check::exploration found = check::explore(bug.name, run, quick(check::engine_kind::exhaustive));
    EXPECT_NE(found.failure, check::failure_kind::none) << bug.name << ": " << found.verdict;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(1)) << bug.name;
    for (int round = 0; round < 1'000 && found.failure != check::failure_kind::none; ++round) {
      const check::exploration again = check::replay(bug.name, run, found.replay_string);
      ASSERT_EQ(again.failure, found.failure) << bug.name << '\n' << found.report << again.report;
    }
  }
}

TEST(known_bugs, no_twin_raises_an_alarm) {
  for (const known_bug& bug : all_bugs()) {
    const check::exploration found = check::explore(bug.name, [&](model& m) { bug.run(m, true); });
    EXPECT_TRUE(found.passed()) << bug.name << ", repaired\n" << found.report << found.verdict;
  }
}

TEST(known_bugs, random_engines_find_nearly_all_and_raise_no_alarm_on_a_twin) {
  const auto all = all_bugs();
  for (const check::engine_kind engine :
       {check::engine_kind::pct, check::engine_kind::pos, check::engine_kind::random}) {
    std::size_t found = 0;
    for (const known_bug& bug : all) {
      check::model_options options = quick(engine);
      options.runs = 100'000;
      const auto run = [&](model& m) { bug.run(m, false); };
      const check::exploration broken = check::explore(bug.name, run, options);
      found += broken.failure != check::failure_kind::none ? 1 : 0;
      if (broken.failure == check::failure_kind::none)
        std::printf("%s misses %s\n", to_string(engine).data(), bug.name);
      for (int round = 0; round < 20 && broken.failure != check::failure_kind::none; ++round)
        ASSERT_EQ(check::replay(bug.name, run, broken.replay_string).failure, broken.failure) << bug.name;
      options.runs = 1'000;
      const check::exploration right = check::explore(bug.name, [&](model& m) { bug.run(m, true); }, options);
      EXPECT_TRUE(right.found_nothing()) << bug.name << ", repaired\n" << right.report << right.verdict;
    }
    EXPECT_GE(found * 10, all.size() * 9) << to_string(engine) << " finds " << found << " of " << all.size();
  }
}

TEST(known_bugs, the_bounded_engine_raises_no_alarm_on_a_twin) {
  std::size_t found = 0;
  for (const known_bug& bug : all_bugs()) {
    const check::model_options options = quick(check::engine_kind::bounded);
    const check::exploration broken = check::explore(bug.name, [&](model& m) { bug.run(m, false); }, options);
    found += broken.failure != check::failure_kind::none ? 1 : 0;
    const check::exploration right = check::explore(bug.name, [&](model& m) { bug.run(m, true); }, options);
    EXPECT_TRUE(right.found_nothing()) << bug.name << ", repaired\n" << right.report << right.verdict;
  }
  EXPECT_GE(found * 2, all_bugs().size()) << "those that need no stale value";
}
