// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::rt::os {

/// Asks the system for process_barrier(); false when it has none. Cost: a system call.
bool has_process_barrier() noexcept;

/// Makes every running thread of the process pass a full memory barrier before it returns. Only where
/// has_process_barrier() said yes. Cost: microseconds, and an interrupt for each processor that runs one of the threads.
void process_barrier() noexcept;

} // namespace weir::rt::os
