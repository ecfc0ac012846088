// SPDX-License-Identifier: Apache-2.0
#include "sched/crew.hpp"

#include "sched/runtime_core.hpp"

#include <string>

namespace weir::rt {

crew::crew(runtime_core& core, std::size_t max_threads, thread_factory make_thread)
    : core_(core), max_threads_(max_threads), make_thread_(std::move(make_thread)) {
  workers_.reserve(max_threads);
}

std::expected<worker*, no_thread> crew::start_worker() {
  std::lock_guard guard(creation_lock_);
  if (workers_.size() == max_threads_) return std::unexpected(no_thread::at_cap);
  auto number = static_cast<std::uint16_t>(workers_.size());
  worker& made = *workers_.emplace_back(std::make_unique<worker>(core_, number));
  live_.fetch_add(1, detail::memory_order::relaxed);
  core_.hold(); // the thread's reference, dropped by note_end's caller
  auto started = make_thread_(
      {"weir-" + std::to_string(number), 0}, [](void* self) { static_cast<worker*>(self)->main(); }, &made);
  if (!started) {
    core_.release();
    live_.fetch_sub(1, detail::memory_order::relaxed);
    workers_.pop_back();
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
  {
    std::lock_guard guard(spare_lock_);
    if (worker* spare = spares_) {
      spares_ = spare->next_spare;
      return spare;
    }
  }
  return start_worker();
}

void crew::put_back(worker& spare) noexcept {
  std::lock_guard guard(spare_lock_);
  spare.next_spare = spares_;
  spares_ = &spare;
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

void crew::join() noexcept {
  std::lock_guard guard(creation_lock_);
  for (auto& each : workers_) {
    if (each->thread.is_joinable()) each->thread.join();
  }
}

void crew::detach() noexcept {
  std::lock_guard guard(creation_lock_);
  is_detached_ = true;
  for (auto& each : workers_) {
    if (each->thread.is_joinable()) each->thread.detach();
  }
}

void crew::note_end() noexcept {
  if (live_.fetch_sub(1, detail::memory_order::acq_rel) == 1) os::futex_wake_all(live_);
}

} // namespace weir::rt
