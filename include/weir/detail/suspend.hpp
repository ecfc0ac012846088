// SPDX-License-Identifier: Apache-2.0
#pragma once

// How an awaitable or a blocking call gives the worker back. Waiting has two phases: the context is first taken off the
// worker, and only then, on the worker's own stack, `commit` makes it known to whoever will wake it. So nobody can wake
// a context whose frames are not saved yet, and no lock is held across the switch: commit may release one.
// src/context/context.hpp has the protocol.
#include <weir/config.hpp>

#include <coroutine>
#include <cstdint>

namespace weir::rt {
class context;
}

namespace weir::detail {

/// Publishes the context, for instance in a list of waiters. False: there is nothing to wait for after all, go on at
/// once; then the context must not have been published. Must not suspend.
///
/// Thread: the worker that ran the context.
using commit_hook = bool (*)(rt::context& waiting, void* argument) noexcept;

/// The context that this thread runs; null outside. Not inlined, since a context changes threads.
WEIR_NOINLINE rt::context* current_context() noexcept;

/// From await_suspend of a leaf: the current context waits at `leaf`. Nothing of the frame may be touched afterwards;
/// await_suspend returns void.
///
/// Cancels: the frame is destroyed, so a published awaiter's destructor takes it back.
void suspend_coroutine(std::coroutine_handle<> leaf, commit_hook commit, void* argument) noexcept;

/// As suspend_coroutine(), ready again at once: the worker puts the context behind the others.
void yield_coroutine(std::coroutine_handle<> leaf) noexcept;

/// The current fiber waits. Returns when it has been woken and resumed.
///
/// Cancels: throws fiber_cancelled; what commit has published the caller's destructors take back.
void suspend_fiber(commit_hook commit, void* argument);

/// As suspend_fiber(), ready again at once.
void yield_fiber_context();

} // namespace weir::detail
