// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wasi/functions.hpp"

namespace weir::wasi::detail {

/// Waits until a descriptor can transfer; one in non-blocking mode is only asked. Call it inside weir::blocking().
///
/// Errors: `again` when it is not ready and must not wait; `interrupted` when the guest was cancelled; `io`.
inline errc wait_for_turn(const guest_state& guest, const descriptor& which, short wanted) {
  if (which.does_not_block()) {
    rt::os::poll_item item{which.file.get(), wanted, 0};
    const auto count = rt::os::poll({&item, 1}, std::chrono::nanoseconds{0});
    if (!count) return errc::io;
    return *count == 0 ? errc::again : errc::success;
  }
  switch (wait_for(guest, which.file.get(), wanted)) {
  case wait_end::cancelled: return errc::interrupted;
  case wait_end::failed: return errc::io;
  case wait_end::timed_out:
  case wait_end::ready: break;
  }
  return errc::success;
}

} // namespace weir::wasi::detail
