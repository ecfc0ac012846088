// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who is told that a task has completed, in one word, so that every task has room for it.
#include <coroutine>
#include <cstdint>

namespace weir::detail {

struct task_header;

/// A waiter of any other kind. It must live until one of the two was called.
struct completion_hook {
  void (*wake)(completion_hook&) noexcept; // called once, by the completer
  void (*drop)(completion_hook&) noexcept; // called instead when the join handle takes the waiter back; may be null
};

class completion_waiter {
public:
  completion_waiter() = default;
  /// Wakes a task and drops the reference to it that the caller has taken for that.
  static completion_waiter task(task_header& waiting) noexcept { return {&waiting, tag_task}; }
  /// Resumes a coroutine that is part of no task, on the completer's thread.
  static completion_waiter coroutine(std::coroutine_handle<> waiting) noexcept {
    return {waiting.address(), tag_coroutine};
  }
  static completion_waiter hook(completion_hook& to_call) noexcept { return {&to_call, tag_hook}; }

  /// The completer's call. Nothing of the waiter is touched afterwards.
  void wake() const noexcept;
  /// The join handle's call.
  void drop() const noexcept;

private:
  static constexpr std::uintptr_t tag_task = 0;
  static constexpr std::uintptr_t tag_coroutine = 1;
  static constexpr std::uintptr_t tag_hook = 2;
  static constexpr std::uintptr_t tags = 3;

  completion_waiter(void* waiting, std::uintptr_t tag) noexcept
      : word_(reinterpret_cast<std::uintptr_t>(waiting) | tag) {}
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the low bits of the address are tags
  void* address() const noexcept { return reinterpret_cast<void*>(word_ & ~tags); }

  std::uintptr_t word_ = 0;
};

} // namespace weir::detail
