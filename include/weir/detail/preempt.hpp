// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/detail/task_header.hpp>

namespace weir::detail {

/// Long-running code that can be asked to come to a checkpoint.
class preemptible {
public:
  /// Asks for a checkpoint soon. Thread: any, also while the code runs elsewhere; must not block, and must not call the
  /// scheduler.
  virtual void ask_to_yield() noexcept = 0;

protected:
  ~preemptible() = default;
};

/// Tells the calling worker what runs on it, while it lives.
///
/// The scheduler calls ask_to_yield() when the poll is older than runtime_options::slice and work waits for a permit,
/// or at once for a caller that returns from a blocking region. It follows the worker through blocking(), where the
/// permit may change. Scopes nest; the innermost is asked. Constructed and destroyed within one poll; a no-op outside a
/// runtime.
class preempt_scope {
public:
  explicit preempt_scope(preemptible& code) noexcept;
  ~preempt_scope();
  preempt_scope(const preempt_scope&) = delete;
  preempt_scope& operator=(const preempt_scope&) = delete;

private:
  void* worker_;
  preemptible* outer_ = nullptr;
};

/// The counters of the task that the calling thread polls, as of now; all zero outside a task.
task_stats current_task_stats() noexcept;

} // namespace weir::detail
