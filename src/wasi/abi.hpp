// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers and layouts of wasi_snapshot_preview1.
#include <cstddef>
#include <cstdint>

namespace weir::wasi::abi {

enum class errc : std::uint16_t {
  success = 0,
  too_big = 1,
  acces,
  addrinuse,
  addrnotavail,
  afnosupport,
  again,
  already,
  badf,
  badmsg,
  busy,
  canceled,
  child,
  connaborted,
  connrefused,
  connreset,
  deadlk,
  destaddrreq,
  dom,
  dquot,
  exist,
  fault,
  fbig,
  hostunreach,
  idrm,
  ilseq,
  inprogress,
  intr,
  inval,
  io,
  isconn,
  isdir,
  loop,
  mfile,
  mlink,
  msgsize,
  multihop,
  nametoolong,
  netdown,
  netreset,
  netunreach,
  nfile,
  nobufs,
  nodev,
  noent,
  noexec,
  nolck,
  nolink,
  nomem,
  nomsg,
  noprotoopt,
  nospc,
  nosys,
  notconn,
  notdir,
  notempty,
  notrecoverable,
  notsock,
  notsup,
  notty,
  nxio,
  overflow,
  ownerdead,
  perm,
  pipe,
  proto,
  protonosupport,
  prototype,
  range,
  rofs,
  spipe,
  srch,
  stale,
  timedout,
  txtbsy,
  xdev,
  notcapable = 76,

  /// No errno: the wait was cancelled and the guest must end. Never reaches a guest.
  interrupted = 0xffff,
};
static_assert(static_cast<int>(errc::inval) == 28 && static_cast<int>(errc::noent) == 44 &&
              static_cast<int>(errc::notsup) == 58 && static_cast<int>(errc::perm) == 63 &&
              static_cast<int>(errc::xdev) == 75);

enum class filetype : std::uint8_t {
  unknown,
  block_device,
  character_device,
  directory,
  regular_file,
  socket_dgram,
  socket_stream,
  symbolic_link,
};

using rights = std::uint64_t;
namespace right {
inline constexpr rights fd_datasync = 1u << 0;
inline constexpr rights fd_read = 1u << 1;
inline constexpr rights fd_seek = 1u << 2;
inline constexpr rights fd_fdstat_set_flags = 1u << 3;
inline constexpr rights fd_sync = 1u << 4;
inline constexpr rights fd_tell = 1u << 5;
inline constexpr rights fd_write = 1u << 6;
inline constexpr rights fd_advise = 1u << 7;
inline constexpr rights fd_allocate = 1u << 8;
inline constexpr rights path_create_directory = 1u << 9;
inline constexpr rights path_create_file = 1u << 10;
inline constexpr rights path_link_source = 1u << 11;
inline constexpr rights path_link_target = 1u << 12;
inline constexpr rights path_open = 1u << 13;
inline constexpr rights fd_readdir = 1u << 14;
inline constexpr rights path_readlink = 1u << 15;
inline constexpr rights path_rename_source = 1u << 16;
inline constexpr rights path_rename_target = 1u << 17;
inline constexpr rights path_filestat_get = 1u << 18;
inline constexpr rights path_filestat_set_size = 1u << 19;
inline constexpr rights path_filestat_set_times = 1u << 20;
inline constexpr rights fd_filestat_get = 1u << 21;
inline constexpr rights fd_filestat_set_size = 1u << 22;
inline constexpr rights fd_filestat_set_times = 1u << 23;
inline constexpr rights path_symlink = 1u << 24;
inline constexpr rights path_remove_directory = 1u << 25;
inline constexpr rights path_unlink_file = 1u << 26;
inline constexpr rights poll_fd_readwrite = 1u << 27;
inline constexpr rights sock_shutdown = 1u << 28;
inline constexpr rights sock_accept = 1u << 29;
inline constexpr rights all = (1u << 30) - 1;
} // namespace right

namespace fdflag {
inline constexpr std::uint32_t append = 1, dsync = 2, nonblock = 4, rsync = 8, sync = 16, all = 31;
}
namespace oflag {
inline constexpr std::uint32_t creat = 1, directory = 2, excl = 4, trunc = 8, all = 15;
}
namespace lookupflag {
inline constexpr std::uint32_t symlink_follow = 1, all = 1;
}
namespace fstflag {
inline constexpr std::uint32_t atim = 1, atim_now = 2, mtim = 4, mtim_now = 8, all = 15;
}
namespace riflag {
inline constexpr std::uint32_t peek = 1, waitall = 2, all = 3;
}
namespace roflag {
inline constexpr std::uint16_t data_truncated = 1;
}
namespace sdflag {
inline constexpr std::uint32_t rd = 1, wr = 2, all = 3;
}
namespace eventtype {
inline constexpr std::uint8_t clock = 0, fd_read = 1, fd_write = 2;
}
namespace eventrwflag {
inline constexpr std::uint16_t hangup = 1;
}
namespace subclockflag {
inline constexpr std::uint16_t abstime = 1, all = 1;
}

// Sizes and offsets in guest memory.
namespace iovec {
inline constexpr std::uint32_t size = 8, buf = 0, buf_len = 4;
}
namespace fdstat {
inline constexpr std::uint32_t size = 24, filetype = 0, flags = 2, rights_base = 8, rights_inheriting = 16;
}
namespace filestat {
inline constexpr std::uint32_t size = 64, dev = 0, ino = 8, filetype = 16, nlink = 24, bytes = 32, atim = 40, mtim = 48,
                               ctim = 56;
}
namespace prestat {
inline constexpr std::uint32_t size = 8, tag = 0, name_len = 4;
}
namespace dirent {
inline constexpr std::uint32_t size = 24, next = 0, ino = 8, namlen = 16, type = 20;
}
namespace subscription {
inline constexpr std::uint32_t size = 48, userdata = 0, tag = 8, clock_id = 16, timeout = 24, precision = 32,
                               flags = 40, fd = 16;
}
namespace event {
inline constexpr std::uint32_t size = 32, userdata = 0, error = 8, type = 10, nbytes = 16, flags = 24;
}

} // namespace weir::wasi::abi
