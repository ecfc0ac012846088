// SPDX-License-Identifier: Apache-2.0
#include "os/random.hpp"

#include <cerrno>
#include <sys/random.h>

namespace weir::rt::os {

outcome<void> fill_random(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::getrandom(bytes.data(), bytes.size(), 0);
    if (count < 0) {
      if (errno == EINTR) continue;
      return std::unexpected(last_error());
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

} // namespace weir::rt::os
