// SPDX-License-Identifier: Apache-2.0
#include "check/strategy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace weir::check::detail {

namespace {

bool contains(unsigned set, unsigned thread) { return thread < max_threads && (set >> thread & 1U) != 0; }

unsigned lowest_of(unsigned set) { return static_cast<unsigned>(std::countr_zero(set)); }

} // namespace

void random_strategy::begin() {
  random_ = random_stream(seed_, run_++);
  left_ = stale_reads_;
}

unsigned random_strategy::next_thread(unsigned runnable, unsigned) {
  for (std::uint64_t skip = random_.below(static_cast<std::uint64_t>(std::popcount(runnable))); skip != 0; --skip)
    runnable &= runnable - 1;
  return lowest_of(runnable);
}

std::size_t random_strategy::age(step_place, std::span<const int> distances, bool is_hidden) {
  if (is_hidden || left_ == 0 || random_.below(100) < 85) return 0;
  --left_;
  return 1 + random_.below(distances.size() - 1);
}

std::uint64_t random_strategy::choice(step_place, std::uint64_t bound) { return random_.below(bound); }

pct_strategy::pct_strategy(std::uint64_t seed, unsigned stale_reads, unsigned depth)
    : random_strategy(seed, stale_reads), depth_(std::max(depth, 1U)) {}

void pct_strategy::begin() {
  random_strategy::begin();
  most_steps_ = std::max(most_steps_, steps_);
  steps_ = 0;
  seen_ = 0;
  lowest_ = 0;
  changes_.clear();
  const std::uint64_t within = std::max<std::uint64_t>(most_steps_, 8);
  for (unsigned point = 1; point < depth_; ++point) changes_.push_back(1 + random().below(within));
}

unsigned pct_strategy::next_thread(unsigned runnable, unsigned last) {
  for (unsigned left = runnable & ~seen_; left != 0; left &= left - 1)
    priorities_[lowest_of(left)] = static_cast<std::int64_t>(random().next() >> 2U);
  seen_ |= runnable;
  if ((runnable & (runnable - 1)) != 0) {
    ++steps_;
    if (contains(runnable, last) && std::find(changes_.begin(), changes_.end(), steps_) != changes_.end())
      priorities_[last] = --lowest_;
  }
  unsigned best = lowest_of(runnable);
  for (unsigned left = runnable; left != 0; left &= left - 1)
    if (priorities_[lowest_of(left)] > priorities_[best]) best = lowest_of(left);
  return best;
}

void pct_strategy::performed(const step_effect& effect) {
  seen_ |= 1U << effect.thread;
  most_threads_ = std::max(most_threads_, static_cast<unsigned>(std::popcount(seen_)));
}

void pct_strategy::waits(unsigned thread, std::span<const std::int32_t>) { priorities_[thread] = --lowest_; }

double pct_strategy::probability() const noexcept {
  const auto steps = static_cast<double>(std::max<std::uint64_t>({most_steps_, steps_, 1}));
  return 1 / (most_threads_ * std::pow(steps, depth_ - 1));
}

void pos_strategy::begin() {
  random_strategy::begin();
  drawn_ = 0;
  for (step_effect& next : next_) next = {};
}

unsigned pos_strategy::next_thread(unsigned runnable, unsigned) {
  for (unsigned left = runnable & ~drawn_; left != 0; left &= left - 1) priorities_[lowest_of(left)] = random().next();
  drawn_ |= runnable;
  unsigned best = lowest_of(runnable);
  for (unsigned left = runnable; left != 0; left &= left - 1)
    if (priorities_[lowest_of(left)] > priorities_[best]) best = lowest_of(left);
  return best;
}

void pos_strategy::performed(const step_effect& effect) {
  drawn_ &= ~(1U << effect.thread);
  next_[effect.thread] = {};
  if (effect.location < 0) return;
  for (unsigned thread = 0; thread < max_threads; ++thread)
    if (next_[thread].location == effect.location && (next_[thread].writes || effect.writes)) drawn_ &= ~(1U << thread);
}

void pos_strategy::waits(unsigned thread, std::span<const std::int32_t>) { next_[thread].location = -1; }

guided_strategy::guided_strategy(const std::vector<scheduled_step>& guide) {
  for (const scheduled_step& step : guide) {
    order_.push_back(step.thread);
    auto& draws = draws_[step.thread];
    const auto position = static_cast<std::size_t>(step.position);
    if (draws.size() <= position) draws.resize(position + 1, 0);
    draws[position] = step.draw;
  }
}

unsigned guided_strategy::next_thread(unsigned runnable, unsigned last) {
  while (at_ < order_.size() && !contains(runnable, order_[at_])) ++at_;
  if (at_ < order_.size()) return order_[at_++];
  return contains(runnable, last) ? last : lowest_of(runnable);
}

std::uint64_t guided_strategy::draw_at(step_place at) const noexcept {
  const auto& draws = draws_[at.thread];
  const auto position = static_cast<std::size_t>(at.position);
  return position < draws.size() ? draws[position] : 0;
}

std::size_t guided_strategy::age(step_place at, std::span<const int> distances, bool) {
  std::size_t age = 0;
  while (age + 1 < distances.size() && static_cast<std::uint64_t>(distances[age + 1]) <= draw_at(at)) ++age;
  return age;
}

std::uint64_t guided_strategy::choice(step_place at, std::uint64_t bound) { return std::min(draw_at(at), bound - 1); }

} // namespace weir::check::detail
