// SPDX-License-Identifier: Apache-2.0
#include <weir/task_scope.hpp>

#include <weir/check.hpp>

#include <algorithm>
#include <mutex>
#include <new>

namespace weir::detail {

child_place::child_place(scope_state& scope) noexcept : scope_(&scope) {
  std::lock_guard guard(scope.lock_);
  ++scope.live_;
}

child_place::~child_place() {
  if (scope_ == nullptr) return;
  wake_list wakes;
  std::lock_guard guard(scope_->lock_);
  if (task_ != nullptr) {
    (previous_ != nullptr ? previous_->next_ : scope_->first_child_) = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
  }
  if (--scope_->live_ != 0) return;
  while (waiter* joiner = scope_->joiners_.pop_front()) wakes.decide(*joiner, wait_state::granted);
}

bool child_place::begin() noexcept {
  std::lock_guard guard(scope_->lock_);
  if (scope_->is_stopping_ && !WEIR_MUTANT("task scope: a child begins after the stop")) return false;
  task_ = current_task();
  next_ = scope_->first_child_;
  if (next_ != nullptr) next_->previous_ = this;
  scope_->first_child_ = this;
  return true;
}

void child_place::fail(std::exception_ptr why) noexcept {
  scope_->note_error(std::move(why));
  scope_->request_stop();
}

scope_state::~scope_state() {
  if (live() == 0) return;
  request_stop();
  scope_wait all_gone(*this, false);
  auto enqueue = [](void* wait) noexcept { return static_cast<scope_wait*>(wait)->enqueue(); };
  wait_as_thread(all_gone, enqueue, &all_gone); // not as a fiber, whose stop would throw here
  std::lock_guard guard(lock_);                 // the last child may be about to leave it
}

bool scope_state::request_stop() noexcept {
  {
    std::lock_guard guard(lock_);
    if (std::exchange(is_stopping_, true)) return false;
    for (child_place* at = first_child_; at != nullptr; at = at->next_) request_cancel(*at->task_); // R2
  }
  stop_.request();
  return true;
}

void scope_state::note_error(std::exception_ptr why) noexcept {
  std::unique_ptr<kept_error> more(new (std::nothrow) kept_error);
  std::lock_guard guard(lock_);
  if (first_error_ == nullptr) {
    first_error_ = std::move(why);
  } else if (more == nullptr) {
    ++lost_errors_;
  } else {
    more->what = std::move(why);
    more->next = std::move(more_errors_);
    more_errors_ = std::move(more);
  }
}

std::vector<std::exception_ptr> scope_state::errors() {
  std::vector<std::exception_ptr> all;
  std::lock_guard guard(lock_);
  for (const kept_error* at = more_errors_.get(); at != nullptr; at = at->next.get()) all.push_back(at->what);
  if (first_error_ != nullptr) all.push_back(first_error_);
  std::ranges::reverse(all);
  return all;
}

std::exception_ptr scope_state::first_error() noexcept {
  std::lock_guard guard(lock_);
  return first_error_;
}

std::size_t scope_state::live() noexcept {
  std::lock_guard guard(lock_);
  return live_;
}

bool scope_wait::enqueue() noexcept {
  std::lock_guard guard(scope_.lock_);
  if (scope_.live_ == 0) return false;
  scope_.joiners_.push_back(*this);
  return true;
}

bool scope_wait::withdraw(wake_list* wakes) noexcept {
  std::lock_guard guard(scope_.lock_);
  if (seen() != wait_state::waiting) return false;
  scope_.joiners_.erase(*this);
  if (wakes != nullptr) {
    wakes->decide(*this, wait_state::withdrawn);
  } else {
    set(wait_state::withdrawn);
  }
  return true;
}

} // namespace weir::detail
