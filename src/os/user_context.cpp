// SPDX-License-Identifier: Apache-2.0
#include "os/user_context.hpp"

#include <weir/check.hpp>

#include <cstdint>
#include <ucontext.h>

namespace weir::rt::os {

struct user_context::state {
  ucontext_t native{};
  void (*entry)(user_context*) = nullptr;
};

user_context::user_context() : state_(std::make_unique<state>()) {}
user_context::~user_context() = default;

// makecontext passes ints only, so the address comes in two halves.
void user_context::enter(unsigned high, unsigned low) {
  auto address = (static_cast<std::uint64_t>(high) << 32) | low;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): ints are all that makecontext passes on
  auto* self = reinterpret_cast<user_context*>(static_cast<std::uintptr_t>(address));
  self->state_->entry(self);
}

void prepare_user_context(user_context& fresh, std::span<std::byte> stack, void (*entry)(user_context*)) noexcept {
  user_context::state& state = *fresh.state_;
  int error = ::getcontext(&state.native);
  WEIR_CHECK(error == 0, "the system has no user contexts");
  state.native.uc_stack.ss_sp = stack.data();
  state.native.uc_stack.ss_size = stack.size();
  state.native.uc_link = nullptr;
  state.entry = entry;
  auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&fresh));
  ::makecontext(&state.native, reinterpret_cast<void (*)()>(&user_context::enter), 2,
                static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
}

void switch_user_context(user_context& from, user_context& to) noexcept {
  int error = ::swapcontext(&from.state_->native, &to.state_->native);
  WEIR_CHECK(error == 0, "a switch between user contexts failed");
}

} // namespace weir::rt::os
