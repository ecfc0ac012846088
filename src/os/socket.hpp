// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "os/file.hpp"

namespace weir::rt::os {

/// Takes a waiting connection; `errc::resource_unavailable_try_again` when there is none and the listener does not
/// block. The new descriptor does not block.
outcome<file> accept(int listener);

struct received {
  std::size_t bytes = 0;
  bool is_truncated = false; ///< a datagram was longer than the slices
};
/// Receives what is there, never waits. `peeks` leaves the bytes in the queue.
outcome<received> receive_now(int socket, std::span<const io_slice> slices, bool peeks);
/// Sends what fits into the queue, never waits and never raises SIGPIPE.
outcome<std::size_t> send_now(int socket, std::span<const io_slice> slices);
outcome<void> shut_down(int socket, bool reading, bool writing);

} // namespace weir::rt::os
