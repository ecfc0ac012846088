// SPDX-License-Identifier: Apache-2.0
#include "wasi/errno_map.hpp"

#include <cerrno>

namespace weir::wasi {

namespace {

struct pair {
  int host;
  abi::errc guest;
};

using enum abi::errc;

constexpr pair table[] = {
    {E2BIG, too_big},
    {EACCES, acces},
    {EADDRINUSE, addrinuse},
    {EADDRNOTAVAIL, addrnotavail},
    {EAFNOSUPPORT, afnosupport},
    {EAGAIN, again},
    {EALREADY, already},
    {EBADF, badf},
    {EBADMSG, badmsg},
    {EBUSY, busy},
    {ECANCELED, canceled},
    {ECHILD, child},
    {ECONNABORTED, connaborted},
    {ECONNREFUSED, connrefused},
    {ECONNRESET, connreset},
    {EDEADLK, deadlk},
    {EDESTADDRREQ, destaddrreq},
    {EDOM, dom},
    {EDQUOT, dquot},
    {EEXIST, exist},
    {EFAULT, fault},
    {EFBIG, fbig},
    {EHOSTUNREACH, hostunreach},
    {EIDRM, idrm},
    {EILSEQ, ilseq},
    {EINPROGRESS, inprogress},
    {EINTR, intr},
    {EINVAL, inval},
    {EIO, io},
    {EISCONN, isconn},
    {EISDIR, isdir},
    {ELOOP, loop},
    {EMFILE, mfile},
    {EMLINK, mlink},
    {EMSGSIZE, msgsize},
    {EMULTIHOP, multihop},
    {ENAMETOOLONG, nametoolong},
    {ENETDOWN, netdown},
    {ENETRESET, netreset},
    {ENETUNREACH, netunreach},
    {ENFILE, nfile},
    {ENOBUFS, nobufs},
    {ENODEV, nodev},
    {ENOENT, noent},
    {ENOEXEC, noexec},
    {ENOLCK, nolck},
    {ENOLINK, nolink},
    {ENOMEM, nomem},
    {ENOMSG, nomsg},
    {ENOPROTOOPT, noprotoopt},
    {ENOSPC, nospc},
    {ENOSYS, nosys},
    {ENOTCONN, notconn},
    {ENOTDIR, notdir},
    {ENOTEMPTY, notempty},
    {ENOTRECOVERABLE, notrecoverable},
    {ENOTSOCK, notsock},
    {EOPNOTSUPP, notsup},
    {ENOTTY, notty},
    {ENXIO, nxio},
    {EOVERFLOW, overflow},
    {EOWNERDEAD, ownerdead},
    {EPERM, perm},
    {EPIPE, pipe},
    {EPROTO, proto},
    {EPROTONOSUPPORT, protonosupport},
    {EPROTOTYPE, prototype},
    {ERANGE, range},
    {EROFS, rofs},
    {ESPIPE, spipe},
    {ESRCH, srch},
    {ESTALE, stale},
    {ETIMEDOUT, timedout},
    {ETXTBSY, txtbsy},
    {EXDEV, xdev},
};

} // namespace

abi::errc to_errno(const std::error_code& error) {
  const std::error_condition condition = error.default_error_condition();
  const bool is_host = error.category() == std::system_category() || error.category() == std::generic_category();
  const int value = is_host ? error.value() : condition.category() == std::generic_category() ? condition.value() : EIO;
  for (const pair& entry : table)
    if (entry.host == value) return entry.guest;
  return io;
}

abi::filetype to_filetype(rt::os::file_type type) {
  using from = rt::os::file_type;
  switch (type) {
  case from::block_device: return abi::filetype::block_device;
  case from::character_device: return abi::filetype::character_device;
  case from::directory: return abi::filetype::directory;
  case from::regular: return abi::filetype::regular_file;
  case from::socket_stream: return abi::filetype::socket_stream;
  case from::socket_datagram: return abi::filetype::socket_dgram;
  case from::symbolic_link: return abi::filetype::symbolic_link;
  case from::fifo: // preview 1 has no word for it
  case from::unknown: break;
  }
  return abi::filetype::unknown;
}

} // namespace weir::wasi
