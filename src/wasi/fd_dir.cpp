// SPDX-License-Identifier: Apache-2.0
// Preopened directories by name, and reading directories.
#include "os/directory.hpp"
#include "wasi/errno_map.hpp"
#include "wasi/functions.hpp"

#include <weir/blocking.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace weir::wasi::detail {

namespace {

/// Fills a guest's buffer with entries. The last one is cut off where the buffer ends, which tells the guest that there
/// are more.
class entry_writer {
public:
  explicit entry_writer(std::span<std::byte> buffer) : buffer_{buffer} {}

  /// Returns false once the buffer is full.
  bool add(const rt::os::directory_entry& entry) {
    std::array<std::byte, abi::dirent::size> head{};
    put(std::span{head}, abi::dirent::next, entry.next);
    put(std::span{head}, abi::dirent::ino, entry.inode);
    put(std::span{head}, abi::dirent::namlen, static_cast<u32>(entry.name.size()));
    put(std::span{head}, abi::dirent::type, static_cast<u32>(to_filetype(entry.type)));
    append(head);
    append(std::as_bytes(std::span{entry.name}));
    return used_ < buffer_.size();
  }

  u32 used() const { return static_cast<u32>(used_); }

private:
  void append(std::span<const std::byte> bytes) {
    const std::size_t count = std::min(bytes.size(), buffer_.size() - used_);
    std::memcpy(buffer_.data() + used_, bytes.data(), count);
    used_ += count;
  }

  std::span<std::byte> buffer_;
  std::size_t used_ = 0;
};

std::expected<u32, errc> read_directory(int directory, std::span<std::byte> buffer, u64 cookie) {
  rt::os::directory_reader reader{directory};
  entry_writer writer{buffer};
  if (const auto begun = reader.start(cookie); !begun) return std::unexpected(to_errno(begun));
  const auto self = rt::os::status(directory);
  if (!self) return std::unexpected(to_errno(self));
  rt::os::directory_entry entry;
  for (;;) {
    const auto has_more = reader.next(entry);
    if (!has_more) return std::unexpected(to_errno(has_more.error()));
    if (!*has_more) return writer.used();
    // The parent of a preopened directory is none of the guest's business.
    if (entry.name == "..") entry.inode = self->inode;
    if (!writer.add(entry)) return writer.used();
  }
}

} // namespace

errc fd_prestat_get(guest_state& guest, guest_memory memory, u32 fd, u32 prestat_out) {
  const descriptor* const found = guest.files.find(fd);
  if (!found || !found->preopen_name) return errc::badf;
  const auto record = memory.slice(prestat_out, abi::prestat::size);
  if (!record) return errc::fault;
  put(*record, abi::prestat::tag, u32{0}); // a directory
  put(*record, abi::prestat::name_len, static_cast<u32>(found->preopen_name->size()));
  return errc::success;
}

errc fd_prestat_dir_name(guest_state& guest, guest_memory memory, u32 fd, u32 path, u32 path_len) {
  const descriptor* const found = guest.files.find(fd);
  if (!found) return errc::badf;
  if (!found->preopen_name) return errc::notdir;
  const std::string& name = *found->preopen_name;
  if (name.size() > path_len) return errc::nametoolong;
  const auto bytes = memory.slice(path, name.size());
  if (!bytes) return errc::fault;
  std::memcpy(bytes->data(), name.data(), name.size());
  return errc::success;
}

errc fd_readdir(guest_state& guest, guest_memory memory, u32 fd, u32 buf, u32 buf_len, u64 cookie, u32 used_out) {
  const descriptor* const found = guest.files.find(fd);
  if (!found) return errc::badf;
  if (!found->is_directory()) return errc::notdir;
  const auto buffer = memory.slice(buf, buf_len);
  if (!buffer || !memory.contains(used_out, 4)) return errc::fault;
  const auto used = weir::blocking([&]() -> std::expected<u32, errc> {
    if (buffer->empty()) return u32{0};
    return read_directory(found->file.get(), *buffer, cookie);
  });
  if (!used) return used.error();
  return memory.store(used_out, *used) ? errc::success : errc::fault;
}

} // namespace weir::wasi::detail
