// SPDX-License-Identifier: Apache-2.0
// Blocking regions: the holder's side of the race for the permit. The monitor's side is in monitor.cpp, the word in
// call_word.hpp, the whole story in doc/design/blocking.md.
#include "sched/runtime_core.hpp"

#include <weir/blocking.hpp>

namespace weir {
namespace rt {

void worker::enter_region() noexcept {
  if (region_depth_++ != 0 || held_ == nullptr) return;
  permit& mine = *held_;
  call_word word = call_word::unpack(mine.call.load(detail::memory_order::relaxed));
  word.phase = permit_phase::call;
  ++word.generation;
  mine.stamp.store(core_.now().nanoseconds, detail::memory_order::relaxed);
  call_ = word.pack();
  mine.call.store(call_, detail::memory_order::release); // call_word.hpp O1
}

void worker::leave_region() noexcept {
  if (region_depth_ != 1) {
    --region_depth_;
    return;
  }
  call_word running = call_word::unpack(call_);
  running.phase = permit_phase::run;
  if (std::uint64_t expected = call_;
      held_ == nullptr || !held_->call.compare_exchange_strong(expected, running.pack(), detail::memory_order::acq_rel,
                                                               detail::memory_order::relaxed)) {
    if (context_.task != nullptr) ++context_.task->stats.handoffs;
    take_permit_back();
  }
  region_depth_ = 0;
}

void worker::take_permit_back() noexcept {
  held_ = core_.claim_or_enqueue(*this);
  if (held_ == nullptr) held_ = wait_for_permit();
}

bool worker::is_permit_wanted() const noexcept { return core_.has_demand() && !core_.idle().has_free(); }

bool worker::release_permit() noexcept {
  if (core_.grant_to_returner(*held_)) {
    held_ = nullptr;
  } else {
    auto next = core_.threads().reserve();
    if (!next) {
      core_.count_missing_thread(next.error());
      return false;
    }
    (*next)->grant(*std::exchange(held_, nullptr));
  }
  core_.handoffs.fetch_add(1, detail::memory_order::relaxed);
  return true;
}

void worker::offer_permit() noexcept {
  if (!is_permit_wanted()) return;
  if (release_permit()) {
    take_permit_back();
  } else {
    drive_once();
  }
}

void worker::wait_blocked(parker& wake, bool (*is_over)(void*) noexcept, void* argument) noexcept {
  bool drives = false;
  while (!is_over(argument)) {
    // Other work waits already: the permit goes at once, without a grace. When no thread can take it, this one runs the
    // work.
    if (is_permit_wanted() && (drives || !release_permit())) {
      drives = drive_once();
      if (drives) continue;
    }
    enter_region();
    drives = sleep_until_over(wake, is_over, argument);
    leave_region();
  }
}

bool worker::sleep_until_over(parker& wake, bool (*is_over)(void*) noexcept, void* argument) noexcept {
  {
    std::lock_guard guard(attention_lock_);
    waits_on_ = &wake;
    wants_driving_ = false;
  }
  bool is_asked = false;
  while (!is_asked && !is_over(argument)) {
    wake.park();
    std::lock_guard guard(attention_lock_);
    is_asked = wants_driving_;
  }
  std::lock_guard guard(attention_lock_);
  waits_on_ = nullptr;
  return is_asked;
}

bool worker::drive_once() noexcept {
  if (core_.returners().size() != 0 && core_.grant_to_returner(*held_)) {
    held_ = nullptr;
    take_permit_back();
    return true;
  }
  task_header* task = next_task();
  if (is_searching_) stop_searching();
  if (task == nullptr) return false;
  execute(*task);
  return true;
}

bool worker::ask_to_drive() noexcept {
  std::lock_guard guard(attention_lock_);
  if (waits_on_ == nullptr) return false;
  wants_driving_ = true;
  waits_on_->unpark();
  return true;
}

} // namespace rt

namespace detail {

blocking_region::blocking_region() noexcept {
  rt::thread_context* context = rt::current_context();
  if (context != nullptr && context->on != nullptr) context->on->enter_region();
}

blocking_region::~blocking_region() {
  rt::thread_context* context = rt::current_context();
  if (context != nullptr && context->on != nullptr) context->on->leave_region();
}

} // namespace detail
} // namespace weir
