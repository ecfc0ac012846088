// SPDX-License-Identifier: Apache-2.0

// sync/waiter.cpp for models: only threads wait, and a lock that is taken is waited for without naps.

#include "sync/decide.hpp"

namespace weir::detail {

void lock_slowly(atomic<std::uint32_t>& word) noexcept {
  for (;;) {
    std::uint32_t expected = 0;
    if (word.load(memory_order::relaxed) == 0 &&
        word.compare_exchange_strong(expected, 1, memory_order::acquire, memory_order::relaxed))
      return;
    spin_pause();
  }
}

void wake_list::decide(waiter& node, wait_state outcome) noexcept {
  add_other(node);
  node.set(outcome);
}

void wake_list::flush() noexcept {
  for (waiter* node = std::exchange(first_other_, nullptr); node != nullptr;) {
    waiter* next = node->next;
    rt::wake_thread(*node);
    node = next;
  }
}

bool is_wait_decided(void* node) noexcept { return rt::is_decided(node); }

void wait_here(waiter& node, bool (*enqueue)(void*) noexcept, void* operation, const wait_kind&) {
  rt::parker sleeper;
  node.how = waiter::kind::thread;
  node.who = &sleeper;
  if (!enqueue(operation)) return;
  while (!rt::is_decided(&node)) sleeper.park();
  while ((node.state.load(memory_order::acquire) & waiter::let_go) == 0) spin_pause();
}

} // namespace weir::detail
