// SPDX-License-Identifier: Apache-2.0
#pragma once

// A list of tasks that are not complete. Its owner adds and removes without a lock and without a read-modify-write;
// everybody else, rarely, stops the owner at the door first.
//
//   busy_ revoked_   who may use the list
//   1     0          the owner
//   any   1          who holds lock_ and has seen busy_ == 0; the owner too must take lock_
//
// Who writes  R1 busy_: the owner, around each use. The owner is a permit's holder; a permit changes hands with release
//             and acquire, so that there is one at a time. R2 revoked_: under lock_. A list without an owner has it set
//             from the beginning, a closed one keeps it set.
//             R3 the links, size_, closed_: who may use the list. R4 leaving_: anybody pushes, who
//             may use the list takes all. left_: anybody adds, who takes all subtracts; a count that may be ahead.
// Entering    owner: busy_ = 1 · light fence · revoked_ is 0: in. Else busy_ = 0 · lock_.
// Visiting    lock_ · revoked_ = 1 · heavy fence · wait for busy_ == 0.
//             The fences are a pair (asymmetric_fence.hpp): the owner sees revoked_, or the visitor sees busy_.
// Orderings   O1 busy_ = 0 (release) → the visitor's wait (acquire). O2 revoked_ = 0 (release) → the owner's look (acquire).
// Leaving     a task that ends under another permit is not unlinked by that permit's holder, but pushed on leaving_ with
//             the scheduler's reference; it is complete by then. The owner unlinks those at checkpoints; if the permit
//             does not run and many have gathered, the pusher visits. Fewer than that may stay until the permit is held
//             again: they cost their memory only. A pusher that finds the list closed after its push (O3: a fence on
//             both sides) unlinks under the lock.
// Rejected    a lock for every add and removal (four read-modify-writes a task); one list for each of many shards that
//             all workers share (their lines travel).
#include "base/asymmetric_fence.hpp"
#include "base/spin_lock.hpp"
#include "sched/run_queue.hpp"

#include <weir/detail/task_header.hpp>

#include <cstddef>
#include <mutex>
#include <type_traits>

namespace weir::rt {

class task_list {
public:
  static constexpr std::size_t many = 64;

  /// From now on there is an owner.
  void make_owned() noexcept { revoked_.store(false, detail::memory_order::relaxed); }

  /// Admits a task; false when the list is closed. `admitted()` is called while the caller has the list.
  template <class Admitted = void (*)()>
  bool add(task_header& task, bool as_owner, Admitted&& admitted = [] {}) noexcept {
    return use(as_owner, [&] {
      if (closed_) return false;
      task.previous_in_list = nullptr;
      task.next_in_list = first_;
      if (first_ != nullptr) first_->previous_in_list = &task;
      first_ = &task;
      ++size_;
      admitted();
      return true;
    });
  }

  /// Removes a task; returns true when the list is closed, where each removal counts. `removed()` is called while the
  /// caller has the list.
  template <class Removed = void (*)()>
  bool remove(task_header& task, bool as_owner, Removed&& removed = [] {}) noexcept {
    return use(as_owner, [&] {
      unlink(task);
      removed();
      return closed_;
    });
  }

  /// What a push on the leaving tasks tells.
  struct left_tasks {
    bool is_closed;     // the pusher must collect
    bool have_gathered; // so many that the pusher must collect unless the owner will
  };

  /// Leaves complete tasks to the owner.
  left_tasks leave(task_chain tasks) noexcept {
    std::size_t waiting = left_.fetch_add(tasks.size, detail::memory_order::relaxed) + tasks.size;
    task_header* before = leaving_.load(detail::memory_order::relaxed);
    do {
      tasks.last->next = before;
    } while (!leaving_.compare_exchange_weak(before, tasks.first, detail::memory_order::release,
                                             detail::memory_order::relaxed));
    detail::seq_cst_fence(); // O3
    return {is_closed_.load(detail::memory_order::relaxed), waiting >= many};
  }
  bool has_leaving() const noexcept { return leaving_.load(detail::memory_order::relaxed) != nullptr; }

  /// Unlinks the tasks that are leaving. The caller drops their references; `counted` is how many of a closed list.
  task_chain collect(bool as_owner, std::size_t& counted) noexcept {
    return use(as_owner, [&] {
      task_chain gone;
      task_header* task = leaving_.exchange(nullptr, detail::memory_order::acquire);
      while (task != nullptr) {
        task_header* rest = task->next;
        unlink(*task);
        gone.push_back(*task);
        task = rest;
      }
      left_.fetch_sub(gone.size, detail::memory_order::relaxed);
      counted = closed_ ? gone.size : 0;
      return gone;
    });
  }

  /// Calls `look(task)` for each task while nobody else uses the list.
  template <class Look> void visit(Look&& look) noexcept {
    visitor here(*this, false);
    for (task_header* task = first_; task != nullptr; task = task->next_in_list) look(*task);
  }

  /// Closes the list for good, calls `look` for each task, and returns how many there are.
  template <class Look> std::size_t close(Look&& look) noexcept {
    visitor here(*this, true);
    closed_ = true;
    is_closed_.store(true, detail::memory_order::relaxed);
    detail::seq_cst_fence(); // O3
    for (task_header* task = first_; task != nullptr; task = task->next_in_list) look(*task);
    return size_;
  }

private:
  class visitor {
  public:
    visitor(task_list& list, bool for_good) noexcept : list_(list), guard_(list.lock_), stays_(for_good) {
      if (list_.revoked_.load(detail::memory_order::relaxed)) {
        stays_ = true;
        return;
      }
      list_.revoked_.store(true, detail::memory_order::relaxed);
      heavy_fence();
      while (list_.busy_.load(detail::memory_order::acquire) != 0) spin_pause(); // O1
    }
    visitor(const visitor&) = delete;
    visitor& operator=(const visitor&) = delete;
    ~visitor() {
      if (!stays_) list_.revoked_.store(false, detail::memory_order::release); // O2
    }

  private:
    task_list& list_;
    std::lock_guard<spin_lock> guard_;
    bool stays_;
  };

  template <class Use> std::invoke_result_t<Use&> use(bool as_owner, Use&& what) noexcept {
    if (!as_owner) {
      visitor here(*this, false);
      return what();
    }
    busy_.store(1, detail::memory_order::relaxed);
    light_fence();
    if (!revoked_.load(detail::memory_order::acquire)) { // O2
      auto result = what();
      busy_.store(0, detail::memory_order::release); // O1
      return result;
    }
    busy_.store(0, detail::memory_order::relaxed); // nothing was used; the fence above orders the uses before
    std::lock_guard guard(lock_);
    return what();
  }

  void unlink(task_header& task) noexcept {
    (task.previous_in_list != nullptr ? task.previous_in_list->next_in_list : first_) = task.next_in_list;
    if (task.next_in_list != nullptr) task.next_in_list->previous_in_list = task.previous_in_list;
    --size_;
  }

  alignas(128) detail::atomic<std::uint32_t> busy_{0};
  bool closed_ = false;
  std::size_t size_ = 0;
  task_header* first_ = nullptr;
  alignas(64) detail::atomic<bool> revoked_{true};
  detail::atomic<bool> is_closed_{false};
  spin_lock lock_{"the lock of a list of tasks"};
  alignas(64) detail::atomic<task_header*> leaving_{nullptr};
  detail::atomic<std::size_t> left_{0}; // how many are on it
};

} // namespace weir::rt
