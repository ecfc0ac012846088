// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a wait is decided and how a thread waits: rules R4 to R6 of include/weir/detail/waiter.hpp.
#include "base/parker.hpp"
#include "base/spin_lock.hpp"
#include "sched/task_state.hpp"

#include <weir/detail/waiter.hpp>

namespace weir::rt {

/// Under the lock of the list that the node was on. True when the caller holds the task's queue entry now, and has to queue it.
inline bool decide_task(detail::waiter& node, detail::wait_state outcome) noexcept {
  auto& task = *static_cast<detail::task_header*>(node.who);
  if (task.operations->schedule == nullptr && task_state::set_notified(task)) { // R5
    node.set(outcome);
    return true;
  }
  task.state.fetch_add(task_state::reference, detail::memory_order::relaxed);
  node.set(outcome); // from here on only the reference keeps the task
  bool owns_entry = task_state::set_notified(task);
  if (owns_entry && task.operations->schedule != nullptr) {
    task.operations->schedule(task); // R6
    owns_entry = false;
  }
  detail::drop_reference(task); // a task whose entry is held has the scheduler's reference still
  return owns_entry;
}

inline bool is_decided(void* node) noexcept {
  return static_cast<detail::waiter*>(node)->seen() != detail::wait_state::waiting;
}

/// Wakes the thread behind a decided node, after the lock.
inline void wake_thread(detail::waiter& node) noexcept {
  auto& sleeper = *static_cast<parker*>(node.who);
  bool sleeps = sleeper.set_notified();
  node.state.fetch_or(detail::waiter::let_go, detail::memory_order::release); // O2
  if (sleeps) sleeper.wake_sleeper();                                         // may be gone: its address is a key
}

/// The end of a thread's wait: whoever decided is between two instructions of wake_thread(), or has been descheduled
/// there.
inline void wait_until_let_go(detail::waiter& node) noexcept {
  constexpr int let_go_spins = 1000;
  std::uint32_t state = node.state.load(detail::memory_order::acquire); // O2
  for (int spins = 0; (state & detail::waiter::let_go) == 0; ++spins) {
    if (spins < let_go_spins) {
      spin_pause();
    } else {
      os::futex_wait(node.state, state, now() + std::chrono::microseconds(50)); // nobody wakes it
    }
    state = node.state.load(detail::memory_order::acquire); // O2
  }
}

} // namespace weir::rt
