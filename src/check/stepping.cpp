// SPDX-License-Identifier: Apache-2.0

// The part of the checker that goes through one execution step by step, as a strategy decides. Each step has one
// decision: a thread asks before it performs an operation, and goes on at once when it is chosen itself. A thread that
// was resumed has been decided on already. The host decides when the running thread cannot go on.

#include "check/checker.hpp"

namespace weir::check::detail {

unsigned checker::runnable_threads() const noexcept {
  unsigned set = 0;
  for (unsigned thread = 0; thread < max_threads; ++thread) {
    const bool goes_on = threads_[thread].phase == thread_phase::waiting ? has_news(thread) : is_runnable(thread);
    if (goes_on) set |= 1U << thread;
  }
  return set;
}

void checker::run_steps() {
  unsigned last = no_thread;
  while (failure_.kind == failure_kind::none) {
    if (!is_decided_) {
      const unsigned runnable = runnable_threads();
      if (runnable == 0) return;
      chosen_ = strategy_->next_thread(runnable, last);
    }
    is_decided_ = false;
    is_granted_ = true;
    resume(chosen_);
    last = self_;
  }
}

void checker::await_turn() {
  if (std::exchange(is_granted_, false)) return;
  chosen_ = strategy_->next_thread(runnable_threads(), self_);
  if (chosen_ == self_) return;
  ++preemptions_;
  is_decided_ = true;
  leave();
  is_granted_ = false;
}

void checker::tell_strategy(event_id event) {
  const struct event& e = engine_.current()[event];
  const bool is_about_thread = e.op.kind == operation_kind::spawn || e.op.kind == operation_kind::join;
  strategy_->performed({.thread = self_,
                        .kind = e.op.kind,
                        .location = e.is_access() || is_about_thread ? e.op.location : -1,
                        .writes = e.is_write() || e.is_exclusive});
}

std::vector<std::int32_t> checker::awaited_by(unsigned thread) const {
  const graph& g = engine_.current();
  std::vector<std::int32_t> out;
  const int from = threads_[thread].waits_from;
  for (event_id id = engine_.last_of(thread); id != no_event && g[id].index >= from; id = g[id].previous)
    if (g[id].is_access()) out.push_back(g[id].location);
  return out;
}

// False: it failed.
bool checker::run_drawn() {
  engine_.restart();
  strategy_->begin();
  run_threads();
  finish();
  return failure_.kind == failure_kind::none;
}

} // namespace weir::check::detail
