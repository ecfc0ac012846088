// SPDX-License-Identifier: Apache-2.0
#include <weir/latch.hpp>

#include <weir/check.hpp>

namespace weir {

void latch::count_down(std::size_t by) noexcept {
  if (by == 0) return;
  std::size_t before = count_.fetch_sub(by, detail::memory_order::acq_rel); // the last one saw what the others did
  WEIR_CHECK(before >= by, "a latch is counted down below zero", before, by);
  if (before == by) done_.set();
}

} // namespace weir
