// SPDX-License-Identifier: Apache-2.0
#include "os/socket.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <sys/socket.h>
#include <sys/uio.h>

namespace weir::rt::os {

namespace {

msghdr message_of(std::span<const io_slice> slices) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(reinterpret_cast<const iovec*>(slices.data()));
  message.msg_iovlen = std::min<std::size_t>(slices.size(), IOV_MAX);
  return message;
}

template <class Call> auto repeated(Call call) {
  auto code = call();
  while (code < 0 && errno == EINTR) code = call();
  return code;
}

} // namespace

outcome<file> accept(int listener) {
  const int descriptor = repeated([&] { return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); });
  if (descriptor < 0) return std::unexpected(last_error());
  return file::owning(descriptor);
}

outcome<received> receive_now(int socket, std::span<const io_slice> slices, bool peeks) {
  msghdr message = message_of(slices);
  const ssize_t count = repeated([&] { return ::recvmsg(socket, &message, MSG_DONTWAIT | (peeks ? MSG_PEEK : 0)); });
  if (count < 0) return std::unexpected(last_error());
  return received{static_cast<std::size_t>(count), (message.msg_flags & MSG_TRUNC) != 0};
}

outcome<std::size_t> send_now(int socket, std::span<const io_slice> slices) {
  const msghdr message = message_of(slices);
  const ssize_t count = repeated([&] { return ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL); });
  if (count < 0) return std::unexpected(last_error());
  return static_cast<std::size_t>(count);
}

outcome<void> shut_down(int socket, bool reading, bool writing) {
  const int how = reading && writing ? SHUT_RDWR : reading ? SHUT_RD : SHUT_WR;
  if (::shutdown(socket, how) < 0) return std::unexpected(last_error());
  return {};
}

} // namespace weir::rt::os
