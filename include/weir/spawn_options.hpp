// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a task is spawned, and what is told of one.
#include <chrono>
#include <cstdint>
#include <exception>
#include <source_location>
#include <string_view>

namespace weir {

/// What one task did so far.
struct task_stats {
  std::uint64_t polls = 0;             ///< times it was resumed
  std::uint64_t handoffs = 0;          ///< times it lost its permit inside a blocking region
  std::uint64_t preemptions = 0;       ///< checkpoints at which it gave way
  std::chrono::nanoseconds cpu_time{}; ///< processor time of its polls; stays 0 without spawn_options::accounts_cpu
};

/// What share of a permit's polls a task gets, with others of its class, when there is work of several. A class that has none
/// leaves its share to the others.
enum class task_priority : std::uint8_t {
  normal,     ///< 3 of 12
  high,       ///< 8 of 12
  background, ///< 1 of 12, so that it is late and never starves
};

/// What a task is called and how it is run. A view, because GCC 12 copies temporaries in an expression with co_await byte by
/// byte, which an argument of this type often is.
struct spawn_options {
  std::string_view name{};   ///< shown in reports, copied by spawn; empty: the spawn site
  bool accounts_cpu = false; ///< reads the thread's CPU clock around each poll
  /// Coroutines and fibers: in which order permits take them up. Tasks that it spawns do not inherit it; polls that have
  /// begun go on, whatever waits.
  task_priority priority = task_priority::normal;
};

/// An exception that left a task whose outcome nobody takes.
struct unhandled_exception {
  std::string_view task_name;
  std::source_location spawned_at;
  std::exception_ptr exception;
};

} // namespace weir
