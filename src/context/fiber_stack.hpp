// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stacks of fibers: reserved address space with a guard page below, kept for reuse.
//
// The kernel gives a stack memory page by page as it is touched, so a large stack that is little used costs one or two
// pages. A pool keeps at most `max_cached` stacks and unmaps what comes back beyond that; the newest is given out
// first, because its pages are still in the caches. A cached stack keeps the pages it has touched; trim() gives them
// up.
//
// Who writes  R1 `cached_` and the counters only under the lock. R2 mapping and unmapping happen outside the lock.
#include "base/spin_lock.hpp"
#include "os/virtual_memory.hpp"

#include <cstddef>
#include <expected>
#include <span>
#include <system_error>
#include <vector>

namespace weir::rt {

/// One stack: a guard page at the low end, and above it memory that grows downwards.
class fiber_stack {
public:
  /// Maps a stack of at least `bytes` usable bytes.
  ///
  /// Errors: not_enough_memory.
  static std::expected<fiber_stack, std::error_code> map(std::size_t bytes) noexcept;

  fiber_stack() noexcept = default;

  /// Without the guard page.
  std::span<std::byte> usable() const noexcept;
  bool empty() const noexcept { return range_.empty(); }

private:
  os::address_range range_;
};

struct stack_pool_options {
  std::size_t stack_bytes = std::size_t{256} * 1024; ///< usable bytes of each stack, rounded up to pages
  std::size_t max_cached = 64;                       ///< stacks kept for reuse
};

struct stack_pool_counts {
  std::size_t in_use = 0;
  std::size_t cached = 0;
  std::size_t mapped_ever = 0;
};

/// Thread: any. Every stack must have come back before the pool is destroyed.
class stack_pool {
public:
  explicit stack_pool(stack_pool_options options = {});
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;
  ~stack_pool();

  /// Errors: not_enough_memory when no stack is cached and the system has no room for another.
  std::expected<fiber_stack, std::error_code> take();
  /// Takes a stack back that take() gave.
  void give(fiber_stack stack) noexcept;
  /// Unmaps what is cached.
  void trim() noexcept;
  stack_pool_counts counts() const noexcept;

private:
  const stack_pool_options options_;
  mutable spin_lock lock_{"the fiber stack pool"};
  std::vector<fiber_stack> cached_;
  stack_pool_counts counts_;
};

} // namespace weir::rt
