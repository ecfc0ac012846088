// SPDX-License-Identifier: Apache-2.0
#pragma once

// The block behind a task whose context is a fiber.
#include <weir/detail/task_cell.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace weir {
namespace rt {
class fiber;
}

namespace detail {

/// Makes a fiber on the runtime's stacks. Errors: std::bad_alloc.
rt::fiber* make_fiber(rt::runtime_core& core, void (*entry)(void*), void* argument);
/// Destroys a fiber that never ran, or has ended.
void destroy_fiber(rt::fiber* fiber) noexcept;
/// Runs the fiber until it suspends or ends; `error` is what left its entry.
poll_outcome poll_fiber(rt::fiber& fiber, std::exception_ptr& error) noexcept;
/// Unwinds the fiber's stack.
void cancel_fiber(rt::fiber& fiber) noexcept;

template <class F, class T> struct fiber_cell final : task_cell<T> {
  std::optional<F> function; // reset when the context ends
  rt::fiber* fiber = nullptr;

  fiber_cell(rt::runtime_core& on, F&& what)
      : task_cell<T>(operations, task_kind::fiber), function(std::move(what)), fiber(make_fiber(on, enter, this)) {}

private:
  ~fiber_cell() = default;

  // Leaves by the exception of the function, so that the one that unwinds a cancelled fiber reaches its bottom.
  static void enter(void* self) {
    auto& cell = *static_cast<fiber_cell*>(self);
    if constexpr (std::is_void_v<T>) {
      (*cell.function)();
      cell.result.set_value();
    } else if constexpr (std::is_reference_v<T>) {
      cell.result.set_value(std::addressof((*cell.function)()));
    } else {
      cell.result.set_value((*cell.function)());
    }
  }
  static poll_outcome poll(task_header& task) {
    auto& cell = static_cast<fiber_cell&>(task);
    std::exception_ptr error;
    if (poll_fiber(*cell.fiber, error) == poll_outcome::suspended) return poll_outcome::suspended;
    if (error != nullptr) cell.fail(std::move(error));
    end(cell);
    return poll_outcome::completed;
  }
  static void cancel(task_header& task) noexcept {
    auto& cell = static_cast<fiber_cell&>(task);
    cancel_fiber(*cell.fiber);
    cell.result.reset(); // a function that swallows the unwinding may have returned a value
    end(cell);
  }
  // The function's captures end with the context, before anybody hears of the result.
  static void end(fiber_cell& cell) noexcept {
    destroy_fiber(std::exchange(cell.fiber, nullptr));
    cell.function.reset();
  }
  static void destroy(task_header& task) noexcept { delete &static_cast<fiber_cell&>(task); }

  static constexpr task_operations operations{poll, cancel, task_cell<T>::discard, destroy, nullptr};
};

} // namespace detail
} // namespace weir
