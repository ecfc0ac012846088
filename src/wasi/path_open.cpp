// SPDX-License-Identifier: Apache-2.0
// Opening. Rights decide how a file is opened, as in other runtimes: fd_read for reading and fd_write for writing. What
// is opened below a read-only directory is read-only itself.
#include "wasi/errno_map.hpp"
#include "wasi/functions.hpp"
#include "wasi/path_arg.hpp"

#include <weir/blocking.hpp>

#include <algorithm>
#include <array>

namespace weir::wasi::detail {

namespace {

std::expected<rt::os::open_request, errc> to_request(u32 lookup, u32 oflags, u64 base, u32 fdflags) {
  namespace oflag = abi::oflag;
  namespace fdflag = abi::fdflag;
  if ((lookup & ~abi::lookupflag::all) != 0 || (oflags & ~oflag::all) != 0 || (fdflags & ~fdflag::all) != 0)
    return std::unexpected(errc::inval);
  rt::os::open_request request;
  request.must_be_directory = (oflags & oflag::directory) != 0;
  if (request.must_be_directory && (oflags & (oflag::creat | oflag::excl | oflag::trunc)) != 0)
    return std::unexpected(errc::inval);
  request.writes = (base & abi::right::fd_write) != 0;
  request.reads = (base & abi::right::fd_read) != 0 || !request.writes;
  request.creates = (oflags & oflag::creat) != 0;
  request.is_exclusive = (oflags & oflag::excl) != 0;
  request.truncates = (oflags & oflag::trunc) != 0;
  request.appends = (fdflags & fdflag::append) != 0;
  request.syncs = (fdflags & (fdflag::sync | fdflag::rsync)) != 0;
  request.syncs_data = (fdflags & fdflag::dsync) != 0;
  request.follows = (lookup & abi::lookupflag::symlink_follow) != 0;
  return request;
}

/// Opens; a fifo for writing has no reader yet when the host says ENXIO, and a guest that may block waits for one.
/// There is nothing to poll for that, so it is tried again in growing steps.
rt::os::outcome<rt::os::file> open_file(const guest_state& guest, int directory, const std::string& path,
                                        const rt::os::open_request& request, bool may_wait) {
  using namespace std::chrono_literals;
  auto step = std::chrono::nanoseconds{500us};
  for (;;) {
    auto opened = guest.paths.open(directory, path, request);
    if (opened || !may_wait || opened.error() != std::errc::no_such_device_or_address) return opened;
    const auto what = rt::os::status_at(guest.paths, directory, path, request.follows);
    if (!what || what->type != rt::os::file_type::fifo) return opened;
    std::vector<rt::os::poll_item> none;
    if (wait_for(guest, none, step) == wait_end::cancelled)
      return std::unexpected(make_error_code(std::errc::operation_canceled));
    step = std::min<std::chrono::nanoseconds>(step * 2, 20ms);
  }
}

std::expected<descriptor, errc> to_descriptor(rt::os::file file, const descriptor& parent,
                                              const rt::os::open_request& request, u64 base, u32 fdflags) {
  const auto what = rt::os::status(file.get());
  if (!what) return std::unexpected(to_errno(what.error()));
  descriptor made;
  made.file = std::move(file);
  made.type = what->type;
  made.can_read = (base & abi::right::fd_read) != 0;
  made.can_write = request.writes;
  made.can_change = parent.can_change;
  made.flags = fdflags;
  return made;
}

} // namespace

errc path_open(guest_state& guest, guest_memory memory, u32 fd, u32 lookup, u32 path, u32 path_len, u32 oflags,
               u64 base, u64, u32 fdflags, u32 fd_out) {
  const auto text = load_path(memory, path, path_len);
  if (!text) return text.error();
  if (!memory.contains(fd_out, 4)) return errc::fault;
  const auto parent = find_directory(guest, fd);
  if (!parent) return parent.error();
  const auto request = to_request(lookup, oflags, base, fdflags);
  if (!request) return request.error();
  if (!(*parent)->can_change && (request->writes || request->creates || request->truncates)) return errc::perm;
  if (guest.files.is_full()) return errc::mfile;

  const bool may_wait = (fdflags & abi::fdflag::nonblock) == 0;
  auto opened = weir::blocking([&] { return open_file(guest, (*parent)->file.get(), *text, *request, may_wait); });
  if (!opened) {
    if (guest.cancel.is_cancelled() && opened.error() == std::errc::operation_canceled) return errc::interrupted;
    return to_errno(opened.error());
  }
  auto made = to_descriptor(std::move(*opened), **parent, *request, base, fdflags);
  if (!made) return made.error();
  const auto number = guest.files.insert(std::move(*made));
  if (!number) return number.error();
  return memory.store(fd_out, *number) ? errc::success : errc::fault;
}

} // namespace weir::wasi::detail
