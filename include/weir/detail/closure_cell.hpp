// SPDX-License-Identifier: Apache-2.0
#pragma once

// The block behind a closure that runs without a permit.
#include <weir/detail/task_cell.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace weir::detail {

template <class F, class T> struct closure_cell final : task_cell<T> {
  std::optional<F> function; // reset before anybody hears of the result

  explicit closure_cell(F&& what) : task_cell<T>(operations, task_kind::closure), function(std::move(what)) {}

private:
  ~closure_cell() = default;

  static poll_outcome poll(task_header& task) {
    auto& cell = static_cast<closure_cell&>(task);
    cell.run([&]() -> T { return (*cell.function)(); });
    cell.function.reset();
    return poll_outcome::completed;
  }
  static void cancel(task_header& task) noexcept { static_cast<closure_cell&>(task).function.reset(); }
  static void destroy(task_header& task) noexcept { delete &static_cast<closure_cell&>(task); }

  static constexpr task_operations operations{poll, cancel, task_cell<T>::discard, destroy, nullptr};
};

} // namespace weir::detail
