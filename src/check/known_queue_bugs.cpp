// SPDX-License-Identifier: Apache-2.0

// Known bugs of locks, deques and queues.

#include "check/known_bugs.hpp"

#include <array>
#include <utility>

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/futex.hpp>

namespace weir::check::detail {

namespace {

using enum std::memory_order;

void clh_lock(model& m, bool is_right) {
  atomic<bool> is_locked[3];
  atomic<int> tail{2};
  cell<int> count{0};
  for (int self = 0; self < 2; ++self)
    m.spawn("worker", [&, self] {
      is_locked[self].store(true, relaxed);
      const int before = tail.exchange(self, acq_rel);
      while (is_locked[before].load(is_right ? acquire : relaxed)) spin_hint();
      count.set(count.get() + 1);
      is_locked[self].store(false, release);
    });
  m.join_all();
  m.require(count.get() == 2, "no increment is lost");
}

void seqlock_reader(model& m, bool is_right) {
  atomic<unsigned> sequence{0};
  atomic<int> low{0};
  atomic<int> high{0};
  m.spawn("writer", [&] {
    sequence.store(1, relaxed);
    fence(release);
    low.store(1, relaxed);
    high.store(1, relaxed);
    sequence.store(2, release);
  });
  const unsigned before = sequence.load(acquire);
  const int seen_low = low.load(relaxed);
  const int seen_high = high.load(relaxed);
  if (is_right) fence(acquire);
  const unsigned after = sequence.load(relaxed);
  if (before == after && before % 2 == 0) m.require(seen_low == seen_high, "no torn read");
  m.join_all();
}

// A thief that holds the array from before the deque grew reads a place of it that stands for another index now.
void growth_without_another_look(model& m, bool is_right) {
  struct array {
    int size;
    atomic<int> slots[4];
  };
  array small{.size = 2, .slots = {}};
  array large{.size = 4, .slots = {}};
  atomic<array*> current{&small};
  atomic<int> top{0};
  atomic<int> bottom{2};
  for (int at = 0; at < 2; ++at) small.slots[at].store(at + 1, relaxed);
  const auto steal = [&] {
    array* const seen = current.load(acquire);
    int oldest = top.load(acquire);
    fence(seq_cst);
    if (oldest >= bottom.load(acquire)) return;
    const int value = seen->slots[oldest % seen->size].load(relaxed);
    if (is_right && current.load(acquire) != seen) return;
    if (top.compare_exchange_strong(oldest, oldest + 1, seq_cst, relaxed)) m.got(value);
  };
  m.spawn("thief", steal);
  steal();
  steal();
  for (int at = 0; at < 2; ++at) large.slots[at].store(at + 1, relaxed);
  current.store(&large, release);
  large.slots[2].store(3, relaxed);
  bottom.store(3, release);
  m.join_all();
  for (int left = 0; left < 3; ++left) steal();
  m.expect_each_once({1, 2, 3});
}

void growth_published_relaxed(model& m, bool is_right) {
  struct array {
    cell<int> slots[2];
  };
  array small;
  array large;
  small.slots[0].set(1);
  atomic<array*> current{&small};
  m.spawn("thief", [&] { m.got(current.load(acquire)->slots[0].get()); });
  large.slots[0].set(1);
  current.store(&large, is_right ? release : relaxed);
  m.join_all();
  m.expect_each_once({1});
}

// The number of the round above the index tells a block that was filled again from one that never was away.
void block_without_a_round(model& m, bool is_right) {
  atomic<unsigned> head{0};
  atomic<int> slot{1};
  const unsigned round = is_right ? 16 : 0;
  const auto take = [&](unsigned& seen) {
    if (seen % 16 == 1) return;
    const int value = slot.load(acquire);
    if (head.compare_exchange_strong(seen, seen + 1, acq_rel, acquire)) m.got(value);
  };
  m.spawn("thief", [&] {
    unsigned seen = head.load(acquire);
    take(seen);
  });
  unsigned seen = head.load(acquire);
  take(seen);
  seen = head.load(acquire);
  if (seen % 16 == 1) { // empty: the block is filled again
    slot.store(2, release);
    head.store(seen - 1 + round, release);
  }
  m.join_all();
  seen = head.load(acquire);
  take(seen);
  m.expect_each_once({1, 2});
}

// Four places and indices of two bits: full looks like empty.
void indices_that_wrap(model& m, bool is_right) {
  const unsigned mask = is_right ? 7 : 3;
  atomic<int> slots[4];
  atomic<unsigned> head{0};
  atomic<unsigned> tail{0};
  const auto pop = [&] {
    const unsigned at = head.load(relaxed);
    if (tail.load(acquire) == at) return;
    m.got(slots[at % 4].load(relaxed));
    head.store((at + 1) & mask, release);
  };
  m.spawn("producer", [&] {
    for (int value = 1; value <= 4; ++value) {
      const unsigned at = tail.load(relaxed);
      slots[at % 4].store(value, relaxed);
      tail.store((at + 1) & mask, release);
    }
  });
  pop();
  m.join_all();
  for (int left = 0; left < 4; ++left) pop();
  m.expect_each_once({1, 2, 3, 4});
}

// Between a producer's exchange and its link the queue looks empty from the consumer's end. Only the producer that finds
// the stub rings, so a consumer that goes to sleep then is not woken.
void half_linked_is_not_empty(model& m, bool is_right) {
  atomic<int> next[3]; // of the stub and of two nodes
  atomic<int> tail{0};
  atomic<std::uint32_t> rings{0};
  for (int self = 1; self < 3; ++self)
    m.spawn("producer", [&, self] {
      const int before = tail.exchange(self, acq_rel);
      next[before].store(self, release);
      if (before != 0) return;
      rings.fetch_add(1, release);
      futex_wake(rings);
    });
  int at = 0;
  bool is_reset = false;
  for (int taken = 0; taken < 2;) {
    const std::uint32_t seen = rings.load(acquire);
    if (const int after = next[at].load(acquire)) {
      at = after;
      ++taken;
      continue;
    }
    if (at == 0) {
      futex_wait(rings, seen);
      continue;
    }
    if (!std::exchange(is_reset, true)) next[0].store(0, relaxed);
    int expected = at;
    if (tail.compare_exchange_strong(expected, 0, acq_rel, acquire)) {
      at = 0;
    } else if (is_right) {
      spin_hint();
    } else {
      futex_wait(rings, seen);
    }
  }
  m.join_all();
}

void ring_sequence_relaxed(model& m, bool is_right) {
  struct place {
    atomic<unsigned> sequence{0};
    cell<int> value{0};
  };
  place places[2];
  places[1].sequence.store(1, relaxed);
  atomic<unsigned> tail{0};
  for (int self = 1; self < 3; ++self)
    m.spawn("producer", [&, self] {
      const unsigned at = tail.fetch_add(1, relaxed);
      place& mine = places[at % 2];
      mine.value.set(self);
      mine.sequence.store(at + 1, is_right ? release : relaxed);
    });
  for (unsigned at = 0; at < 2; ++at) {
    while (places[at].sequence.load(acquire) != at + 1) spin_hint();
    m.got(places[at].value.get());
  }
  m.join_all();
  m.expect_each_once({1, 2});
}

void free_list_with_the_wrong_fence(model& m, bool is_right) {
  cell<int> next[3];
  atomic<int> head{1};
  m.spawn("gives back", [&] {
    next[2].set(1);
    fence(release);
    head.store(2, relaxed);
  });
  const int first = head.load(relaxed);
  fence(is_right ? acquire : release);
  if (first == 2) m.require(next[2].get() == 1, "the list goes on");
  m.join_all();
}

constexpr std::array bugs{
    known_bug{"a CLH lock that waits relaxed", clh_lock},
    known_bug{"a seqlock without the reader's fence", seqlock_reader},
    known_bug{"a thief that does not look at the array again", growth_without_another_look},
    known_bug{"a grown array that is published relaxed", growth_published_relaxed},
    known_bug{"a block that is used again without a round", block_without_a_round},
    known_bug{"indices that wrap too early", indices_that_wrap},
    known_bug{"a half-linked queue that counts as empty", half_linked_is_not_empty},
    known_bug{"a ring whose sequence is stored relaxed", ring_sequence_relaxed},
    known_bug{"a free list with a release fence where it takes", free_list_with_the_wrong_fence},
};

} // namespace

std::span<const known_bug> known_queue_bugs() { return bugs; }

} // namespace weir::check::detail
