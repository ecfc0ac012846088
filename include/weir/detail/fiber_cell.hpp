// SPDX-License-Identifier: Apache-2.0
#pragma once

// The block behind a task whose context is a fiber.
#include <weir/detail/fork.hpp>
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
poll_outcome poll_fiber(rt::fiber& fiber, fork_list& forks, std::exception_ptr& error) noexcept;
/// Unwinds the fiber's stack.
void cancel_fiber(rt::fiber& fiber, fork_list& forks) noexcept;

template <class F, class T> struct fiber_cell final : task_header {
  join_result<T> outcome;    // task.leaf points to it once it is there
  std::optional<F> function; // reset when the context ends
  rt::fiber* fiber = nullptr;
  fork_list forks; // of the fiber's stack

  fiber_cell(rt::runtime_core& on, F&& what)
      : task_header(operations, task_kind::fiber), function(std::move(what)), fiber(make_fiber(on, enter, this)) {}

private:
  ~fiber_cell() = default;

  // Leaves by the exception of the function, so that the one that unwinds a cancelled fiber reaches its bottom.
  static void enter(void* self) {
    auto& cell = *static_cast<fiber_cell*>(self);
    if constexpr (std::is_void_v<T>) {
      (*cell.function)();
      cell.outcome.set_value();
    } else if constexpr (std::is_reference_v<T>) {
      cell.outcome.set_value(std::addressof((*cell.function)()));
    } else {
      cell.outcome.set_value((*cell.function)());
    }
  }
  static poll_outcome poll(task_header& task) {
    auto& cell = static_cast<fiber_cell&>(task);
    std::exception_ptr error;
    if (poll_fiber(*cell.fiber, cell.forks, error) == poll_outcome::suspended) return poll_outcome::suspended;
    if (error != nullptr) {
      cell.outcome.set_exception(std::move(error));
      cell.block.has_failed = true;
    }
    end(cell);
    cell.leaf = &cell.outcome;
    return poll_outcome::completed;
  }
  static void cancel(task_header& task) noexcept {
    auto& cell = static_cast<fiber_cell&>(task);
    cancel_fiber(*cell.fiber, cell.forks);
    cell.outcome.reset(); // a function that swallows the unwinding may have returned a value
    end(cell);
  }
  static std::exception_ptr discard(task_header& task) noexcept {
    if (std::exchange(task.leaf, nullptr) == nullptr) return nullptr;
    auto& outcome = static_cast<fiber_cell&>(task).outcome;
    std::exception_ptr unobserved = outcome.exception();
    outcome.reset();
    return unobserved;
  }
  // The function's captures end with the context, before anybody hears of the result.
  static void end(fiber_cell& cell) noexcept {
    destroy_fiber(std::exchange(cell.fiber, nullptr));
    cell.function.reset();
  }
  static void destroy(task_header& task) noexcept { delete &static_cast<fiber_cell&>(task); }

  static constexpr task_operations operations{poll, cancel, discard, destroy, nullptr};
};

} // namespace detail
} // namespace weir
