// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/detail/atomic.hpp>

namespace weir::detail {

/// A flag that the runner writes and a dump reads.
class task_flag {
public:
  task_flag(bool value) noexcept : value_(value) {}
  task_flag(const task_flag& other) noexcept : value_(other.get()) {}
  task_flag& operator=(const task_flag& other) noexcept {
    set(other.get());
    return *this;
  }
  bool get() const noexcept { return value_.load(memory_order::relaxed); }
  void set(bool value) noexcept { value_.store(value, memory_order::relaxed); }

private:
  atomic<bool> value_;
};

} // namespace weir::detail
