// SPDX-License-Identifier: Apache-2.0
// Everything about a descriptor except its bytes.
#include "wasi/errno_map.hpp"
#include "wasi/functions.hpp"
#include "wasi/stat_record.hpp"

#include <weir/blocking.hpp>

#include <limits>

namespace weir::wasi::detail {

namespace {

namespace right = abi::right;
namespace fdflag = abi::fdflag;

// What C libraries expect of a preopened directory; what is really allowed is in the descriptor.
constexpr abi::rights preopen_base =
    right::path_create_directory | right::path_create_file | right::path_link_source | right::path_link_target |
    right::path_open | right::fd_readdir | right::path_readlink | right::path_rename_source |
    right::path_rename_target | right::path_symlink | right::path_remove_directory | right::path_unlink_file |
    right::path_filestat_get | right::path_filestat_set_times | right::fd_filestat_get | right::fd_filestat_set_times;
constexpr abi::rights preopen_inheriting = preopen_base | right::fd_datasync | right::fd_read | right::fd_seek |
                                           right::fd_fdstat_set_flags | right::fd_sync | right::fd_tell |
                                           right::fd_write | right::fd_advise | right::fd_allocate |
                                           right::fd_filestat_set_size | right::poll_fd_readwrite;

std::pair<abi::rights, abi::rights> rights_of(const descriptor& which) {
  if (which.preopen_name) return {preopen_base, preopen_inheriting};
  abi::rights base = right::all;
  if (which.is_stdio) {
    // No seek and no tell, by which a C library tells a terminal from a device with a position.
    base = right::fd_fdstat_set_flags | right::fd_filestat_get | right::poll_fd_readwrite | right::fd_read |
           right::fd_write | right::fd_sync | right::fd_datasync;
    if (which.type == rt::os::file_type::regular) base |= right::fd_seek | right::fd_tell;
  }
  if (which.is_directory()) base &= ~(right::fd_seek | right::fd_filestat_set_size | right::path_filestat_set_size);
  if (!which.can_read) base &= ~(right::fd_read | right::fd_readdir);
  if (!which.can_write) base &= ~right::fd_write;
  return {base, base};
}

/// An open file with bytes: not a directory, not a stream of callbacks.
std::expected<descriptor*, errc> find_file(const guest_state& guest, u32 fd) {
  descriptor* const found = guest.files.find(fd);
  if (!found || found->is_directory() || found->what != descriptor::kind::host_file) return std::unexpected(errc::badf);
  return found;
}

rt::os::time_change to_time_change(u64 time, bool is_given, bool is_now) {
  using kind = rt::os::time_change::kind;
  const auto most = static_cast<u64>(std::numeric_limits<i64>::max());
  if (is_given) return {kind::at, std::chrono::nanoseconds{static_cast<i64>(std::min(time, most))}};
  return {is_now ? kind::now : kind::keep, {}};
}

} // namespace

void put_filestat(std::span<std::byte> record, const rt::os::file_status& what) {
  namespace at = abi::filestat;
  put(record, at::dev, what.device);
  put(record, at::ino, what.inode);
  put(record, at::filetype, static_cast<u64>(to_filetype(what.type)));
  put(record, at::nlink, what.links);
  put(record, at::bytes, what.size);
  put(record, at::atim, static_cast<u64>(what.accessed.count()));
  put(record, at::mtim, static_cast<u64>(what.modified.count()));
  put(record, at::ctim, static_cast<u64>(what.changed.count()));
}

std::expected<std::pair<rt::os::time_change, rt::os::time_change>, errc> to_time_changes(u64 atim, u64 mtim,
                                                                                         u32 flags) {
  namespace flag = abi::fstflag;
  const auto has = [&](u32 bit) { return (flags & bit) != 0; };
  if ((flags & ~flag::all) != 0 || (has(flag::atim) && has(flag::atim_now)) || (has(flag::mtim) && has(flag::mtim_now)))
    return std::unexpected(errc::inval);
  return std::pair{to_time_change(atim, has(flag::atim), has(flag::atim_now)),
                   to_time_change(mtim, has(flag::mtim), has(flag::mtim_now))};
}

errc fd_advise(guest_state& guest, guest_memory, u32 fd, u64 offset, u64 len, u32 advice) {
  const auto found = find_file(guest, fd);
  if (!found) return found.error();
  if (advice > 5) return errc::inval;
  return to_errno(rt::os::advise((*found)->file.get(), offset, len, static_cast<rt::os::access_advice>(advice)));
}

errc fd_allocate(guest_state& guest, guest_memory, u32 fd, u64 offset, u64 len) {
  const auto found = find_file(guest, fd);
  if (!found) return found.error();
  if (!(*found)->can_write) return errc::badf;
  return weir::blocking([&] { return to_errno(rt::os::allocate((*found)->file.get(), offset, len)); });
}

errc fd_close(guest_state& guest, guest_memory, u32 fd) {
  // Closing may bring data to a disk or a server.
  return weir::blocking([&] { return guest.files.remove(fd); });
}

errc fd_renumber(guest_state& guest, guest_memory, u32 from, u32 to) {
  return weir::blocking([&] { return guest.files.renumber(from, to); });
}

errc fd_fdstat_get(guest_state& guest, guest_memory memory, u32 fd, u32 stat_out) {
  const descriptor* const found = guest.files.find(fd);
  if (!found) return errc::badf;
  const auto record = memory.slice(stat_out, abi::fdstat::size);
  if (!record) return errc::fault;
  const auto [base, inheriting] = rights_of(*found);
  put(*record, abi::fdstat::filetype, static_cast<u64>(to_filetype(found->type)));
  put(*record, abi::fdstat::flags, static_cast<std::uint16_t>(found->flags));
  put(*record, abi::fdstat::rights_base, base);
  put(*record, abi::fdstat::rights_inheriting, inheriting);
  return errc::success;
}

errc fd_fdstat_set_flags(guest_state& guest, guest_memory, u32 fd, u32 flags) {
  descriptor* const found = guest.files.find(fd);
  if (!found || found->is_directory()) return errc::badf;
  // As with F_SETFL, the flags of synchronised writing are for the opening only.
  constexpr u32 fixed = fdflag::dsync | fdflag::rsync | fdflag::sync;
  if ((flags & ~fdflag::all) != 0 || ((flags ^ found->flags) & flags & fixed) != 0) return errc::inval;
  const bool appends = (flags & fdflag::append) != 0;
  const bool appended = (found->flags & fdflag::append) != 0;
  if (appends != appended) {
    // The host's own descriptors are shared with others, so their mode stays as it is.
    if (found->is_stdio || found->is_socket()) return errc::inval;
    if (const auto set = rt::os::set_append(found->file.get(), appends); !set) return to_errno(set);
  }
  found->flags = (found->flags & fixed) | (flags & ~fixed);
  return errc::success;
}

errc fd_fdstat_set_rights(guest_state& guest, guest_memory, u32 fd, u64, u64) {
  return guest.files.find(fd) ? errc::notsup : errc::badf;
}

errc fd_filestat_get(guest_state& guest, guest_memory memory, u32 fd, u32 stat_out) {
  const descriptor* const found = guest.files.find(fd);
  if (!found) return errc::badf;
  const auto record = memory.slice(stat_out, abi::filestat::size);
  if (!record) return errc::fault;
  rt::os::file_status what;
  what.type = found->type;
  if (found->what == descriptor::kind::host_file) {
    const auto known = rt::os::status(found->file.get());
    if (!known) return to_errno(known);
    what = *known;
  }
  put_filestat(*record, what);
  return errc::success;
}

errc fd_filestat_set_size(guest_state& guest, guest_memory, u32 fd, u64 size) {
  const auto found = find_file(guest, fd);
  if (!found) return found.error();
  if (!(*found)->can_write) return errc::badf;
  return weir::blocking([&] { return to_errno(rt::os::truncate((*found)->file.get(), size)); });
}

errc fd_filestat_set_times(guest_state& guest, guest_memory, u32 fd, u64 atim, u64 mtim, u32 flags) {
  const auto changes = to_time_changes(atim, mtim, flags);
  if (!changes) return changes.error();
  const descriptor* const found = guest.files.find(fd);
  if (!found || found->what != descriptor::kind::host_file || found->is_stdio) return errc::badf;
  if (!found->can_change) return errc::perm;
  return to_errno(rt::os::set_times(found->file.get(), changes->first, changes->second));
}

} // namespace weir::wasi::detail
