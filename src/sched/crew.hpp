// SPDX-License-Identifier: Apache-2.0
#pragma once

// The threads of a runtime: how many there are, who is spare, how they start and how they end.
//
// Who writes  R1 spares: under spare_lock_. A worker pushes itself, or is pushed by who took the permit it was attached
// to; who pops
//                it must grant it a permit or push it back.
//             R2 workers and their thread handles: under creation_lock_, held while the system makes a thread. A
//             worker's place never
//                changes, and it lives as long as the runtime's block.
//             R3 the count of running threads: raised by the creator before the start, lowered by the thread as the
//             last but one thing.
// Cap         a thread is counted before it is made, so no interleaving of creators passes the cap.
// The end     join() waits for the count to come to zero and then joins every handle; the creators are gone by then,
// because the
//             monitor is joined first and workers create only while they run a task.
#include "base/spin_lock.hpp"
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
  crew(runtime_core& core, std::size_t max_threads, thread_factory make_thread);

  /// Starts one more thread, which waits for a permit and belongs to the caller.
  std::expected<worker*, no_thread> start_worker();
  /// Takes a spare, or starts a thread. The caller owes it a permit or put_back().
  std::expected<worker*, no_thread> reserve();
  void put_back(worker& spare) noexcept;

  worker& at(std::size_t number) const noexcept { return *workers_.data()[number]; }
  std::size_t live() const noexcept { return live_.load(detail::memory_order::relaxed); }
  std::size_t spawned() const noexcept { return spawned_.load(detail::memory_order::relaxed); }

  void wake_all() noexcept;
  /// Waits until every thread has ended; false when `deadline` passes first.
  bool wait_for_end(instant deadline) noexcept;
  /// Joins all threads. They must have ended, or be about to.
  void join() noexcept;
  /// Lets all threads end on their own, those that start later too.
  void detach() noexcept;
  /// The thread's own last call.
  void note_end() noexcept;

private:
  runtime_core& core_;
  const std::size_t max_threads_;
  const thread_factory make_thread_;

  spin_lock spare_lock_{"the crew's spare lock"};
  worker* spares_ = nullptr;

  std::mutex creation_lock_;
  std::vector<std::unique_ptr<worker>> workers_; // never reallocated
  bool is_detached_ = false;
  detail::atomic<std::size_t> spawned_{0};
  detail::atomic<std::uint32_t> live_{0};
};

} // namespace weir::rt
