// SPDX-License-Identifier: Apache-2.0
#pragma once

// All tasks that are not complete, so that a runtime that closes can stop each of them, and so that none slips in
// afterwards.
//
// Who writes  R1 a shard's list, size and closed flag: under its lock. R2 a task's links and shard number: the same.
// Admission   add() tests `closed` and links under one lock; close() sets it and visits under the same. A task is
// therefore either
//             refused or visited.
// The end     at least one caller learns that every shard is closed and empty: the remover of the last task, or
// close()'s caller. Two
//             removers that both empty their shards both look at all shards; the later look sees both removals. A shard
//             that is not closed yet counts as not empty, and close()'s caller looks after it has closed the last one.
// Rejected    one list (every spawn and completion of every worker meets there); counting in one word (the same).
#include "base/spin_lock.hpp"
#include "sched/run_queue.hpp"
#include "sched/task_state.hpp"

#include <bit>
#include <cstddef>
#include <memory>
#include <mutex>

namespace weir::rt {

class registry {
public:
  explicit registry(std::size_t permits)
      : shards_(std::bit_ceil(permits < 16 ? 16 : permits)), shard_(std::make_unique<shard[]>(shards_)) {}

  /// Admits a task; false when the registry is closed. `hint` spreads the shards.
  bool add(task_header& task, std::size_t hint) noexcept {
    task.shard = static_cast<std::uint32_t>(hint & (shards_ - 1));
    shard& into = shard_[task.shard];
    std::lock_guard guard(into.lock);
    if (into.closed) return false;
    task.previous_in_shard = nullptr;
    task.next_in_shard = into.first;
    if (into.first != nullptr) into.first->previous_in_shard = &task;
    into.first = &task;
    ++into.size;
    return true;
  }

  /// Removes a task; true when the registry is drained by that.
  bool remove(task_header& task) noexcept {
    shard& from = shard_[task.shard];
    {
      std::lock_guard guard(from.lock);
      (task.previous_in_shard != nullptr ? task.previous_in_shard->next_in_shard : from.first) = task.next_in_shard;
      if (task.next_in_shard != nullptr) task.next_in_shard->previous_in_shard = task.previous_in_shard;
      --from.size;
      if (!from.closed || from.size != 0) return false;
    }
    return is_drained();
  }

  /// Refuses tasks from now on and asks every one that is there to stop; returns those whose queue entry the caller
  /// then owns.
  task_chain close() noexcept {
    task_chain stopped;
    for (std::size_t at = 0; at != shards_; ++at) {
      shard& of = shard_[at];
      std::lock_guard guard(of.lock);
      of.closed = true;
      for (task_header* task = of.first; task != nullptr; task = task->next_in_shard) {
        if (task_state::set_notified(*task, task_state::cancel)) stopped.push_back(*task);
      }
    }
    return stopped;
  }

  /// True when every shard is closed and empty; it stays so.
  bool is_drained() const noexcept {
    for (std::size_t at = 0; at != shards_; ++at) {
      std::lock_guard guard(shard_[at].lock);
      if (!shard_[at].closed || shard_[at].size != 0) return false;
    }
    return true;
  }

  std::size_t size() const noexcept {
    std::size_t total = 0;
    for (std::size_t at = 0; at != shards_; ++at) {
      std::lock_guard guard(shard_[at].lock);
      total += shard_[at].size;
    }
    return total;
  }

private:
  struct alignas(64) shard {
    mutable spin_lock lock{"a registry shard's lock"};
    bool closed = false;
    std::size_t size = 0;
    task_header* first = nullptr;
  };

  std::size_t shards_;
  std::unique_ptr<shard[]> shard_;
};

} // namespace weir::rt
