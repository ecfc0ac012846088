// SPDX-License-Identifier: Apache-2.0
// The snapshot of the counters. What has an identity to hold is read at one moment (ledger.hpp), from one word (a permit's
// phase), or effects before their causes: what has ended before what was begun.
#include "sched/runtime_core.hpp"

namespace weir::rt {
namespace {

void count_permits(metrics& all, const permit& each) noexcept {
  permit_phase phase = each.word().phase;
  if (phase == permit_phase::free) {
    ++all.free;
  } else if (phase == permit_phase::grant) {
    ++all.changing_hands;
  } else {
    ++all.active;
    all.in_regions += is_call(phase) ? 1 : 0;
  }
  all.polls += each.polls.get();
  all.preemptions += each.preemptions.get();
  all.steals += each.steals.get();
}

} // namespace

metrics runtime_core::snapshot() noexcept {
  metrics all;
  all.ended_threads = crew_.ended();
  all.spawned_threads = crew_.spawned();
  all.threads = all.spawned_threads - all.ended_threads;
  task_totals totals = is_in_forked_child() ? registry_.totals_of_child() : registry_.totals();
  all.spawned = totals.spawned;
  all.finished = totals.finished;
  all.tasks = static_cast<std::size_t>(totals.spawned - totals.finished);
  all.permits = permit_count_;
  for (std::size_t index = 0; index != permit_count_; ++index) count_permits(all, permits_[index]);
  all.closures = closures_.taken();
  all.queued = queued();
  all.queued_closures = closures_.size();
  all.slow_polls = slow_polls.load(detail::memory_order::relaxed);
  all.hook_failures = hook_failures.load(detail::memory_order::relaxed);
  all.returning = returners_.size();
  all.handoffs = handoffs.load(detail::memory_order::relaxed);
  all.detached = detached.load(detail::memory_order::relaxed);
  all.capacity_delays = capacity_delays.load(detail::memory_order::relaxed);
  all.spawn_failures = spawn_failures.load(detail::memory_order::relaxed);
  return all;
}

} // namespace weir::rt
