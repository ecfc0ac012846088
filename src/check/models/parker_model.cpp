// SPDX-License-Identifier: Apache-2.0

// One token, never lost, and what the waker wrote is seen.

#include "base/parker.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using weir::rt::parker;

WEIR_MODEL(parker_one_waker) {
  parker word;
  check::cell<int> data{0};
  m.spawn("waker", [&] {
    data.set(1);
    word.unpark();
  });
  word.park();
  m.require(data.get() == 1, "park() returned, so what the waker wrote is there");
  m.join_all();
}

// Each waker says relaxed that it was there; only the wake orders that. A sleeper that missed it would park once too
// often.
WEIR_MODEL(parker_two_wakers) {
  parker word;
  check::atomic<int> first{0};
  check::atomic<int> second{0};
  const auto waker = [&](check::atomic<int>& flag) {
    flag.store(1, std::memory_order::relaxed);
    word.unpark();
  };
  m.spawn("one", [&] { waker(first); });
  m.spawn("two", [&] { waker(second); });
  int parks = 0;
  while (first.load(std::memory_order::relaxed) + second.load(std::memory_order::relaxed) != 2) {
    word.park();
    ++parks;
  }
  m.sometimes("one wake stands for both", parks == 1);
  m.sometimes("each wake ends a park", parks == 2);
  m.join_all();
}

WEIR_MODEL(parker_with_a_deadline) {
  parker word;
  check::cell<int> data{0};
  m.spawn("waker", [&] {
    data.set(1);
    word.unpark();
  });
  const bool was_notified = word.park_until({1});
  m.sometimes("the deadline passes", !was_notified);
  m.sometimes("the wake comes in time", was_notified);
  if (!was_notified) word.park();
  m.require(data.get() == 1, "a wake is never lost, also when it meets the deadline");
  m.join_all();
}
WEIR_EXPLAINED(
    parker_one_waker, "parker.hpp:49 exchange: acquire -> relaxed",
    "the second exchange of park_until() reads from the first, which continues the waker's release sequence");
