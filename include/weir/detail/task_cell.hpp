// SPDX-License-Identifier: Apache-2.0
#pragma once

// The blocks behind spawned tasks: header, result, and the context that fills it.
#include <weir/check.hpp>
#include <weir/detail/task_header.hpp>
#include <weir/join_result.hpp>
#include <weir/task.hpp>

#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>

namespace weir::detail {

template <class T> struct task_cell : task_header {
  using task_header::task_header;
  join_result<T> result;

  static std::exception_ptr discard(task_header& task) noexcept {
    auto& outcome = static_cast<task_cell&>(task).result;
    std::exception_ptr unobserved = outcome.exception();
    outcome.reset();
    return unobserved;
  }

  /// Stores what `produce` returns or throws.
  template <class Produce> void run(Produce&& produce) noexcept {
    try {
      if constexpr (std::is_void_v<T>) {
        produce();
        result.set_value();
      } else if constexpr (std::is_reference_v<T>) {
        result.set_value(std::addressof(produce()));
      } else {
        result.set_value(produce());
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void fail(std::exception_ptr why) noexcept {
    result.set_exception(std::move(why));
    has_failed = true;
  }

protected:
  ~task_cell() = default;
};

void schedule_root(task_header& task) noexcept;

/// A task whose context is a coroutine; also the root of block_on, which its own thread polls.
template <class T> struct coroutine_cell final : task_cell<T> {
  std::coroutine_handle<task_promise<T>> frame;

  coroutine_cell(task<T>&& body, task_kind what)
      : task_cell<T>(what == task_kind::root ? root_operations : operations, what), frame(task_access::release(body)) {
    WEIR_CHECK(frame != nullptr, "a task can be spawned once, and not after it was moved from");
    this->leaf = frame;
  }

private:
  ~coroutine_cell() = default;

  static poll_outcome poll(task_header& task) {
    auto& cell = static_cast<coroutine_cell&>(task);
    cell.leaf.resume();
    if (!cell.frame.done()) return poll_outcome::suspended;
    auto& promise = cell.frame.promise();
    if (promise.exception() != nullptr) {
      cell.fail(promise.exception());
    } else {
      cell.run([&]() -> T { return promise.take(); });
    }
    destroy_frame(cell.frame, promise);
    return poll_outcome::completed;
  }
  static void cancel(task_header& task) noexcept {
    auto& cell = static_cast<coroutine_cell&>(task);
    destroy_frame(cell.frame, cell.frame.promise());
  }
  static void destroy(task_header& task) noexcept { delete &static_cast<coroutine_cell&>(task); }

  static constexpr task_operations operations{poll, cancel, task_cell<T>::discard, destroy, nullptr};
  static constexpr task_operations root_operations{poll, cancel, task_cell<T>::discard, destroy, schedule_root};
};

/// True for coroutines whose suspension suspends the task that runs them.
template <class Promise> inline constexpr bool is_part_of_task = std::is_base_of_v<task_promise_base, Promise>;

/// Suspends the awaiting coroutine `self` until `target` completes. False: it has completed, go on.
bool suspend_until_complete(task_header& target, std::coroutine_handle<> self, bool is_part_of_task) noexcept;

} // namespace weir::detail
