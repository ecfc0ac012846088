// SPDX-License-Identifier: Apache-2.0
#pragma once

// All that lives in a runtime, for people who want to know why it hangs.
//
//   std::fputs(rt.dump_tasks().to_string().c_str(), stderr);
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

namespace weir {

/// What a task is doing.
enum class task_activity : std::uint8_t {
  ready,    ///< waits for its turn
  running,  ///< is polled
  blocking, ///< keeps a thread: in a blocking region, in block_on, or in a wait of plain code
  waiting,  ///< is suspended until something happens
};

/// What a task runs on.
enum class task_context : std::uint8_t { coroutine, fiber, block_on, closure };

/// One task of a dump.
struct live_task {
  std::uint64_t id = 0;            ///< as join_handle::id()
  std::string name;                ///< empty: the task has no name
  std::source_location spawned_at; ///< or where block_on was called
  task_context context = task_context::coroutine;
  task_activity activity = task_activity::ready;
  bool is_stopping = false;                      ///< it was asked to stop, and ends at its next suspension
  std::string waits_for;                         ///< when it waits or blocks: "a task", "a time"; empty: not known
  std::uint64_t waits_for_task = 0;              ///< the id of the task whose end it waits for; 0: something else
  std::optional<std::size_t> worker;             ///< the number in the name of the thread that has it
  std::optional<std::chrono::nanoseconds> since; ///< how long it has been in its blocking region, at least
  std::uint64_t polls = 0;                       ///< times it was resumed
};

/// The tasks that lived when somebody asked.
struct task_dump {
  std::vector<live_task> tasks;

  /// Writes a line for each task, after one that counts them.
  std::string to_string() const;
};

} // namespace weir
