// SPDX-License-Identifier: Apache-2.0
#include "run/supervisor.hpp"

#include <algorithm>

namespace weir::cli {

supervisor::supervisor(std::vector<watched> guests, std::chrono::nanoseconds grace)
    : guests_{std::move(guests)},
      begin_{clock::now()},
      grace_{grace},
      states_(guests_.size()),
      remaining_{guests_.size()},
      last_sign_of_life_{begin_} {
  for (std::size_t i = 0; i < guests_.size(); ++i)
    if (guests_[i].timeout) states_[i].deadline = begin_ + *guests_[i].timeout;
}

void supervisor::report_end(std::size_t guest) {
  {
    const std::scoped_lock lock{mutex_};
    state& one = states_[guest];
    if (one.now != phase::running) return;
    one.now = phase::ended;
    one.ended_at = last_sign_of_life_ = clock::now();
  }
  changed_.notify_one();
}

void supervisor::report_signal(int signal) {
  {
    const std::scoped_lock lock{mutex_};
    if (signal_ == 0) signal_ = signal;
  }
  changed_.notify_one();
}

int supervisor::signal() const {
  const std::scoped_lock lock{mutex_};
  return signal_;
}

void supervisor::wait(const std::function<void(const end&)>& on_end) {
  std::unique_lock lock{mutex_};
  while (remaining_ != 0) {
    const auto now = clock::now();
    const std::vector<std::size_t> stops = to_stop(now);
    const std::vector<end> ends = collect(now);
    if (stops.empty() && ends.empty()) {
      if (const auto next = next_event())
        changed_.wait_until(lock, *next);
      else
        changed_.wait(lock);
      continue;
    }
    lock.unlock();
    for (const std::size_t guest : stops) guests_[guest].stop();
    for (const end& one : ends) on_end(one);
    lock.lock();
  }
}

std::vector<std::size_t> supervisor::to_stop(clock::time_point now) {
  std::vector<std::size_t> stops;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    state& one = states_[i];
    if (one.now != phase::running || one.asked != stop_reason::none) continue;
    if (signal_ != 0)
      one.asked = stop_reason::interrupt;
    else if (one.deadline && *one.deadline <= now)
      one.asked = stop_reason::timeout;
    else
      continue;
    last_sign_of_life_ = now;
    stops.push_back(i);
  }
  return stops;
}

std::vector<supervisor::end> supervisor::collect(clock::time_point now) {
  std::vector<end> ends;
  const bool is_grace_over = now >= last_sign_of_life_ + grace_;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    state& one = states_[i];
    const bool is_stuck = one.now == phase::running && one.asked != stop_reason::none && is_grace_over;
    if (one.now != phase::ended && !is_stuck) continue;
    ends.push_back({i, one.asked, is_stuck, (is_stuck ? now : one.ended_at) - begin_});
    one.now = phase::over;
    --remaining_;
  }
  std::ranges::sort(ends, {}, &end::wall);
  return ends;
}

std::optional<supervisor::clock::time_point> supervisor::next_event() const {
  std::optional<clock::time_point> next;
  const auto consider = [&](clock::time_point at) {
    if (!next || at < *next) next = at;
  };
  for (const state& one : states_) {
    if (one.now != phase::running) continue;
    if (one.asked != stop_reason::none)
      consider(last_sign_of_life_ + grace_);
    else if (one.deadline)
      consider(*one.deadline);
  }
  return next;
}

} // namespace weir::cli
