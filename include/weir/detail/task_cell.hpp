// SPDX-License-Identifier: Apache-2.0
#pragma once

// How spawned coroutines become tasks: the header before or beside the frame, and the result in the frame's place.
#include <weir/check.hpp>
#include <weir/detail/task_block.hpp>
#include <weir/join_result.hpp>
#include <weir/task.hpp>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace weir::detail {

void schedule_root(task_header& task) noexcept;

/// Destroys the result in `task.leaf`; returns the exception it held, if any.
template <class T> std::exception_ptr discard_result(task_header& task) noexcept {
  auto* outcome = static_cast<join_result<T>*>(std::exchange(task.leaf, nullptr));
  if (outcome == nullptr) return nullptr;
  std::exception_ptr unobserved = outcome->exception();
  std::destroy_at(outcome);
  return unobserved;
}

/// Stores what `produce` returns or throws.
template <class T, class Produce>
void run_into(join_result<T>& outcome, task_header& task, Produce&& produce) noexcept {
  try {
    if constexpr (std::is_void_v<T>) {
      produce();
      outcome.set_value();
    } else if constexpr (std::is_reference_v<T>) {
      outcome.set_value(std::addressof(produce()));
    } else {
      outcome.set_value(produce());
    }
  } catch (...) {
    outcome.set_exception(std::current_exception());
    task.block.has_failed = true;
  }
}

/// A task whose context is a coroutine; also the root of block_on, which its own thread polls.
template <class T> class coroutine_task {
  using promise_type = task_promise<T>;
  using frame_handle = std::coroutine_handle<promise_type>;
  using result_type = join_result<T>;

  struct attached_header final : task_header {
    using task_header::task_header;
  };
  struct detached_header final : task_header {
    using task_header::task_header;
    void* frame = nullptr;
    alignas(result_type) std::byte result[sizeof(result_type)];
  };
  static_assert(sizeof(result_type) <= sizeof(promise_type) + 2 * sizeof(void*), "the result fits where the frame was");
  static_assert(alignof(result_type) <= block_unit, "a task's result is aligned as malloc aligns");

public:
  /// Makes a task of a coroutine that nobody has awaited. Errors: std::bad_alloc; `body` keeps the coroutine then.
  static task_header& adopt(task<T>& body, task_kind what) {
    frame_handle frame = task_access::frame(body);
    WEIR_CHECK(frame != nullptr, "a task can be spawned once, and not after it was moved from");
    bool is_allocated = frame.promise().is_allocated();
    task_header& made = is_allocated && (origin_of(frame.address()).size_class & header_fits) != 0
                            ? attach(frame.address(), what)
                            : detach(frame, what, is_allocated);
    made.leaf = frame.address();
    task_access::release(body);
    return made;
  }

private:
  static task_header& attach(void* frame, task_kind what) noexcept {
    block_origin origin = origin_of(frame);
    auto* made = new (header_place(frame)) attached_header(what == task_kind::root ? attached_root : attached, what);
    origin.kind = what;
    origin.size_class |= header_lives;
    made->block = origin;
    return *made;
  }
  static task_header& detach(frame_handle frame, task_kind what, bool is_allocated) {
    block_origin origin;
    void* place = allocate_header(sizeof(detached_header), origin);
    auto* made = new (place) detached_header(what == task_kind::root ? detached_root : detached, what);
    origin.kind = what;
    made->block = origin;
    made->frame = frame.address();
    if (is_allocated) {
      std::uint64_t seen = std::uint64_t{1} << size_bit_of(origin_of(frame.address()));
      if ((spawned_sizes<T>.load(memory_order::relaxed) & seen) == 0)
        spawned_sizes<T>.fetch_or(seen, memory_order::relaxed);
    }
    return *made;
  }

  template <bool IsDetached> static frame_handle frame_of(task_header& task) noexcept {
    if constexpr (IsDetached) return frame_handle::from_address(static_cast<detached_header&>(task).frame);
    return frame_handle::from_address(&task + 1);
  }

  template <bool IsDetached> static poll_outcome poll(task_header& task) {
    std::coroutine_handle<>::from_address(task.leaf).resume();
    frame_handle frame = frame_of<IsDetached>(task);
    if (!frame.done()) return poll_outcome::suspended;
    auto& promise = frame.promise();
    result_type outcome;
    if (auto failure = promise.exception()) {
      outcome.set_exception(std::move(failure));
      task.block.has_failed = true;
    } else {
      run_into(outcome, task, [&]() -> T { return promise.take(); });
    }
    if (auto failure = destroy_frame(frame, promise)) {
      outcome.set_exception(std::move(failure));
      task.block.has_failed = true;
    }
    task.leaf = keep(place_of<IsDetached>(task), task, std::move(outcome));
    return poll_outcome::completed;
  }
  /// Where the result of a task lies whose frame is gone.
  template <bool IsDetached> static void* place_of(task_header& task) noexcept {
    if constexpr (IsDetached) return static_cast<detached_header&>(task).result;
    return &task + 1;
  }
  static result_type* keep(void* place, task_header& task, result_type&& outcome) noexcept {
    try {
      return new (place) result_type(std::move(outcome));
    } catch (...) { // the value's move threw
      auto* made = new (place) result_type;
      made->set_exception(std::current_exception());
      task.block.has_failed = true;
      return made;
    }
  }
  template <bool IsDetached> static void cancel(task_header& task) noexcept {
    frame_handle frame = frame_of<IsDetached>(task);
    task.leaf = nullptr;
    if (auto failure = destroy_frame(frame, frame.promise())) {
      auto* made = new (place_of<IsDetached>(task)) result_type;
      made->set_exception(std::move(failure));
      task.block.has_failed = true;
      task.leaf = made;
    }
  }
  template <class Header> static void destroy(task_header& task) noexcept {
    block_origin origin = task.block;
    std::destroy_at(static_cast<Header*>(&task));
    free_block(&task, origin);
  }

  static constexpr task_operations attached{poll<false>, cancel<false>, discard_result<T>, destroy<attached_header>,
                                            nullptr};
  static constexpr task_operations attached_root{poll<false>, cancel<false>, discard_result<T>,
                                                 destroy<attached_header>, schedule_root};
  static constexpr task_operations detached{poll<true>, cancel<true>, discard_result<T>, destroy<detached_header>,
                                            nullptr};
  static constexpr task_operations detached_root{poll<true>, cancel<true>, discard_result<T>, destroy<detached_header>,
                                                 schedule_root};
};

/// True for coroutines whose suspension suspends the task that runs them.
template <class Promise> inline constexpr bool is_part_of_task = std::is_base_of_v<task_promise_base, Promise>;

/// Suspends the awaiting coroutine `self` until `target` completes. False: it has completed, go on.
bool suspend_until_complete(task_header& target, std::coroutine_handle<> self, bool is_part_of_task) noexcept;

} // namespace weir::detail
