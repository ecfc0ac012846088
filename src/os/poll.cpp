// SPDX-License-Identifier: Apache-2.0
#include "os/poll.hpp"

namespace weir::rt::os {

outcome<std::size_t> poll(std::span<poll_item> items, std::optional<std::chrono::nanoseconds> timeout) {
  return host_poll(items, timeout);
}

} // namespace weir::rt::os
