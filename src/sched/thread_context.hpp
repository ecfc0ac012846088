// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the calling thread does for which runtime. The object is the worker's, or on the stack of a thread that lends
// itself to block_on; the only static state of the scheduler is the thread-local pointer to it.
#include <weir/config.hpp>
#include <weir/detail/task_header.hpp>

namespace weir {
class entered;
}

namespace weir::rt {

class worker;
class runtime_core;

struct thread_context {
  worker* on = nullptr;                 // null: a borrowed thread
  detail::task_header* task = nullptr;  // the one being polled
  runtime_core* core = nullptr;         // where spawn() goes
  runtime_core* serves = nullptr;       // whose closure the thread runs
  entered* innermost = nullptr;         // the entered context, if there is one
  std::chrono::nanoseconds cpu_since{}; // the thread's CPU time when the poll began, for tasks that account it
};

/// Null on a thread that runs nothing for a runtime. Read anew after every suspension, because a task may change
/// threads; hence never inlined, or a compiler would keep the thread-local's address across one.
WEIR_NOINLINE thread_context* current_context() noexcept;
/// Sets the pointer and returns what it was.
WEIR_NOINLINE thread_context* set_current_context(thread_context* context) noexcept;

} // namespace weir::rt
