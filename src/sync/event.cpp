// SPDX-License-Identifier: Apache-2.0
// A flag and a list under one lock: that a wait begins and that the flag is set are decided in one order.
#include <weir/event.hpp>

#include <weir/check.hpp>

#include <mutex>

namespace weir {

event::~event() {
  std::lock_guard guard(lock_); // set() may be about to leave it
  WEIR_CHECK(waiters_.empty(), "an event is destroyed while somebody waits for it");
}

void event::set() noexcept {
  detail::wake_list wakes;
  std::lock_guard guard(lock_);
  is_set_.store(true, detail::memory_order::release);
  while (detail::waiter* node = waiters_.pop_front()) wakes.decide(*node, detail::wait_state::granted);
}

void event::reset() noexcept {
  std::lock_guard guard(lock_);
  is_set_.store(false, detail::memory_order::relaxed);
}

namespace detail {

bool event_wait::enqueue() noexcept {
  std::lock_guard guard(event_.lock_);
  if (event_.is_set_.load(memory_order::relaxed) && !WEIR_MUTANT("event: a wait does not look under the lock"))
    return false;
  event_.waiters_.push_back(*this);
  return true;
}

bool event_wait::withdraw(wake_list* wakes) noexcept {
  std::lock_guard guard(event_.lock_);
  if (seen() != wait_state::waiting) return false;
  event_.waiters_.erase(*this);
  if (wakes != nullptr) {
    wakes->decide(*this, wait_state::withdrawn);
  } else {
    set(wait_state::withdrawn);
  }
  return true;
}

} // namespace detail
} // namespace weir
