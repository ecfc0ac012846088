// SPDX-License-Identifier: Apache-2.0
#include "context/fiber_stack.hpp"

#include "context/sanitizer.hpp"

#include <weir/check.hpp>

#include <mutex>
#include <utility>

namespace weir::rt {

std::expected<fiber_stack, std::error_code> fiber_stack::map(std::size_t bytes) noexcept {
  std::size_t usable = os::round_up_to_pages(bytes);
  if (usable == 0) return std::unexpected(std::make_error_code(std::errc::not_enough_memory));
  auto range = os::address_range::reserve(usable + os::page_bytes());
  if (!range) return std::unexpected(range.error());
  if (auto done = range->commit(0, range->size()); !done) return std::unexpected(done.error());
  if (auto done = range->guard(0, os::page_bytes()); !done) return std::unexpected(done.error());
  fiber_stack stack;
  stack.range_ = std::move(*range);
  return stack;
}

std::span<std::byte> fiber_stack::usable() const noexcept {
  if (range_.empty()) return {};
  return std::span(range_.data(), range_.size()).subspan(os::page_bytes());
}

// Room for every cached stack is made here, so that giving one back never allocates.
stack_pool::stack_pool(stack_pool_options options) : options_(options) { cached_.reserve(options.max_cached); }

stack_pool::~stack_pool() {
  WEIR_CHECK(counts_.in_use == 0, "a stack pool is destroyed while fibers use its stacks", counts_.in_use);
}

std::expected<fiber_stack, std::error_code> stack_pool::take() {
  {
    std::scoped_lock guard(lock_);
    ++counts_.in_use;
    if (!cached_.empty()) {
      fiber_stack stack = std::move(cached_.back());
      cached_.pop_back();
      return stack;
    }
  }
  auto fresh = fiber_stack::map(options_.stack_bytes);
  std::scoped_lock guard(lock_);
  if (fresh)
    ++counts_.mapped_ever;
  else
    --counts_.in_use;
  return fresh;
}

void stack_pool::give(fiber_stack stack) noexcept {
  WEIR_CHECK(!stack.empty(), "an empty stack is given to a pool");
  forget_frames_on(stack.usable());
  std::scoped_lock guard(lock_); // `stack`, when it is not cached, is unmapped after the lock is given up
  --counts_.in_use;
  if (cached_.size() < options_.max_cached) cached_.push_back(std::move(stack));
}

void stack_pool::trim() noexcept {
  for (;;) {
    fiber_stack newest; // declared first, so that it is unmapped after the lock is given up
    std::scoped_lock guard(lock_);
    if (cached_.empty()) return;
    newest = std::move(cached_.back());
    cached_.pop_back();
  }
}

stack_pool_counts stack_pool::counts() const noexcept {
  std::scoped_lock guard(lock_);
  stack_pool_counts counts = counts_;
  counts.cached = cached_.size();
  return counts;
}

} // namespace weir::rt
