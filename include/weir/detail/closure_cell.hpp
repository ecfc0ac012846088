// SPDX-License-Identifier: Apache-2.0
#pragma once

// The block behind a closure that runs without a permit.
#include <weir/detail/task_cell.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace weir::detail {

template <class F, class T> struct closure_cell final : task_header {
  join_result<T> outcome;    // task.leaf points to it once it is there
  std::optional<F> function; // reset before anybody hears of the result

  explicit closure_cell(F&& what) : task_header(operations, task_kind::closure), function(std::move(what)) {}

private:
  ~closure_cell() = default;

  static poll_outcome poll(task_header& task) {
    auto& cell = static_cast<closure_cell&>(task);
    run_into(cell.outcome, task, [&]() -> T { return (*cell.function)(); });
    cell.function.reset();
    cell.leaf = &cell.outcome;
    return poll_outcome::completed;
  }
  static void cancel(task_header& task) noexcept { static_cast<closure_cell&>(task).function.reset(); }
  static std::exception_ptr discard(task_header& task) noexcept {
    if (std::exchange(task.leaf, nullptr) == nullptr) return nullptr;
    auto& outcome = static_cast<closure_cell&>(task).outcome;
    std::exception_ptr unobserved = outcome.exception();
    outcome.reset();
    return unobserved;
  }
  static void destroy(task_header& task) noexcept { delete &static_cast<closure_cell&>(task); }

  static constexpr task_operations operations{poll, cancel, discard, destroy, nullptr};
};

} // namespace weir::detail
