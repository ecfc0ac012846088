// SPDX-License-Identifier: Apache-2.0
// Waiting and waking for all primitives; the protocol is in include/weir/detail/waiter.hpp.
#include <weir/detail/waiter.hpp>

#include "sched/fiber_task.hpp"
#include "sched/runtime_core.hpp"
#include "sched/thread_context.hpp"
#include "sched/worker.hpp"
#include "sync/decide.hpp"

#include <utility>

namespace weir::detail {
namespace {

constexpr int lock_spins = 100;
constexpr rt::duration nap = std::chrono::microseconds(50);

} // namespace

void wait_as_thread(waiter& node, bool (*enqueue)(void*) noexcept, void* operation) noexcept {
  rt::parker sleeper;
  node.how = waiter::kind::thread;
  node.who = &sleeper;
  if (!enqueue(operation)) return;
  rt::thread_context* context = rt::current_context();
  rt::worker* here = context != nullptr ? context->on : nullptr;
  if (here != nullptr && !here->is_in_region()) {
    here->wait_blocked(sleeper, rt::is_decided, &node);
  } else {
    while (!rt::is_decided(&node)) sleeper.park();
  }
  rt::wait_until_let_go(node);
}

void lock_slowly(atomic<std::uint32_t>& word) noexcept {
  for (int spins = 0;; ++spins) {
    std::uint32_t expected = 0;
    if (word.load(memory_order::relaxed) == 0 &&
        word.compare_exchange_strong(expected, 1, memory_order::acquire, memory_order::relaxed)) // lock_word.hpp O1
      return;
    if (spins < lock_spins) {
      rt::spin_pause();
    } else {
      rt::os::futex_wait(word, 1, rt::now() + nap);
    }
  }
}

void wake_list::decide(waiter& node, wait_state outcome) noexcept {
  if (node.how == waiter::kind::task) {
    auto& task = *static_cast<task_header*>(node.who); // the node may be gone below
    if (rt::decide_task(node, outcome)) add_task(task);
    return;
  }
  add_other(node);
  node.set(outcome);
}

void wake_list::flush() noexcept {
  task_header* first = std::exchange(first_task_, nullptr);
  if (first != nullptr && first->next == nullptr) {
    first->core()->schedule_next(*first);
    first = nullptr;
  }
  for (task_header* task = first; task != nullptr;) {
    task_header* next = std::exchange(task->next, nullptr);
    task->core()->schedule(*task);
    task = next;
  }
  for (waiter* node = std::exchange(first_other_, nullptr); node != nullptr;) {
    waiter* next = node->next;
    if (node->how == waiter::kind::thread) {
      rt::wake_thread(*node);
    } else {
      std::coroutine_handle<>::from_address(node->who).resume();
    }
    node = next;
  }
}

bool is_wait_decided(void* node) noexcept { return rt::is_decided(node); }

void arm(waiter& node, std::coroutine_handle<> self, bool is_part_of_task, const wait_kind& why) noexcept {
  task_header* task = is_part_of_task ? current_task() : nullptr;
  if (task == nullptr || task->kind() == task_kind::fiber) {
    node.how = waiter::kind::coroutine;
    node.who = self.address();
    return;
  }
  task->set_leaf(self);
  task->set_wait(why, &node);
  node.who = task;
}

void disarm(waiter& node) noexcept {
  if (node.how == waiter::kind::task) static_cast<task_header*>(node.who)->clear_wait();
}

void wait_here(waiter& node, bool (*enqueue)(void*) noexcept, void* operation, const wait_kind& why) {
  task_header* self = suspendable_fiber();
  if (self == nullptr) {
    wait_as_thread(node, enqueue, operation);
    return;
  }
  node.who = self;
  if (!enqueue(operation)) return;
  while (!rt::is_decided(&node)) {
    self->set_wait(why, &node);
    suspend_fiber();
  }
}

} // namespace weir::detail
