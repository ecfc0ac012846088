// SPDX-License-Identifier: Apache-2.0
#include <weir/wasi/cancel.hpp>

#include "os/wake_fd.hpp"
#include "wasi/guest_state.hpp"

#include <weir/detail/atomic.hpp>

#include <array>
#include <system_error>

namespace weir::wasi {

// One flag and one descriptor. The flag is set first (release) and the descriptor is made readable after; a waiter that
// is woken by the descriptor therefore reads the flag as set (acquire). Both stay as they are for ever: no wait begun
// later can miss them.
struct cancel_token::state {
  rt::os::wake_fd wake;
  weir::detail::atomic<bool> is_cancelled{false};
  explicit state(rt::os::wake_fd from) : wake{std::move(from)} {}
};

cancel_token::cancel_token() {
  auto wake = rt::os::wake_fd::create();
  if (!wake) throw std::system_error{wake.error(), "a cancel token needs a descriptor of its own"};
  state_ = std::make_shared<state>(std::move(*wake));
}

void cancel_token::cancel() const noexcept {
  state_->is_cancelled.store(true, std::memory_order_release);
  state_->wake.signal();
}

bool cancel_token::is_cancelled() const noexcept { return state_->is_cancelled.load(std::memory_order_acquire); }

int cancel_token::descriptor() const noexcept { return state_->wake.get(); }

namespace detail {

namespace {

wait_end wait_with(const guest_state& guest, std::span<rt::os::poll_item> items,
                   std::optional<std::chrono::nanoseconds> timeout) {
  const auto count = rt::os::poll(items, timeout);
  if (guest.cancel.is_cancelled()) return wait_end::cancelled;
  if (!count) return wait_end::failed;
  return *count == 0 ? wait_end::timed_out : wait_end::ready;
}

} // namespace

wait_end wait_for(const guest_state& guest, std::vector<rt::os::poll_item>& items,
                  std::optional<std::chrono::nanoseconds> timeout) {
  items.push_back({guest.cancel.descriptor(), rt::os::wants_input, 0});
  const wait_end end = wait_with(guest, items, timeout);
  items.pop_back();
  return end;
}

wait_end wait_for(const guest_state& guest, int descriptor, short wanted) {
  std::array<rt::os::poll_item, 2> items{
      {{descriptor, wanted, 0}, {guest.cancel.descriptor(), rt::os::wants_input, 0}}};
  return wait_with(guest, items, std::nullopt);
}

} // namespace detail
} // namespace weir::wasi
