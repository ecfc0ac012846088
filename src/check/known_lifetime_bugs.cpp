// SPDX-License-Identifier: Apache-2.0

// Known bugs of objects that go away while somebody still uses them.

#include "check/known_bugs.hpp"

#include <array>
#include <memory>

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>

namespace weir::check::detail {

namespace {

using enum std::memory_order;

// The last callback may drop the last reference to what calls it.
void source_that_dies_in_its_callback(model& m, bool is_right) {
  struct source {
    atomic<int> references{1};
    atomic<int> is_requested{0};
    atomic<int> is_over{0};
  };
  auto* const shared = new source;
  const auto drop = [shared] {
    if (shared->references.fetch_sub(1, acq_rel) == 1) delete shared;
  };
  m.spawn("requester", [&, shared] {
    if (is_right) shared->references.fetch_add(1, relaxed);
    shared->is_requested.store(1, release);
    drop(); // the callback
    shared->is_over.store(1, release);
    if (is_right) drop();
  });
  m.join_all();
}

// States of a registration: 0 registered, 1 runs, 2 has run, 3 removed.
void removed_while_it_runs(model& m, bool is_right) {
  atomic<int> state{0};
  cell<int> callback{0};
  m.spawn("requester", [&] {
    int expected = 0;
    if (!state.compare_exchange_strong(expected, 1, acq_rel, relaxed)) return;
    static_cast<void>(callback.get());
    state.store(2, is_right ? release : relaxed);
  });
  int expected = 0;
  if (!state.compare_exchange_strong(expected, 3, acq_rel, relaxed))
    while (state.load(acquire) != 2) spin_hint();
  callback.set(1); // is destroyed
  m.join_all();
}

// The waiter may go, and take the event along, as soon as it sees that it is set.
void setter_that_looks_for_waiters_afterwards(model& m, bool is_right) {
  struct event {
    atomic<std::uint32_t> state{0}; // 1: set
    atomic<int> waiters{0};
  };
  auto shared = std::make_unique<event>();
  m.spawn("setter", [is_right, at = shared.get()] {
    int waiters = is_right ? at->waiters.load(relaxed) : 0;
    at->state.store(1, release);
    if (!is_right) waiters = at->waiters.load(relaxed);
    static_cast<void>(waiters);
  });
  shared->waiters.fetch_add(1, relaxed);
  while (shared->state.load(acquire) != 1) spin_hint();
  shared.reset();
  m.join_all();
}

// A count of readers beside a pointer is store buffering: each side looks at what the other has just written.
void reader_count_without_fences(model& m, bool is_right) {
  atomic<int> readers{0};
  atomic<int> current{1};
  cell<int> old_object{5};
  m.spawn("reader", [&] {
    readers.fetch_add(1, relaxed);
    if (is_right) fence(seq_cst);
    if (current.load(relaxed) == 1) static_cast<void>(old_object.get());
    readers.fetch_sub(1, release);
  });
  current.store(2, release);
  if (is_right) fence(seq_cst);
  while (readers.load(acquire) != 0) spin_hint();
  old_object.set(0); // freed
  m.join_all();
}

void upgrade_from_nothing(model& m, bool is_right) {
  atomic<int> strong{1};
  auto object = std::make_unique<cell<int>>(1);
  const auto drop = [&] {
    if (strong.fetch_sub(1, acq_rel) == 1) object.reset();
  };
  m.spawn("weak", [&] {
    if (is_right) {
      for (int seen = strong.load(relaxed);;) {
        if (seen == 0) return;
        if (strong.compare_exchange_strong(seen, seen + 1, acq_rel, relaxed)) break;
      }
    } else {
      strong.fetch_add(1, acq_rel);
    }
    m.require(object != nullptr, "what was upgraded is there");
    if (object != nullptr) static_cast<void>(object->get());
    drop();
  });
  drop();
  m.join_all();
}

void loop_that_is_finished_from_outside(model& m, bool is_right) {
  struct loop {
    atomic<int> is_finished{0};
    atomic<std::uint32_t> bell{0};
  };
  auto shared = std::make_unique<loop>();
  m.spawn("last task", [is_right, at = shared.get()] {
    if (is_right) at->bell.fetch_add(2, relaxed);
    at->is_finished.store(1, release);
    if (!is_right) at->bell.fetch_add(2, relaxed);
  });
  while (shared->is_finished.load(acquire) == 0) spin_hint();
  shared.reset();
  m.join_all();
}

constexpr std::array bugs{
    known_bug{"a stop source that dies in its last callback", source_that_dies_in_its_callback},
    known_bug{"a callback that is removed while it runs", removed_while_it_runs},
    known_bug{"a setter that looks for waiters afterwards", setter_that_looks_for_waiters_afterwards},
    known_bug{"a count of readers without fences", reader_count_without_fences},
    known_bug{"a weak reference that is upgraded from nothing", upgrade_from_nothing},
    known_bug{"a run loop that is touched after it is finished", loop_that_is_finished_from_outside},
};

} // namespace

std::span<const known_bug> known_lifetime_bugs() { return bugs; }

} // namespace weir::check::detail
