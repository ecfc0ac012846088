// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many permits are in calls that are expected to take long, whose permits a publisher may take at once.
//
// Who writes  R1 the caller counts its call after it has begun (call_word.hpp); who ends or takes it subtracts.
// Orderings   O1 a call begins and is counted, its thread fences, and looks for work; a publisher pushes, fences, and reads the
//             count and then the calls. One of the two sees the other, and takes the call at once; without that the monitor
//             would, after the grace.
#include <weir/detail/atomic.hpp>

#include <cstddef>

namespace weir::rt {

class long_call_count {
public:
  /// Counts a call that has begun; the caller looks for work after this. Thread: who began it.
  void add() noexcept {
    count_.fetch_add(1, detail::memory_order::relaxed);
    detail::seq_cst_fence(); // O1
  }
  /// Thread: who ended or took the call.
  void subtract() noexcept { count_.fetch_sub(1, detail::memory_order::relaxed); }
  /// Thread: any; a publisher reads it after a push and a sequentially consistent fence.
  std::size_t size() const noexcept { return count_.load(detail::memory_order::relaxed); }

private:
  detail::atomic<std::size_t> count_{0};
};

} // namespace weir::rt
