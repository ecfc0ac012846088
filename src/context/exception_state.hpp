// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the C and C++ libraries keep per thread but mean per stack: the exceptions being handled, the number of
// exceptions in flight, and errno. The side that resumes exchanges them, before and after the switch, on the thread's
// own stack; there the thread cannot change in between. The addresses never change in a thread's life and are looked up
// once.
#include <weir/config.hpp>

#include <utility>

namespace weir::rt {

class fiber;

// The layout of abi::__cxa_eh_globals is fixed by the Itanium C++ ABI, but <cxxabi.h> only declares the type.
struct exception_globals {
  void* caught_exceptions = nullptr;
  unsigned uncaught_exceptions = 0;
};

/// One stack's share of the thread's state, while the stack does not run.
struct library_state {
  exception_globals exceptions;
  int error_number = 0;
};

/// What a thread keeps for the fibers that it runs.
struct fiber_thread {
  fiber* current = nullptr;
  exception_globals* exceptions = nullptr;
  int* error_number = nullptr;

  /// Looks the addresses up.
  WEIR_NOINLINE void learn() noexcept;

  /// Exchanges the running stack's state with `other`.
  WEIR_ALWAYS_INLINE void exchange(library_state& other) const noexcept {
    // By member: one wide load of two members that were stored apart would wait for the store buffer.
    std::swap(exceptions->caught_exceptions, other.exceptions.caught_exceptions);
    std::swap(exceptions->uncaught_exceptions, other.exceptions.uncaught_exceptions);
    std::swap(*error_number, other.error_number);
  }
};

// Only for code on a thread's own stack, or on one that does not change threads while the reference lives: see
// resume().
extern WEIR_THREAD_LOCAL fiber_thread this_fiber_thread;

} // namespace weir::rt
