// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stack switching by ucontext, for processors that have no switch in assembly here. The switch keeps floating-point
// control words and the signal mask.
#include <cstddef>
#include <memory>
#include <span>

namespace weir::rt::os {

/// A stack that does not run, or the place where a running one will be left.
class user_context {
public:
  user_context();
  user_context(const user_context&) = delete;
  user_context& operator=(const user_context&) = delete;
  ~user_context();

private:
  friend void prepare_user_context(user_context& fresh, std::span<std::byte> stack,
                                   void (*entry)(user_context*)) noexcept;
  friend void switch_user_context(user_context& from, user_context& to) noexcept;
  static void enter(unsigned high, unsigned low);

  struct state;
  std::unique_ptr<state> state_;
};

/// Makes `fresh` a stack that starts in `entry(&fresh)`. `entry` must not return.
void prepare_user_context(user_context& fresh, std::span<std::byte> stack, void (*entry)(user_context*)) noexcept;

/// Leaves the running stack in `from` and goes on in `to`.
void switch_user_context(user_context& from, user_context& to) noexcept;

} // namespace weir::rt::os
