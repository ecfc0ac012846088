// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir {

/// What a runtime did and is doing.
///
/// In every snapshot, under any load:
///   spawned == tasks + finished, all three at one moment: what the runtime was in, or may have been in, together
///   finished <= polls + closures, since nothing ends without having been taken up
///   permits == active + free + changing_hands, and in_regions <= active
///   spawned_threads == threads + ended_threads
/// Of two snapshots that follow each other no count of the later one is smaller. What a thread has seen to happen before it
/// asks is counted. Sizes of queues and counts of rare events are read one by one.
struct metrics {
  std::size_t permits = 0;
  std::size_t active = 0;            ///< permits that are held
  std::size_t in_regions = 0;        ///< of those, held in blocking regions
  std::size_t free = 0;              ///< permits that nobody holds
  std::size_t changing_hands = 0;    ///< permits that are given to a thread which has not begun yet
  std::size_t threads = 0;           ///< that live; the monitor is not counted
  std::size_t spawned_threads = 0;   ///< that were ever made
  std::size_t ended_threads = 0;     ///< of those, that have ended
  std::size_t tasks = 0;             ///< tasks that are not complete
  std::uint64_t spawned = 0;         ///< tasks that were ever admitted, closures of spawn_blocking() among them
  std::uint64_t finished = 0;        ///< of those, that are complete
  std::uint64_t polls = 0;           ///< of tasks under a permit
  std::uint64_t closures = 0;        ///< of spawn_blocking(), that a thread has taken
  std::size_t detached = 0;          ///< threads in blocking regions, or back from one, that have no permit
  std::size_t queued = 0;            ///< tasks that wait for a poll
  std::size_t queued_closures = 0;   ///< of spawn_blocking(), waiting for a thread
  std::size_t returning = 0;         ///< callers that left a blocking region and wait for a permit
  std::uint64_t handoffs = 0;        ///< permits taken from blocking regions
  std::uint64_t slow_polls = 0;      ///< polls that took longer than runtime_options::slow_poll
  std::uint64_t hook_failures = 0;   ///< hooks that threw
  std::uint64_t preemptions = 0;     ///< checkpoints at which a task gave way
  std::uint64_t steals = 0;          ///< batches taken from another permit's queue
  std::uint64_t capacity_delays = 0; ///< handoffs that did not happen because max_threads was reached
  std::uint64_t spawn_failures = 0;  ///< handoffs that did not happen because the system gave no thread
};

} // namespace weir
