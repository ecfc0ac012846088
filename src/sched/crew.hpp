// SPDX-License-Identifier: Apache-2.0
#pragma once

// The threads of a runtime: how many there are, who is spare, how they start and how they end.
//
// Who writes  R1 spare threads: spares.hpp. A worker puts itself back, or is put back by who took the permit it was
// attached to; who
//                takes one must give it a permit, a closure or its end, or put it back.
//             R2 workers, their thread handles, the vacant numbers and the handles of ended threads: under
//             creation_lock_, held while the
//                system makes a thread. A worker's place never changes, and it lives as long as the runtime's block.
//             R3 the count of running threads: raised by the creator before the start, lowered by the thread as the
//             last but one thing.
// Cap         a thread is counted before it is made, so no interleaving of creators passes the cap.
// Keep-alive  the monitor ends the spare thread that has waited longest, never the last one. Its number is vacant once
// it has ended, and
//             the next thread is made on the same worker object; nobody refers to a spare thread's number but the list
//             of spares.
// The end     join() waits for the count to come to zero and then joins every handle; the creators are gone by then,
// because the
//             monitor is joined first and workers create only while they run a task.
#include "base/mutex.hpp"
#include "sched/spares.hpp"
#include "sched/worker.hpp"

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace weir::rt {

enum class no_thread : std::uint8_t { at_cap, creation_failed };

/// Makes a thread; tests replace it by one that fails.
using thread_factory =
    std::function<std::expected<os::thread, std::error_code>(os::thread_options, void (*)(void*), void*)>;

class crew {
public:
  /// `hot_limit`: how many spare threads may be awake at once.
  crew(runtime_core& core, std::size_t max_threads, std::size_t hot_limit, thread_factory make_thread);

  ~crew() {
    while (spares_.take() != nullptr) {
    }
  }

  /// Starts one more thread, which waits and belongs to the caller.
  std::expected<worker*, no_thread> start_worker();
  /// Takes a spare, or starts a thread. The caller owes it an assignment or put_back().
  std::expected<worker*, no_thread> reserve();
  /// Takes a spare; null when there is none.
  worker* take_spare() noexcept { return spares_.take(); }
  void put_back(worker& spare, spare_place where = spare_place::cold) noexcept;
  /// As put_back(), for a thread that has just run: it stays awake for a moment if that is allowed.
  void put_back_warm(worker& spare) noexcept;
  /// Wakes or makes a thread for the handoff after this one, if none is awake.
  void prepare_next() noexcept;
  /// False when every processor is a permit's.
  bool may_be_hot() const noexcept { return hot_limit_ != 0; }
  bool withdraw(worker& spare) noexcept { return spares_.withdraw(spare); }
  /// Ends the spare's hot time; false when it has been taken.
  bool cool(worker& spare) noexcept { return spares_.cool(spare); }
  /// Ends the threads that have been spare since `limit`, but one.
  void retire_idle(instant limit) noexcept;
  /// Since when the oldest spare waits that could be ended; never if there is none.
  instant oldest_idle() noexcept { return spares_.oldest(); }

  worker& at(std::size_t number) const noexcept { return *workers_.data()[number]; }
  std::size_t live() const noexcept { return live_.load(detail::memory_order::relaxed); }
  std::size_t spawned() const noexcept { return spawned_.load(detail::memory_order::relaxed); }
  /// How many threads have ended; read before spawned(), it is not more than that.
  std::size_t ended() const noexcept { return ended_count_.load(detail::memory_order::acquire); }
  std::size_t spare() const noexcept { return spares_.size(); }
  bool is_full() const noexcept { return live() >= max_threads_; }
  /// Calls `visit(worker)` for every worker that ever was.
  template <class Visitor> void for_each(Visitor&& visit) {
    std::lock_guard guard(creation_lock_);
    for (auto& each : workers_) visit(*each);
  }

  void wake_all() noexcept;
  /// Waits until every thread has ended; false when `deadline` passes first.
  bool wait_for_end(instant deadline) noexcept;
  /// Joins all threads, with the destructors of their thread-local objects; false when `deadline` passes first.
  bool join(instant deadline) noexcept;
  /// Lets all threads end on their own, those that start later too.
  void detach() noexcept;
  /// The thread's own last call.
  void note_end(worker& ended) noexcept;

private:
  worker& vacant_worker();
  void join_ended() noexcept;

  runtime_core& core_;
  const std::size_t max_threads_;
  const std::size_t hot_limit_;
  const thread_factory make_thread_;
  spare_list<worker> spares_;

  mutex creation_lock_;
  std::vector<std::unique_ptr<worker>> workers_; // never reallocated
  std::vector<worker*> vacant_;                  // whose threads have ended
  std::vector<os::thread> ended_;                // of those, handles that are not joined yet
  bool is_detached_ = false;
  detail::atomic<std::size_t> spawned_{0};     // raised under creation_lock_, before the thread can end
  detail::atomic<std::size_t> ended_count_{0}; // the same
  detail::atomic<std::uint32_t> live_{0};
};

} // namespace weir::rt
