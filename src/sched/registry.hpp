// SPDX-License-Identifier: Apache-2.0
#pragma once

// All tasks that are not complete, so that a runtime that closes can stop each of them, and so that none slips in
// afterwards: a list for each permit, and shared ones for tasks that come from outside.
//
// Admission   add() tests `closed` and links in one use of a list; close() sets it and visits in one visit. A task is
//             therefore either refused or visited.
// The end     remaining_ is 1 from the beginning, close() adds the size of each list that it closes and takes the 1
//             away at its end, and each removal from a closed list takes 1 away. Whoever brings it to 0 has drained the
//             registry. A removal before its list is closed is in no size.
// Counting    each list has a ledger, written by who has the list: a permit's holder, or under the list's lock. A holder also
//             counts there the tasks of other lists that end under its permit. totals() reads all at one moment: ledger.hpp.
// Rejected    one list (every spawn and completion of every worker meets there); counting all tasks in one word (the
//             same); asking every list after each removal whether it is empty (quadratic at shutdown).
#include "sched/ledger.hpp"
#include "sched/task_list.hpp"
#include "sched/task_state.hpp"

#include <cstddef>
#include <memory>

namespace weir::rt {

/// How many tasks were admitted, and how many of them have ended.
struct task_totals {
  std::uint64_t spawned = 0;
  std::uint64_t finished = 0;
};

class registry {
public:
  explicit registry(std::size_t permits)
      : permits_(permits), lists_(permits + shared_lists), list_(std::make_unique<counted_list[]>(lists_)) {
    for (std::size_t at = 0; at != permits; ++at) list_[at].tasks.make_owned();
  }

  /// Admits a task of a permit's holder; false when the registry is closed.
  bool add_here(task_header& task, std::size_t permit) noexcept {
    task.block.list = static_cast<std::uint16_t>(permit);
    return add_to(list_[permit], task, true);
  }
  /// The same for anybody; `hint` spreads the lists.
  bool add(task_header& task, std::size_t hint) noexcept {
    task.block.list = static_cast<std::uint16_t>(permits_ + hint % shared_lists);
    return add_to(list_[task.block.list], task, false);
  }

  /// True when the list of `task` may be used at once by the holder of `permit`.
  bool is_near(const task_header& task, std::size_t permit) const noexcept {
    return task.block.list == permit || task.block.list >= permits_;
  }
  /// Removes a task; true when the registry is drained by that.
  bool remove(task_header& task, std::size_t permit) noexcept {
    return list_[task.block.list].tasks.remove(task, task.block.list == permit) && count_removed(1);
  }

  /// The same for a task that ends without a permit, and counts its end.
  bool remove_outside(task_header& task) noexcept {
    counted_list& from = list_[task.block.list];
    return from.tasks.remove(task, false, [&] { from.counts.add(finished, clock_); }) && count_removed(1);
  }
  /// Counts the end of a task. Thread: the permit's holder.
  void count_finished(std::size_t permit) noexcept { list_[permit].counts.add(finished, clock_); }

  task_list& at(std::size_t list) noexcept { return list_[list].tasks; }
  /// Takes removals from closed lists into account; true when the registry is drained by that.
  bool count_removed(std::size_t count) noexcept {
    return count != 0 && remaining_.fetch_sub(count, detail::memory_order::acq_rel) == count;
  }

  /// Refuses tasks from now on and asks every one that is there to stop. `stopped` gets those whose queue entry the
  /// caller then owns. True when there was none.
  bool close(task_chain& stopped) noexcept {
    for (std::size_t at = 0; at != lists_; ++at) {
      // Counted before the first of them can be removed: the visit keeps the list.
      list_[at].tasks.close([&](task_header& task) {
        remaining_.fetch_add(1, detail::memory_order::relaxed);
        if (task_state::set_notified(task, task_state::cancel)) stopped.push_back(task);
      });
    }
    return count_removed(1);
  }

  /// Calls `look(task)` for each task; some may be complete, and wait to be unlinked.
  template <class Look> void visit(Look&& look) noexcept {
    for (std::size_t at = 0; at != lists_; ++at) list_[at].tasks.visit(look);
  }

  /// How many tasks were admitted and have ended, all at one moment. Thread: any.
  task_totals totals() noexcept {
    std::lock_guard guard(snapshot_lock_);
    std::uint64_t period = clock_.advance();
    return sum([&](const list_counts& each) { return each.at(period); });
  }
  /// The same one by one, without a lock: for a process whose other threads are gone.
  task_totals totals_of_child() const noexcept {
    return sum([](const list_counts& each) { return each.now(); });
  }

private:
  static constexpr std::size_t shared_lists = 16;

  static constexpr std::size_t spawned = 0;
  static constexpr std::size_t finished = 1;
  using list_counts = ledger<2>;
  struct counted_list {
    task_list tasks;
    list_counts counts;
  };

  bool add_to(counted_list& list, task_header& task, bool as_owner) noexcept {
    return list.tasks.add(task, as_owner, [&] { list.counts.add(spawned, clock_); });
  }

  template <class Read> task_totals sum(Read&& read) const noexcept {
    task_totals all;
    for (std::size_t at = 0; at != lists_; ++at) {
      list_counts::values each = read(list_[at].counts);
      all.spawned += each[spawned];
      all.finished += each[finished];
    }
    return all;
  }

  std::size_t permits_;
  std::size_t lists_;
  std::unique_ptr<counted_list[]> list_;
  alignas(64) detail::atomic<std::size_t> remaining_{1};
  alignas(64) ledger_clock clock_; // read by every spawn, written by snapshots
  spin_lock snapshot_lock_{"the lock of a snapshot"};
};

} // namespace weir::rt
