// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a task_scope and its children share. It lives in the scope, so in the frame of whoever waits for the children.
//
//   child       counted in live   on the list   may be stopped by
//   spawned     yes               no            begin(), which then says no: the body never runs
//   running     yes               yes           request_cancel on its task, under the lock
//   gone        no                no
//
// Who writes  R1 everything under the lock, but the stop state's own. R2 a child is on the list from its first poll until its place
//                is destroyed, so the task behind it is alive while the lock is held.
//             R3 a place is destroyed after the child's body with all its captures, as the last part of the child's
//             context: who sees
//                live == 0 finds nothing of a child left, and the place's last access to the scope is releasing the
//                lock.
// Errors      the first that leaves a child is kept here without an allocation and stops the others; the rest is kept
// in a list, each
//             in a block of its own; one for which there is no memory is only counted.
// Destroying  stops the children and blocks the thread until they are gone, also while the owner's frame is being
// destroyed because
//             the owner was stopped: a stop travels down the tree of scopes.
#include <weir/detail/stop_state.hpp>
#include <weir/detail/wait_operation.hpp>
#include <weir/runtime.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace weir::detail {

class scope_state;

/// A child's place in its scope, part of the child's context.
class child_place {
public:
  explicit child_place(scope_state& scope) noexcept;
  child_place(child_place&& other) noexcept : scope_(std::exchange(other.scope_, nullptr)) {} // before begin()
  child_place& operator=(child_place&&) = delete;
  ~child_place();

  /// From the child's first poll. False: the scope was stopped, the body must not run.
  [[nodiscard]] bool begin() noexcept;
  /// The body ended by the current exception.
  void fail(std::exception_ptr why) noexcept;

private:
  friend scope_state;
  scope_state* scope_;
  task_header* task_ = nullptr;
  child_place* next_ = nullptr;
  child_place* previous_ = nullptr;
};

class scope_state {
public:
  explicit scope_state(rt::runtime_core& core) noexcept : core_(core) {}
  scope_state(const scope_state&) = delete;
  scope_state& operator=(const scope_state&) = delete;
  ~scope_state();

  bool request_stop() noexcept;
  bool is_stopping() const noexcept { return stop_.is_requested(); }
  void note_error(std::exception_ptr why) noexcept;
  std::vector<std::exception_ptr> errors();
  std::exception_ptr first_error() noexcept;
  std::size_t live() noexcept;
  rt::runtime_core& core() const noexcept { return core_; }
  stop_state& stop() noexcept { return stop_; }

private:
  friend child_place;
  friend class scope_wait;
  struct kept_error {
    std::exception_ptr what;
    std::unique_ptr<kept_error> next;
  };

  rt::runtime_core& core_;
  lock_word lock_;
  bool is_stopping_ = false;
  std::size_t live_ = 0;
  std::size_t lost_errors_ = 0;
  child_place* first_child_ = nullptr;
  waiter_list joiners_;
  std::exception_ptr first_error_;
  std::unique_ptr<kept_error> more_errors_; // newest first
  stop_state stop_;
};

/// Waits until no child is left.
class scope_wait : public waiter {
public:
  static constexpr const char* waits_for = "the children of a scope";
  explicit scope_wait(scope_state& of, bool rethrows = true) noexcept : scope_(of), rethrows_(rethrows) {}
  bool try_now() noexcept { return scope_.live() == 0; }
  bool enqueue() noexcept;
  bool withdraw(wake_list* wakes) noexcept;
  void give_back() const noexcept {}
  void take() {
    if (std::exception_ptr why = rethrows_ ? scope_.first_error() : nullptr) std::rethrow_exception(std::move(why));
  }

private:
  scope_state& scope_;
  bool rethrows_;
};

} // namespace weir::detail
