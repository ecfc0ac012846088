// SPDX-License-Identifier: Apache-2.0
#include "os/directory.hpp"

#include "os/file_detail.hpp"

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>

namespace weir::rt::os {

namespace {

file_type type_of(int directory, const struct dirent64& entry) {
  switch (entry.d_type) {
  case DT_BLK: return file_type::block_device;
  case DT_CHR: return file_type::character_device;
  case DT_DIR: return file_type::directory;
  case DT_REG: return file_type::regular;
  case DT_FIFO: return file_type::fifo;
  case DT_LNK: return file_type::symbolic_link;
  case DT_SOCK: return file_type::socket_stream;
  default: break;
  }
  // A file system that does not say it here. The name was removed meanwhile when this fails.
  struct stat what;
  if (::fstatat(directory, entry.d_name, &what, AT_SYMLINK_NOFOLLOW) < 0) return file_type::unknown;
  return to_file_status(what, -1).type;
}

} // namespace

outcome<void> directory_reader::start(std::uint64_t place) {
  position_ = filled_ = 0;
  if (place > std::numeric_limits<std::int64_t>::max())
    return std::unexpected(std::make_error_code(std::errc::invalid_argument));
  const auto moved = seek(descriptor_, static_cast<std::int64_t>(place), seek_base::start);
  if (!moved) return std::unexpected(moved.error());
  return {};
}

outcome<bool> directory_reader::next(directory_entry& entry) {
  if (position_ == filled_) {
    const ssize_t count = ::getdents64(descriptor_, buffer_.data(), buffer_.size());
    if (count < 0) return std::unexpected(last_error());
    if (count == 0) return false;
    position_ = 0;
    filled_ = static_cast<std::size_t>(count);
  }
  const auto* found = reinterpret_cast<const struct dirent64*>(buffer_.data() + position_);
  position_ += found->d_reclen;
  entry.next = static_cast<std::uint64_t>(found->d_off);
  entry.inode = found->d_ino;
  entry.type = type_of(descriptor_, *found);
  entry.name = {found->d_name, std::strlen(found->d_name)};
  return true;
}

} // namespace weir::rt::os
