// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one place that names std::atomic. A model checker builds weir's own source with WEIR_ATOMICS_HEADER set to a header that
// defines the same names over its recorded memory.
#include <weir/config.hpp>

#ifdef WEIR_ATOMICS_HEADER
#include WEIR_ATOMICS_HEADER
#else
#include <atomic>

namespace weir::detail {

template <class T> using atomic = std::atomic<T>;

using std::memory_order;

/// Whether this is explored source: queues and loops are then small enough for every execution to be visited.
inline constexpr bool is_modelled = false;

/// Tells the processor that the thread spins.
inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// A sequentially consistent fence. ThreadSanitizer does not model fences, so there it is a read-modify-write on one word,
/// which orders the same pairs.
inline void seq_cst_fence() noexcept {
#if WEIR_HAS_TSAN
  static constinit atomic<unsigned> word{0};
  word.fetch_add(1, std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

} // namespace weir::detail
#endif
