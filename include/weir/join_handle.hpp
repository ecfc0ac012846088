// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/detail/task_cell.hpp>
#include <weir/join_result.hpp>

#include <coroutine>
#include <cstdint>
#include <utility>

namespace weir {

/// Asks one task to stop; independent of its join handle.
///
/// Thread: any. Lifetime: outlives the task; late calls do nothing.
class abort_handle {
public:
  abort_handle() = default;
  explicit abort_handle(detail::task_header& task) noexcept : task_(&task) { detail::add_reference(task); }
  abort_handle(const abort_handle& other) noexcept : task_(other.task_) {
    if (task_ != nullptr) detail::add_reference(*task_);
  }
  abort_handle(abort_handle&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  abort_handle& operator=(abort_handle other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~abort_handle() {
    if (task_ != nullptr) detail::drop_reference(*task_);
  }

  /// Asks the task to stop at its next poll boundary; a completion that comes first wins.
  void abort() const noexcept {
    if (task_ != nullptr) detail::request_cancel(*task_);
  }

private:
  detail::task_header* task_ = nullptr;
};

/// The right to one task's outcome. Dropping it detaches the task.
///
/// Thread: may be moved between threads; used by one at a time. Lifetime: outlives the runtime.
template <class T> class join_handle {
public:
  join_handle() = default;
  explicit join_handle(detail::task_header& task) noexcept : task_(&task) {}
  join_handle(join_handle&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  join_handle& operator=(join_handle&& other) noexcept {
    if (this != &other) {
      detach();
      task_ = std::exchange(other.task_, nullptr);
    }
    return *this;
  }
  ~join_handle() { detach(); }

  explicit operator bool() const noexcept { return task_ != nullptr; }
  bool is_done() const noexcept { return detail::is_complete(*task_); }
  /// Names the task among those that are alive.
  std::uint64_t id() const noexcept { return reinterpret_cast<std::uintptr_t>(task_); }

  /// Asks the task to stop at its next poll boundary; a completion that comes first wins.
  void abort() noexcept { detail::request_cancel(*task_); }
  abort_handle get_abort_handle() const noexcept { return abort_handle(*task_); }

  /// Gives the outcome up. An exception nobody takes goes to runtime_options::on_unhandled.
  void detach() noexcept {
    if (task_ != nullptr) detail::drop_join(*std::exchange(task_, nullptr), false);
  }

  /// The task's counters. It must be done.
  task_stats stats() const noexcept { return task_->all_stats(); }

  /// Waits for the task and takes its outcome; the handle is empty afterwards.
  ///
  /// Suspends: a task or any other coroutine; one that is no weir task is resumed on the thread that completes this one.
  /// Cancels:  a task that is stopped while it waits leaves this task running and detached.
  auto operator co_await() noexcept { return awaiter{*this}; }

  /// Waits like co_await, from plain code.
  ///
  /// Suspends: a fiber; a thread blocks, as a blocking region when it is a worker.
  /// Cancels:  a fiber that is stopped while it waits leaves this task running and detached.
  join_result<T> wait() {
    detail::wait_for_completion(*task_);
    return take();
  }

private:
  struct awaiter {
    join_handle& handle;
    bool await_ready() const noexcept { return handle.is_done(); }
    template <class Promise> bool await_suspend(std::coroutine_handle<Promise> self) const noexcept {
      return detail::suspend_until_complete(*handle.task_, self, detail::is_part_of_task<Promise>);
    }
    join_result<T> await_resume() const { return handle.take(); }
  };

  join_result<T> take() {
    auto& task = *std::exchange(task_, nullptr);
    struct release {
      detail::task_header& of;
      ~release() {
        of.operations->discard(of); // what is left of the moved value
        detail::drop_join(of, true);
      }
    } at_end{task};
    auto* outcome = static_cast<join_result<T>*>(task.leaf);
    return outcome == nullptr ? join_result<T>() : std::move(*outcome);
  }

  detail::task_header* task_ = nullptr;
};

} // namespace weir
