// SPDX-License-Identifier: Apache-2.0
// Sockets that the host gave to the guest, and the connections they accept. A guest cannot make others.
#include "os/socket.hpp"
#include "wasi/errno_map.hpp"
#include "wasi/fd_wait.hpp"
#include "wasi/functions.hpp"
#include "wasi/io_slices.hpp"

#include <weir/blocking.hpp>

namespace weir::wasi::detail {

namespace {

std::expected<descriptor*, errc> find_socket(const guest_state& guest, u32 fd) {
  descriptor* const found = guest.files.find(fd);
  if (!found) return std::unexpected(errc::badf);
  if (!found->is_socket()) return std::unexpected(errc::notsock);
  return found;
}

/// Tries `call` when the socket is ready, until it does not say that it would block.
template <class Call>
auto when_ready(guest_state& guest, const descriptor& socket, short wanted, Call call)
    -> std::expected<typename decltype(call())::value_type, errc> {
  for (;;) {
    if (const errc end = wait_for_turn(guest, socket, wanted); end != errc::success) return std::unexpected(end);
    auto done = call();
    if (done) return std::move(*done);
    if (done.error() != std::errc::resource_unavailable_try_again || socket.does_not_block())
      return std::unexpected(to_errno(done.error()));
  }
}

std::expected<rt::os::received, errc> receive(guest_state& guest, const descriptor& socket, io_slices& slices,
                                              u32 flags) {
  const bool peeks = (flags & abi::riflag::peek) != 0;
  const bool waits_for_all =
      (flags & abi::riflag::waitall) != 0 && socket.type == rt::os::file_type::socket_stream && !peeks;
  rt::os::received sum;
  do {
    const auto part = when_ready(guest, socket, rt::os::wants_input,
                                 [&] { return rt::os::receive_now(socket.file.get(), slices.pieces(), peeks); });
    if (!part) {
      if (sum.bytes > 0 && part.error() != errc::interrupted) break;
      return part;
    }
    sum.bytes += part->bytes;
    sum.is_truncated = part->is_truncated;
    if (part->bytes == 0) break;
    slices.advance(part->bytes);
  } while (waits_for_all && !slices.empty());
  return sum;
}

} // namespace

errc sock_accept(guest_state& guest, guest_memory memory, u32 fd, u32 flags, u32 fd_out) {
  const auto found = find_socket(guest, fd);
  if (!found) return found.error();
  if ((flags & ~abi::fdflag::nonblock) != 0) return errc::inval;
  if (!memory.contains(fd_out, 4)) return errc::fault;
  if (guest.files.is_full()) return errc::mfile;
  auto accepted = weir::blocking([&] {
    return when_ready(guest, **found, rt::os::wants_input, [&] { return rt::os::accept((*found)->file.get()); });
  });
  if (!accepted) return accepted.error();
  descriptor made;
  made.file = std::move(*accepted);
  made.type = (*found)->type;
  made.can_read = made.can_write = true;
  made.flags = flags;
  const auto number = guest.files.insert(std::move(made));
  if (!number) return number.error();
  return memory.store(fd_out, *number) ? errc::success : errc::fault;
}

errc sock_recv(guest_state& guest, guest_memory memory, u32 fd, u32 iovs, u32 iovs_len, u32 flags, u32 nread_out,
               u32 flags_out) {
  const auto found = find_socket(guest, fd);
  if (!found) return found.error();
  if ((flags & ~abi::riflag::all) != 0) return errc::inval;
  io_slices slices;
  if (const errc loaded = slices.load(memory, iovs, iovs_len); loaded != errc::success) return loaded;
  if (!memory.contains(nread_out, 4) || !memory.contains(flags_out, 2)) return errc::fault;
  const auto got = weir::blocking([&] { return receive(guest, **found, slices, flags); });
  if (!got) return got.error();
  const std::uint16_t truncated = got->is_truncated ? abi::roflag::data_truncated : std::uint16_t{0};
  return memory.store(nread_out, static_cast<u32>(got->bytes)) && memory.store(flags_out, truncated) ? errc::success
                                                                                                     : errc::fault;
}

errc sock_send(guest_state& guest, guest_memory memory, u32 fd, u32 iovs, u32 iovs_len, u32 flags, u32 nwritten_out) {
  const auto found = find_socket(guest, fd);
  if (!found) return found.error();
  if (flags != 0) return errc::inval;
  io_slices slices;
  if (const errc loaded = slices.load(memory, iovs, iovs_len); loaded != errc::success) return loaded;
  if (!memory.contains(nwritten_out, 4)) return errc::fault;
  const auto sent = weir::blocking([&] {
    return when_ready(guest, **found, rt::os::wants_output,
                      [&] { return rt::os::send_now((*found)->file.get(), slices.pieces()); });
  });
  if (!sent) return sent.error();
  return memory.store(nwritten_out, static_cast<u32>(*sent)) ? errc::success : errc::fault;
}

errc sock_shutdown(guest_state& guest, guest_memory, u32 fd, u32 how) {
  const auto found = find_socket(guest, fd);
  if (!found) return found.error();
  if (how == 0 || (how & ~abi::sdflag::all) != 0) return errc::inval;
  return to_errno(rt::os::shut_down((*found)->file.get(), (how & abi::sdflag::rd) != 0, (how & abi::sdflag::wr) != 0));
}

} // namespace weir::wasi::detail
