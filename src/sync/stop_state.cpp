// SPDX-License-Identifier: Apache-2.0
#include <weir/detail/stop_state.hpp>

#include <weir/check.hpp>

#include <mutex>

namespace weir::detail {

bool stop_registration::attach(stop_state& to, void (*on_stop)(void*) noexcept, void* argument) noexcept {
  std::lock_guard guard(to.lock_);
  if (to.is_requested_.load(memory_order::relaxed)) return false;
  state_ = &to;
  on_stop_ = on_stop;
  argument_ = argument;
  next_ = to.first_;
  if (next_ != nullptr) next_->previous_ = this;
  to.first_ = this;
  is_listed_ = true;
  return true;
}

void stop_registration::detach() noexcept {
  if (state_ == nullptr) return;
  std::lock_guard guard(state_->lock_); // R3
  if (is_listed_) {
    (previous_ != nullptr ? previous_->next_ : state_->first_) = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
    is_listed_ = false;
  }
  state_ = nullptr;
}

stop_state::~stop_state() {
  std::lock_guard guard(lock_); // request() may be about to leave it
  WEIR_CHECK(first_ == nullptr, "a stop source is destroyed while a wait or a link refers to it");
}

stop_registration* stop_state::pop() noexcept {
  stop_registration* at = first_;
  if (at == nullptr) return nullptr;
  first_ = at->next_;
  if (first_ != nullptr) first_->previous_ = nullptr;
  at->is_listed_ = false;
  return at;
}

bool stop_state::request() noexcept {
  if (is_requested_.load(memory_order::seq_cst)) return false; // O2
  std::lock_guard guard(lock_);
  if (is_requested_.load(memory_order::relaxed)) return false;
  is_requested_.store(true, memory_order::seq_cst); // O1, O2
  while (stop_registration* at = pop()) at->on_stop_(at->argument_);
  requested_.set();
  return true;
}

} // namespace weir::detail
