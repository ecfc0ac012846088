// SPDX-License-Identifier: Apache-2.0
#include "os/poll.hpp"

#include <cerrno>
#include <poll.h>

namespace weir::rt::os {

outcome<std::size_t> poll_now(std::span<poll_item> items) {
  for (;;) {
    const int count = ::poll(reinterpret_cast<pollfd*>(items.data()), items.size(), 0); // as poll.cpp asserts
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return std::unexpected(last_error());
  }
}

} // namespace weir::rt::os
