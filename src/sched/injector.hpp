// SPDX-License-Identifier: Apache-2.0
#pragma once

// A list of tasks for everybody. The runtime has one for what no permit's holder queues: from other threads, and from inside
// blocking regions. Each permit has one for what overflows its ring. First in, first out, under a lock that is held for a few
// loads and stores.
//
// Who writes  R1 the chain: under lock_. R2 size_: under lock_; read by anybody as a hint of what is there.
// Orderings   O1 a publisher stores size_, then fences, then looks for free permits; a holder that goes idle frees its
// permit,
//                fences, then reads size_ (idle.hpp has the argument). What is in the queue is ordered by the lock.
#include "base/spin_lock.hpp"
#include "sched/run_queue.hpp"

#include <mutex>
#include <utility>

namespace weir::rt {

class injector {
public:
  void push(task_chain tasks) noexcept {
    std::lock_guard guard(lock_);
    tasks_.append(tasks);
    size_.store(tasks_.size, detail::memory_order::relaxed); // O1
  }
  void push(task_header& task) noexcept {
    task_chain one;
    one.push_back(task);
    push(one);
  }

  /// Takes up to `limit` tasks, oldest first.
  task_chain pop(std::size_t limit) noexcept {
    task_chain taken;
    std::lock_guard guard(lock_);
    if (tasks_.size <= limit) taken = std::exchange(tasks_, {}); // the usual case touches no task
    while (taken.size < limit) {
      task_header* task = tasks_.pop_front();
      if (task == nullptr) break;
      taken.push_back(*task);
    }
    size_.store(tasks_.size, detail::memory_order::relaxed);
    return taken;
  }

  std::size_t size() const noexcept { return size_.load(detail::memory_order::relaxed); }

private:
  spin_lock lock_{"the injector's lock"};
  task_chain tasks_;
  alignas(64) detail::atomic<std::size_t> size_{0};
};

} // namespace weir::rt
