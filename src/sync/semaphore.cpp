// SPDX-License-Identifier: Apache-2.0
// The contended half of semaphore and mutex; the protocol is in include/weir/semaphore.hpp.
#include <weir/semaphore.hpp>

#include <weir/check.hpp>

#include <mutex>
#include <string>

namespace weir {
namespace {

class category final : public std::error_category {
public:
  const char* name() const noexcept override { return "weir.sync"; }
  std::string message(int code) const override {
    switch (static_cast<sync_errc>(code)) {
    case sync_errc::closed: return "closed: close() was called and nothing is left to take";
    case sync_errc::would_block: return "the operation would have to wait; use the waiting form, or try again later";
    }
    return "unknown";
  }
};

} // namespace

const std::error_category& sync_category() noexcept {
  static const category instance;
  return instance;
}

namespace detail {

permit_queue::permit_queue(std::size_t permits) noexcept : word_(permits * permit) {}

permit_queue::~permit_queue() {
  std::lock_guard guard(lock_); // a release may be about to leave it
  WEIR_CHECK(waiters_.empty(), "a semaphore or mutex is destroyed while somebody waits for it");
}

void permit_queue::give_slowly(std::uint64_t count) noexcept {
  wake_list wakes;
  std::lock_guard guard(lock_);
  word_.fetch_add(count * permit, memory_order::release); // O1; somebody may have cleared bit 0 before the lock
  serve(wakes);
}

// Under the lock. What was free when a wait was put on the list, its compare-exchange has acquired; the rest came under the
// lock. Clearing bit 0 continues the release sequences of the givers.
void permit_queue::serve(wake_list& wakes) noexcept {
  while (waiter* node = waiters_.front()) {
    auto& next = static_cast<permit_wait&>(*node);
    if (word_.load(memory_order::relaxed) / permit < next.count_) return;
    word_.fetch_sub(next.count_ * permit, memory_order::relaxed);
    waiters_.erase(*node);
    next.has_permits_ = true;
    if (waiters_.empty()) word_.fetch_and(~waited_for, memory_order::relaxed);
    wakes.decide(*node, wait_state::granted);
  }
}

void permit_queue::close() noexcept {
  wake_list wakes;
  std::lock_guard guard(lock_);
  word_.fetch_or(closed, memory_order::release);
  while (waiter* node = waiters_.pop_front()) wakes.decide(*node, wait_state::granted);
  word_.fetch_and(~waited_for, memory_order::relaxed);
}

bool permit_wait::enqueue() noexcept {
  std::lock_guard guard(queue_.lock_);
  std::uint64_t word = queue_.word_.load(memory_order::relaxed);
  for (;;) {
    if ((word & permit_queue::closed) != 0) return false;
    bool takes = (word & permit_queue::waited_for) == 0 && word / permit_queue::permit >= count_;
    std::uint64_t after = takes ? word - count_ * permit_queue::permit : word | permit_queue::waited_for;
    if (!queue_.word_.compare_exchange_weak(word, after, memory_order::acquire, memory_order::relaxed)) continue; // O1
    has_permits_ = takes;
    if (!takes) queue_.waiters_.push_back(*this);
    return !takes;
  }
}

bool permit_wait::withdraw(wake_list* wakes) noexcept {
  wake_list others;
  std::lock_guard guard(queue_.lock_);
  if (seen() != wait_state::waiting) return false;
  queue_.waiters_.erase(*this);
  if (queue_.waiters_.empty()) queue_.word_.fetch_and(~permit_queue::waited_for, memory_order::relaxed);
  queue_.serve(others); // it may have stood before smaller requests
  if (wakes != nullptr) {
    wakes->decide(*this, wait_state::withdrawn);
  } else {
    set(wait_state::withdrawn);
  }
  return true;
}

} // namespace detail
} // namespace weir
