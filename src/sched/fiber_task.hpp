// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/detail/task_header.hpp>

namespace weir::detail {

/// The fiber task that the calling code may suspend: it runs on the fiber's stack, outside of blocking regions, and the
/// stack is not being unwound. Null elsewhere.
task_header* suspendable_fiber() noexcept;

/// Ends the poll of the current fiber task; returns in the next poll.
///
/// Cancels: throws fiber_cancelled.
void suspend_fiber();

} // namespace weir::detail
