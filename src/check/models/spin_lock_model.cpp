// SPDX-License-Identifier: Apache-2.0

// One thread at a time, each sees what the one before wrote, and a thread that sleeps for the lock is woken.

#include "base/spin_lock.hpp"

#include <mutex>

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using weir::rt::spin_lock;

namespace {

struct guarded {
  spin_lock lock;
  check::cell<int> count{0};

  void raise() {
    const std::lock_guard held(lock);
    count.set(count.get() + 1);
  }
};

} // namespace

// The second turn of each thread follows a write of its own, so it does not wait for the lock by spinning alone.
WEIR_MODEL(spin_lock_two_threads_twice) {
  guarded data;
  m.spawn("other", [&] {
    data.raise();
    data.raise();
  });
  data.raise();
  data.raise();
  m.join_all();
  m.require(data.count.get() == 4, "no turn is lost");
}

WEIR_MODEL(spin_lock_three_threads) {
  guarded data;
  m.spawn("one", [&] { data.raise(); });
  m.spawn("two", [&] { data.raise(); });
  data.raise();
  m.join_all();
  m.require(data.count.get() == 3, "no turn is lost");
}

WEIR_MODEL(spin_lock_try) {
  guarded data;
  bool was_taken = false;
  m.spawn("other", [&] { data.raise(); });
  if (data.lock.try_lock()) {
    was_taken = true;
    data.count.set(data.count.get() + 1);
    data.lock.unlock();
  }
  m.join_all();
  m.require(data.count.get() == (was_taken ? 2 : 1), "no turn is lost");
  m.sometimes("the lock is held by the other", !was_taken);
}
