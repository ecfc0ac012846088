// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/detail/task_header.hpp>

namespace weir::rt {

/// Makes the result of a running task final, tells the joiner or destroys the result, and drops the scheduler's
/// reference. The context is destroyed, and the task has left the registry.
void complete_task(detail::task_header& task) noexcept;
/// As complete_task(), but keeps the scheduler's reference for who takes the task from the registry later.
void set_task_complete(detail::task_header& task) noexcept;

} // namespace weir::rt
