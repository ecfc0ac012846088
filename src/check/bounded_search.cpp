// SPDX-License-Identifier: Apache-2.0
#include "check/bounded_search.hpp"

#include <algorithm>
#include <bit>

namespace weir::check::detail {

void bounded_search::begin() {
  depth_ = 0;
  steps_.clear();
  known_ = {};
  for (auto& locations : awaited_) locations.clear();
}

unsigned bounded_search::cost(const decision& at, unsigned thread) const noexcept {
  const bool could_go_on = at.last != no_thread && (at.runnable >> at.last & 1U) != 0;
  return at.preemptions + (could_go_on && thread != at.last ? 1 : 0);
}

// Fills in what follows from the thread that was chosen.
void bounded_search::settle(std::size_t at) {
  decision& here = decisions_[at];
  here.tried |= 1U << here.chosen;
  here.block = here.chosen != here.last || at == 0 ? at : decisions_[at - 1].block;
}

unsigned bounded_search::next_thread(unsigned runnable, unsigned last) {
  current_ = depth_++;
  if (current_ < decisions_.size()) {
    decision& known = decisions_[current_];
    if (known.is_choice || known.runnable != runnable) {
      has_diverged_ = true;
      return static_cast<unsigned>(std::countr_zero(runnable));
    }
    return known.chosen;
  }
  decision fresh{.last = last, .runnable = runnable};
  const bool goes_on = last != no_thread && (runnable >> last & 1U) != 0;
  fresh.chosen = goes_on ? last : static_cast<unsigned>(std::countr_zero(runnable));
  fresh.wanted = reduces_ ? 1U << fresh.chosen : runnable;
  if (current_ > 0) {
    const decision& before = decisions_[current_ - 1];
    fresh.preemptions = before.is_choice ? before.preemptions : cost(before, before.chosen);
  }
  decisions_.push_back(fresh);
  settle(current_);
  return fresh.chosen;
}

std::uint64_t bounded_search::choice(step_place, std::uint64_t bound) {
  const std::size_t at = depth_++;
  if (at < decisions_.size()) {
    if (!decisions_[at].is_choice || decisions_[at].values != bound) {
      has_diverged_ = true;
      return 0;
    }
    return decisions_[at].value;
  }
  decision fresh{.is_choice = true, .values = bound};
  const decision& before = decisions_[at - 1]; // the one that gave the thread its step
  fresh.preemptions = cost(before, before.chosen);
  fresh.block = before.block;
  decisions_.push_back(fresh);
  return 0;
}

// A thread that cannot run there is brought closer by whoever can.
void bounded_search::want(std::size_t at, unsigned thread) {
  decision& here = decisions_[at];
  here.wanted |= (here.runnable >> thread & 1U) != 0 ? 1U << thread : here.runnable;
}

// From the newest step down; what is ordered before a conflict that was found is ordered before this step as well.
void bounded_search::find_conflicts(const performed_step& step, clock& known) {
  for (std::size_t at = steps_.size(); at-- > 0;) {
    const performed_step& other = steps_[at];
    if (other.location != step.location || (!other.writes && !step.writes)) continue;
    if (other.thread != step.thread && !known.covers(other.thread, other.before.seen[other.thread] - 1)) {
      want(other.decision, step.thread);
      const std::size_t block = decisions_[other.decision].block;
      if (block != other.decision) want(block, step.thread);
      known.join(other.before);
    }
    if (other.writes) return; // earlier ones are ordered before it
  }
}

void bounded_search::performed(const step_effect& effect) {
  performed_step step{
      .thread = effect.thread,
      .location = effect.kind == operation_kind::spawn || effect.kind == operation_kind::join ? -1 : effect.location,
      .writes = effect.writes,
      .decision = current_,
      .before = {}};
  clock& known = known_[effect.thread];
  if (step.location >= 0) find_conflicts(step, known);
  const auto other = static_cast<std::size_t>(effect.location);
  if (effect.kind == operation_kind::join) known.join(known_[other]);
  ++known.seen[effect.thread];
  if (effect.kind == operation_kind::spawn) known_[other] = known;
  step.before = known;
  if (step.writes) {
    for (unsigned thread = 0; thread < max_threads; ++thread) {
      auto& locations = awaited_[thread];
      if (std::find(locations.begin(), locations.end(), step.location) == locations.end()) continue;
      known_[thread].join(known); // it could not have gone on before this
      locations.clear();
    }
  }
  if (step.location >= 0) steps_.push_back(step);
}

void bounded_search::waits(unsigned thread, std::span<const std::int32_t> locations) {
  awaited_[thread].assign(locations.begin(), locations.end());
}

bool bounded_search::advance() {
  for (decisions_.resize(std::min(decisions_.size(), depth_)); !decisions_.empty(); decisions_.pop_back()) {
    decision& here = decisions_.back();
    if (here.is_choice) {
      if (++here.value < here.values) return true;
      continue;
    }
    for (unsigned left = here.wanted & ~here.tried; left != 0; left &= left - 1) {
      const auto thread = static_cast<unsigned>(std::countr_zero(left));
      here.tried |= 1U << thread;
      if (cost(here, thread) > bound_) {
        left_some_out_ = true;
        continue;
      }
      here.chosen = thread;
      settle(decisions_.size() - 1);
      return true;
    }
  }
  return false;
}

} // namespace weir::check::detail
