// SPDX-License-Identifier: Apache-2.0
// Everything by path except opening. Calls that change a directory run inside weir::blocking(), because a journal can
// make them wait; those that only look do not.
#include "wasi/errno_map.hpp"
#include "wasi/functions.hpp"
#include "wasi/path_arg.hpp"
#include "wasi/stat_record.hpp"

#include <weir/blocking.hpp>

#include <cstring>

namespace weir::wasi::detail {

namespace {

/// A directory and a path in it.
struct place {
  const descriptor* directory = nullptr;
  std::string path;
  int number() const { return directory->file.get(); }
};

std::expected<place, errc> load_place(const guest_state& guest, guest_memory memory, u32 fd, u32 path, u32 path_len,
                                      bool changes) {
  auto text = load_path(memory, path, path_len);
  if (!text) return std::unexpected(text.error());
  const auto directory = changes ? find_changeable_directory(guest, fd) : find_directory(guest, fd);
  if (!directory) return std::unexpected(directory.error());
  return place{*directory, std::move(*text)};
}

errc change(guest_state& guest, guest_memory memory, u32 fd, u32 path, u32 path_len,
            rt::os::outcome<void> (*call)(const rt::os::beneath&, int, std::string_view)) {
  const auto at = load_place(guest, memory, fd, path, path_len, true);
  if (!at) return at.error();
  return weir::blocking([&] { return to_errno(call(guest.paths, at->number(), at->path)); });
}

bool is_known(u32 lookup) { return (lookup & ~abi::lookupflag::all) == 0; }
bool follows(u32 lookup) { return (lookup & abi::lookupflag::symlink_follow) != 0; }

} // namespace

errc path_create_directory(guest_state& guest, guest_memory memory, u32 fd, u32 path, u32 path_len) {
  return change(guest, memory, fd, path, path_len, &rt::os::make_directory);
}

errc path_remove_directory(guest_state& guest, guest_memory memory, u32 fd, u32 path, u32 path_len) {
  return change(guest, memory, fd, path, path_len, &rt::os::remove_directory);
}

errc path_unlink_file(guest_state& guest, guest_memory memory, u32 fd, u32 path, u32 path_len) {
  return change(guest, memory, fd, path, path_len, &rt::os::unlink);
}

errc path_filestat_get(guest_state& guest, guest_memory memory, u32 fd, u32 lookup, u32 path, u32 path_len,
                       u32 stat_out) {
  if (!is_known(lookup)) return errc::inval;
  const auto record = memory.slice(stat_out, abi::filestat::size);
  if (!record) return errc::fault;
  const auto at = load_place(guest, memory, fd, path, path_len, false);
  if (!at) return at.error();
  const auto what = rt::os::status_at(guest.paths, at->number(), at->path, follows(lookup));
  if (!what) return to_errno(what.error());
  put_filestat(*record, *what);
  return errc::success;
}

errc path_filestat_set_times(guest_state& guest, guest_memory memory, u32 fd, u32 lookup, u32 path, u32 path_len,
                             u64 atim, u64 mtim, u32 flags) {
  const auto changes = to_time_changes(atim, mtim, flags);
  if (!changes) return changes.error();
  if (!is_known(lookup)) return errc::inval;
  const auto at = load_place(guest, memory, fd, path, path_len, true);
  if (!at) return at.error();
  return weir::blocking([&] {
    return to_errno(
        rt::os::set_times_at(guest.paths, at->number(), at->path, follows(lookup), changes->first, changes->second));
  });
}

errc path_link(guest_state& guest, guest_memory memory, u32 old_fd, u32 lookup, u32 old_path, u32 old_path_len,
               u32 new_fd, u32 new_path, u32 new_path_len) {
  // The old directory must be changeable too: a second name elsewhere would let the file be written from there.
  const auto from = load_place(guest, memory, old_fd, old_path, old_path_len, true);
  if (!from) return from.error();
  const auto to = load_place(guest, memory, new_fd, new_path, new_path_len, true);
  if (!to) return to.error();
  if (lookup != 0) return errc::inval; // a link to what a symbolic link names is not offered
  return weir::blocking(
      [&] { return to_errno(rt::os::link(guest.paths, from->number(), from->path, to->number(), to->path)); });
}

errc path_rename(guest_state& guest, guest_memory memory, u32 fd, u32 old_path, u32 old_path_len, u32 new_fd,
                 u32 new_path, u32 new_path_len) {
  const auto from = load_place(guest, memory, fd, old_path, old_path_len, true);
  if (!from) return from.error();
  const auto to = load_place(guest, memory, new_fd, new_path, new_path_len, true);
  if (!to) return to.error();
  return weir::blocking(
      [&] { return to_errno(rt::os::rename(guest.paths, from->number(), from->path, to->number(), to->path)); });
}

errc path_symlink(guest_state& guest, guest_memory memory, u32 text, u32 text_len, u32 fd, u32 path, u32 path_len) {
  const auto target = load_path(memory, text, text_len);
  if (!target) return target.error();
  const auto at = load_place(guest, memory, fd, path, path_len, true);
  if (!at) return at.error();
  return weir::blocking([&] { return to_errno(rt::os::make_symlink(guest.paths, *target, at->number(), at->path)); });
}

errc path_readlink(guest_state& guest, guest_memory memory, u32 fd, u32 path, u32 path_len, u32 buf, u32 buf_len,
                   u32 used_out) {
  const auto buffer = memory.slice(buf, buf_len);
  if (!buffer || !memory.contains(used_out, 4)) return errc::fault;
  const auto at = load_place(guest, memory, fd, path, path_len, false);
  if (!at) return at.error();
  const auto text = rt::os::read_link(guest.paths, at->number(), at->path);
  if (!text) return to_errno(text.error());
  // An absolute text was not made by a guest and cannot be used by one; it would only tell what the host is like.
  if (text->starts_with('/')) return errc::perm;
  const std::size_t count = std::min(text->size(), buffer->size());
  std::memcpy(buffer->data(), text->data(), count);
  return memory.store(used_out, static_cast<u32>(count)) ? errc::success : errc::fault;
}

} // namespace weir::wasi::detail
