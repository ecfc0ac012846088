// SPDX-License-Identifier: Apache-2.0

// Time as a counter that everybody may advance: coherence makes it monotone along happens-before, as a clock is, and a
// relaxed look at it orders nothing, as a clock does not.

#include "check/checker.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/time.hpp>

namespace weir::check {
namespace {

atomic<std::uint64_t> ticks{0};

std::uint64_t pass_tick(const std::source_location& where) {
  return ticks.fetch_add(1, memory_order::relaxed, where) + 1;
}

} // namespace

namespace detail {

void take_time_out(checker& running, const std::source_location& where) {
  if (running.has_seen_time()) pass_tick(where);
}

} // namespace detail

std::uint64_t now(std::source_location where) {
  detail::checker* const running = detail::checker::current();
  if (running == nullptr) return 0;
  return running->take_tick() ? pass_tick(where) : ticks.load(memory_order::relaxed, where);
}

} // namespace weir::check
