// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/detail/task_header.hpp>

#include <utility>

namespace weir::detail {

/// A counted handle with which anybody may cause a suspended task to be polled again.
///
/// Thread: any. Lifetime: outlives the task and the runtime; a late wake does nothing. Cost: no allocation.
class waker {
public:
  waker() = default;
  explicit waker(task_header& task) noexcept : task_(&task) { add_reference(task); }
  waker(const waker& other) noexcept : task_(other.task_) {
    if (task_ != nullptr) add_reference(*task_);
  }
  waker(waker&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  waker& operator=(waker other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~waker() {
    if (task_ != nullptr) drop_reference(*task_);
  }
  explicit operator bool() const noexcept { return task_ != nullptr; }
  void wake() const noexcept { detail::wake(*task_); }

private:
  task_header* task_ = nullptr;
};

} // namespace weir::detail
