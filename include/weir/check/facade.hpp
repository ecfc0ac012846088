// SPDX-License-Identifier: Apache-2.0
#pragma once

// Model types under the names of <weir/detail/atomic.hpp>. A target that is compiled with
//   -DWEIR_ATOMICS_HEADER="<weir/check/facade.hpp>"
// explores weir's own source, and any other that takes its atomics from there, instead of running it. The inline
// namespace keeps the two kinds of object code apart.

#include <weir/check/atomic.hpp>
#include <weir/check/model.hpp>

namespace weir::detail {
inline namespace modelled {

template <class T> using atomic = check::atomic<T>;

using std::memory_order;

inline constexpr bool is_modelled = true;

inline void spin_pause(std::source_location where = std::source_location::current()) { check::spin_hint(where); }

inline void seq_cst_fence(std::source_location where = std::source_location::current()) {
  check::fence(memory_order::seq_cst, where);
}

} // namespace modelled
} // namespace weir::detail
