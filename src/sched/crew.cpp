// SPDX-License-Identifier: Apache-2.0
#include "sched/crew.hpp"

#include "sched/runtime_core.hpp"

#include <string>

namespace weir::rt {

crew::crew(runtime_core& core, std::size_t max_threads, std::size_t hot_limit, thread_factory make_thread)
    : core_(core), max_threads_(max_threads), hot_limit_(hot_limit), make_thread_(std::move(make_thread)) {
  workers_.reserve(max_threads);
  vacant_.reserve(max_threads);
}

worker& crew::vacant_worker() {
  if (vacant_.empty())
    return *workers_.emplace_back(std::make_unique<worker>(core_, static_cast<std::uint16_t>(workers_.size())));
  worker& again = *vacant_.back();
  vacant_.pop_back();
  return again;
}

std::expected<worker*, no_thread> crew::start_worker() {
  std::lock_guard guard(creation_lock_);
  if (live() >= max_threads_) return std::unexpected(no_thread::at_cap);
  join_ended();
  worker& made = vacant_worker();
  live_.fetch_add(1, detail::memory_order::relaxed);
  core_.hold(); // the thread's reference, dropped by note_end's caller
  auto started = make_thread_(
      {"weir-" + std::to_string(made.number()), 0}, [](void* self) { static_cast<worker*>(self)->main(); }, &made);
  if (!started) {
    core_.release();
    if (!WEIR_MUTANT("crew: a thread that could not start is counted"))
      live_.fetch_sub(1, detail::memory_order::relaxed);
    vacant_.push_back(&made);
    return std::unexpected(no_thread::creation_failed);
  }
  spawned_.fetch_add(1, detail::memory_order::relaxed);
  if (is_detached_) {
    started->detach();
  } else {
    made.thread = std::move(*started);
  }
  return &made;
}

std::expected<worker*, no_thread> crew::reserve() {
  if (worker* spare = spares_.take()) return spare;
  return start_worker();
}

void crew::put_back(worker& spare, spare_place where) noexcept {
  spares_.add(spare, where, core_.now());
  if (core_.is_terminating()) static_cast<void>(spares_.withdraw(spare)); // it may have ended before it was put in
  detail::seq_cst_fence();                                                // closures.hpp, parker (b)
  if (core_.closures().are_stranded()) core_.publish_closure();
}

void crew::put_back_warm(worker& spare) noexcept {
  put_back(spare, spares_.hot() < hot_limit_ ? spare_place::hot : spare_place::cold);
}

void crew::prepare_next() noexcept {
  if (spares_.hot() >= hot_limit_) return;
  if (worker* heated = spares_.heat(hot_limit_)) {
    heated->wake();
  } else if (spares_.size() == 0) {
    if (auto made = start_worker()) put_back(**made, spare_place::hot);
  }
}

void crew::retire_idle(instant limit) noexcept {
  while (worker* idle = spares_.take_idle(limit)) idle->retire();
}

void crew::wake_all() noexcept {
  std::lock_guard guard(creation_lock_);
  for (auto& each : workers_) each->wake();
}

bool crew::wait_for_end(instant deadline) noexcept {
  for (;;) {
    std::uint32_t running = live_.load(detail::memory_order::acquire);
    if (running == 0) return true;
    if (!os::futex_wait(live_, running, deadline) && live_.load(detail::memory_order::acquire) != 0) return false;
  }
}

bool crew::join(instant deadline) noexcept {
  std::lock_guard guard(creation_lock_);
  bool all = true;
  for (auto& each : workers_) all = (!each->thread.is_joinable() || each->thread.join_until(deadline)) && all;
  for (auto& each : ended_) all = (!each.is_joinable() || each.join_until(deadline)) && all;
  return all;
}

void crew::join_ended() noexcept {
  std::erase_if(ended_, [](os::thread& each) { return !each.is_joinable() || each.join_until({}); });
}

void crew::detach() noexcept {
  std::lock_guard guard(creation_lock_);
  is_detached_ = true;
  for (auto& each : workers_) {
    if (each->thread.is_joinable()) each->thread.detach();
  }
  for (auto& each : ended_) {
    if (each.is_joinable()) each.detach();
  }
  ended_.clear();
}

void crew::note_end(worker& ended) noexcept {
  {
    std::lock_guard guard(creation_lock_);
    if (ended.thread.is_joinable()) ended_.push_back(std::move(ended.thread)); // not joinable before this returns
    if (!core_.is_terminating()) join_ended();
    // A spare that ends with the runtime was not taken out; the monitor may make a thread still, on this very worker.
    spares_.withdraw(ended);
    vacant_.push_back(&ended);
    ended_count_.fetch_add(1, detail::memory_order::release);
  }
  if (live_.fetch_sub(1, detail::memory_order::acq_rel) == 1) os::futex_wake_all(live_);
}

} // namespace weir::rt
