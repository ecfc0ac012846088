// SPDX-License-Identifier: Apache-2.0

// What tools/check_zero_cost.py compiles twice: with the names that a model can replace, and from a copy of the source where
// they are the standard ones.
#include "base/mpsc_stack.hpp"
#include "base/spin_lock.hpp"
#include "sched/injector.hpp"
#include "sched/run_queue.hpp"
#include "sched/task_state.hpp"

#include <weir/detail/atomic.hpp>

#include <atomic>
#include <type_traits>

#ifndef WEIR_PROBE_BY_HAND
static_assert(std::is_same_v<weir::detail::atomic<int>, std::atomic<int>>);
static_assert(std::is_same_v<weir::detail::atomic<void*>, std::atomic<void*>>);
static_assert(std::is_same_v<weir::detail::memory_order, std::memory_order>);
static_assert(!weir::detail::is_modelled);
#endif

using weir::rt::injector;
using weir::rt::run_queue;
using weir::rt::task_header;

struct element : weir::rt::stack_link<> {};

extern "C" {
bool probe_queue_push(run_queue& queue, task_header& task) { return queue.push_back(task).size != 0; }
task_header* probe_queue_pop(run_queue& queue) { return queue.pop_front(); }
task_header* probe_queue_steal(run_queue& mine, run_queue& other) { return mine.steal_from(other); }
void probe_injector_push(injector& queue, task_header& task) { queue.push(task); }
bool probe_stack_push(weir::rt::mpsc_stack<element>& stack, element& one) { return stack.push(one); }
element* probe_stack_take(weir::rt::mpsc_stack<element>& stack) { return stack.take_all().pop(); }
void probe_lock(weir::rt::spin_lock& lock) { lock.lock(); }
void probe_unlock(weir::rt::spin_lock& lock) { lock.unlock(); }
bool probe_wake(task_header& task) { return weir::rt::task_state::set_notified(task); }
void probe_fence() { weir::detail::seq_cst_fence(); }
}
