// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the scheduler reports as an error code. Exceptions that carry one are std::system_error.
#include <exception>
#include <system_error>

namespace weir {

/// What the scheduler reports.
enum class errc {
  invalid_config = 1,     ///< runtime_options ask for something impossible; the message names the option
  thread_creation_failed, ///< the system refused one of the threads that a runtime starts with
  called_from_worker,     ///< shutdown() from one of the runtime's own workers, which it would wait for
  called_inside_region,   ///< block_on() inside blocking(), where no permit is held
  no_runtime,             ///< the calling thread does not run a task of any runtime
  left_out_of_order,      ///< entered::leave() of a context that is not the innermost of its thread
  used_after_fork,        ///< a runtime of the parent is used in a child of fork(), where its threads do not exist
  timed_out,              ///< the deadline came before the task's end
};

const std::error_category& sched_category() noexcept;
inline std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), sched_category()}; }

/// Thrown by join_result::value() when the task was stopped before it had a result.
class task_stopped : public std::exception {
public:
  const char* what() const noexcept override;
};

} // namespace weir

template <> struct std::is_error_code_enum<weir::errc> : std::true_type {};
