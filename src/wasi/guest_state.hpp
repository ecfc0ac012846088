// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the functions of WASI know about one guest.
#include "os/beneath.hpp"
#include "os/poll.hpp"
#include "wasi/fd_table.hpp"

#include <weir/wasi/context.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weir::wasi::detail {

struct guest_state {
  std::vector<std::string> args;
  std::vector<std::string> environ; // KEY=VALUE
  fd_table files;
  cancel_token cancel;
  std::shared_ptr<clock_source> clocks;
  std::function<void(std::span<std::byte>)> random;
  rt::os::beneath paths;
};

enum class wait_end : std::uint8_t { ready, timed_out, cancelled, failed };

/// Waits for one of the items, a time or the guest's cancellation; blocks the thread, so call it inside
/// weir::blocking(). The items' `seen` are set when it ends with `ready`.
wait_end wait_for(const guest_state& guest, std::vector<rt::os::poll_item>& items,
                  std::optional<std::chrono::nanoseconds> timeout);

/// The same for one descriptor and no time.
wait_end wait_for(const guest_state& guest, int descriptor, short wanted);

} // namespace weir::wasi::detail
