// SPDX-License-Identifier: Apache-2.0
#include "sched/closures.hpp"

#include "sched/runtime_core.hpp"

namespace weir::rt {

bool runtime_core::find_closure_thread() noexcept {
  closure_threads.fetch_add(1, detail::memory_order::relaxed);
  auto found = crew_.reserve();
  if (!found) {
    closure_threads.fetch_sub(1, detail::memory_order::relaxed);
    count_missing_thread(found.error());
    return false;
  }
  (*found)->run_closures_soon();
  return true;
}

bool runtime_core::order_spare() noexcept {
  worker* spare = crew_.take_spare();
  if (spare == nullptr) return false;
  closure_threads.fetch_add(1, detail::memory_order::relaxed);
  spare->run_closures_soon();
  return true;
}

void runtime_core::publish_closure() noexcept {
  detail::seq_cst_fence();   // (2)
  if (order_spare()) return; // (3)
  std::size_t blocked =
      closure_threads.load(detail::memory_order::relaxed) + detached.load(detail::memory_order::relaxed);
  if (blocked + permit_count_ < options().eager_limit) { // (4)
    if (find_closure_thread()) return;
  } else {
    monitor_.wake_if_asleep(); // it makes more threads when the queue makes no progress
  }
  closures_.note_stranded(true); // (5)
  detail::seq_cst_fence();
  if (order_spare()) return; // put back since (3), by who did not see the flag
  if (idle_.searching() != 0) return;
  if (auto index = idle_.claim_any()) {
    permit& claimed = permits_[*index];
    idle_.begin_search();
    crew_.at(claimed.word().worker).grant(claimed, true);
  }
}

} // namespace weir::rt
