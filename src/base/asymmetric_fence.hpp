// SPDX-License-Identifier: Apache-2.0
#pragma once

// A pair of fences of which the frequent one costs nothing: a thread that stores, passes light_fence() and loads, and one
// that stores, passes heavy_fence() and loads, never both miss the other's store.
//
// heavy_fence() makes the system interrupt every thread of the process. Where it cannot, under ThreadSanitizer, and under
// the model checker, both are sequentially consistent fences. A light fence that ran before the system was asked is one,
// too, which pairs with either kind of the heavy one.
#include "os/process_barrier.hpp"

#include <weir/detail/atomic.hpp>

namespace weir::rt {

#if WEIR_HAS_TSAN || defined(WEIR_ATOMICS_HEADER)
inline void light_fence() noexcept { detail::seq_cst_fence(); }
inline void heavy_fence() noexcept { detail::seq_cst_fence(); }
#else
inline const bool fences_are_asymmetric = os::has_process_barrier();

inline void light_fence() noexcept {
  if (fences_are_asymmetric) [[likely]] {
    asm volatile("" ::: "memory");
  } else {
    detail::seq_cst_fence();
  }
}
inline void heavy_fence() noexcept {
  detail::seq_cst_fence();
  if (fences_are_asymmetric) os::process_barrier();
}
#endif

} // namespace weir::rt
