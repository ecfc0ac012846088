// SPDX-License-Identifier: Apache-2.0
#include "os/wake_fd.hpp"

#include <cerrno>
#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>

namespace weir::rt::os {

outcome<wake_fd> wake_fd::create() {
  const int descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) return std::unexpected(last_error());
  return wake_fd{file::owning(descriptor)};
}

void wake_fd::signal() const noexcept {
  const int saved = errno;
  const std::uint64_t one = 1;
  // The only possible failure is a counter that is full, and then the descriptor is readable already.
  [[maybe_unused]] const auto written = ::write(file_.get(), &one, sizeof one);
  errno = saved;
}

} // namespace weir::rt::os
