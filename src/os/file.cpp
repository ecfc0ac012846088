// SPDX-License-Identifier: Apache-2.0
#include "os/file.hpp"

#include "os/file_detail.hpp"
#include "os/poll.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <fcntl.h>
#include <limits>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace weir::rt::os {

static_assert(sizeof(io_slice) == sizeof(iovec) && offsetof(io_slice, data) == offsetof(iovec, iov_base) &&
              offsetof(io_slice, size) == offsetof(iovec, iov_len));

std::error_code last_error() noexcept { return {errno, std::system_category()}; }

file::~file() {
  if (is_owned_ && descriptor_ >= 0) ::close(descriptor_);
}

namespace {

std::unexpected<std::error_code> failed() { return std::unexpected(last_error()); }
std::unexpected<std::error_code> failed(int code) {
  return std::unexpected(std::error_code{code, std::system_category()});
}

const iovec* as_iovec(std::span<const io_slice> slices) { return reinterpret_cast<const iovec*>(slices.data()); }
int count_of(std::span<const io_slice> slices) {
  return static_cast<int>(std::min<std::size_t>(slices.size(), IOV_MAX));
}

template <class Call> outcome<std::size_t> transfer(Call call) {
  ssize_t moved;
  do moved = call();
  while (moved < 0 && errno == EINTR);
  if (moved < 0) return failed();
  return static_cast<std::size_t>(moved);
}

template <class Call> outcome<void> plain(Call call) {
  int code;
  do code = call();
  while (code < 0 && errno == EINTR);
  if (code < 0) return failed();
  return {};
}

/// Keeps a SIGPIPE of this thread's next write from reaching the process: it is held back, and taken away again if the
/// write made it. One that was pending before is left pending.
class sigpipe_guard {
public:
  sigpipe_guard() {
    sigset_t pending;
    sigemptyset(&only_pipe_);
    sigaddset(&only_pipe_, SIGPIPE);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    if (!was_pending_) pthread_sigmask(SIG_BLOCK, &only_pipe_, &before_);
  }
  ~sigpipe_guard() {
    if (was_pending_) return;
    const int saved = errno;
    if (is_broken_) {
      const timespec at_once{};
      while (sigtimedwait(&only_pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = saved;
  }
  sigpipe_guard(const sigpipe_guard&) = delete;
  sigpipe_guard& operator=(const sigpipe_guard&) = delete;
  void note(ssize_t written) {
    if (written < 0 && errno == EPIPE) is_broken_ = true;
  }

private:
  sigset_t only_pipe_;
  sigset_t before_;
  bool was_pending_ = false;
  bool is_broken_ = false;
};

template <class Call> outcome<std::size_t> guarded_write(Call call) {
  sigpipe_guard guard;
  return transfer([&] {
    const ssize_t written = call();
    guard.note(written);
    return written;
  });
}

bool is_non_blocking(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) != 0;
}

std::chrono::nanoseconds to_duration(const timespec& time) {
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

timespec to_timespec(time_change change) {
  if (change.what == time_change::kind::keep) return {0, UTIME_OMIT};
  if (change.what == time_change::kind::now) return {0, UTIME_NOW};
  const auto seconds = std::chrono::floor<std::chrono::seconds>(change.instant);
  return {static_cast<time_t>(seconds.count()), static_cast<long>((change.instant - seconds).count())};
}

} // namespace

file_status to_file_status(const struct stat& from, int descriptor) {
  file_status to;
  to.device = from.st_dev;
  to.inode = from.st_ino;
  to.links = from.st_nlink;
  to.size = static_cast<std::uint64_t>(from.st_size);
  to.accessed = to_duration(from.st_atim);
  to.modified = to_duration(from.st_mtim);
  to.changed = to_duration(from.st_ctim);
  switch (from.st_mode & S_IFMT) {
  case S_IFBLK: to.type = file_type::block_device; break;
  case S_IFCHR: to.type = file_type::character_device; break;
  case S_IFDIR: to.type = file_type::directory; break;
  case S_IFREG: to.type = file_type::regular; break;
  case S_IFIFO: to.type = file_type::fifo; break;
  case S_IFLNK: to.type = file_type::symbolic_link; break;
  case S_IFSOCK: {
    int kind = SOCK_STREAM;
    socklen_t size = sizeof kind;
    if (descriptor >= 0) ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size);
    to.type = kind == SOCK_DGRAM ? file_type::socket_datagram : file_type::socket_stream;
    break;
  }
  default: break;
  }
  return to;
}

outcome<file_status> status(int descriptor) {
  struct stat result;
  if (::fstat(descriptor, &result) < 0) return failed();
  return to_file_status(result, descriptor);
}

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

outcome<file> open_directory(const std::string& path) {
  int descriptor;
  do descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return failed();
  return file::owning(descriptor);
}

outcome<file> duplicate(int descriptor) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return failed();
  return file::owning(copy);
}

outcome<std::pair<bool, bool>> access_mode(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) return failed();
  const int mode = flags & O_ACCMODE;
  return std::pair{mode != O_WRONLY, mode != O_RDONLY};
}

outcome<std::size_t> read(int descriptor, std::span<const io_slice> slices) {
  return transfer([&] { return ::readv(descriptor, as_iovec(slices), count_of(slices)); });
}

outcome<std::size_t> write(int descriptor, std::span<const io_slice> slices) {
  return guarded_write([&] { return ::writev(descriptor, as_iovec(slices), count_of(slices)); });
}

outcome<std::size_t> read_at(int descriptor, std::span<const io_slice> slices, std::uint64_t offset) {
  if (offset > std::numeric_limits<off_t>::max()) return failed(EINVAL);
  return transfer([&] { return ::preadv(descriptor, as_iovec(slices), count_of(slices), static_cast<off_t>(offset)); });
}

outcome<std::size_t> write_at(int descriptor, std::span<const io_slice> slices, std::uint64_t offset) {
  if (offset > std::numeric_limits<off_t>::max()) return failed(EINVAL);
  return transfer(
      [&] { return ::pwritev(descriptor, as_iovec(slices), count_of(slices), static_cast<off_t>(offset)); });
}

outcome<std::size_t> read_now(int descriptor, std::span<const io_slice> slices) {
  const auto moved =
      transfer([&] { return ::preadv2(descriptor, as_iovec(slices), count_of(slices), -1, RWF_NOWAIT); });
  if (moved || moved.error().value() != EOPNOTSUPP) return moved;
  if (!is_non_blocking(descriptor)) {
    poll_item item{descriptor, wants_input, 0};
    const auto ready = host_poll({&item, 1}, std::chrono::nanoseconds{0});
    if (!ready) return std::unexpected(ready.error());
    if (*ready == 0) return failed(EAGAIN);
  }
  return read(descriptor, slices);
}

outcome<std::size_t> write_now(int descriptor, std::span<const io_slice> slices) {
  const auto moved =
      guarded_write([&] { return ::pwritev2(descriptor, as_iovec(slices), count_of(slices), -1, RWF_NOWAIT); });
  if (moved || moved.error().value() != EOPNOTSUPP) return moved;
  if (is_non_blocking(descriptor)) return write(descriptor, slices);
  poll_item item{descriptor, wants_output, 0};
  const auto ready = host_poll({&item, 1}, std::chrono::nanoseconds{0});
  if (!ready) return std::unexpected(ready.error());
  if (*ready == 0) return failed(EAGAIN);
  for (const io_slice& slice : slices) {
    if (slice.size == 0) continue;
    const io_slice part{slice.data, std::min<std::size_t>(slice.size, 4096)};
    return write(descriptor, {&part, 1});
  }
  return std::size_t{0};
}

std::uint64_t bytes_ready(int descriptor) {
  int count = 0;
  if (::ioctl(descriptor, FIONREAD, &count) < 0 || count < 0) return 0;
  return static_cast<std::uint64_t>(count);
}

outcome<std::uint64_t> seek(int descriptor, std::int64_t offset, seek_base base) {
  const int whence = base == seek_base::start ? SEEK_SET : base == seek_base::current ? SEEK_CUR : SEEK_END;
  const off_t position = ::lseek(descriptor, offset, whence);
  if (position < 0) return failed();
  return static_cast<std::uint64_t>(position);
}

outcome<void> truncate(int descriptor, std::uint64_t size) {
  if (size > std::numeric_limits<off_t>::max()) return failed(EFBIG);
  return plain([&] { return ::ftruncate(descriptor, static_cast<off_t>(size)); });
}

outcome<void> allocate(int descriptor, std::uint64_t offset, std::uint64_t size) {
  constexpr std::uint64_t most = std::numeric_limits<off_t>::max();
  if (size == 0 || offset > most) return failed(EINVAL);
  if (size > most - offset) return failed(EFBIG);
  int code;
  do code = ::posix_fallocate(descriptor, static_cast<off_t>(offset), static_cast<off_t>(size));
  while (code == EINTR);
  if (code != 0) return failed(code);
  return {};
}

outcome<void> advise(int descriptor, std::uint64_t offset, std::uint64_t size, access_advice advice) {
  constexpr std::uint64_t most = std::numeric_limits<off_t>::max();
  if (offset > most || size > most) return failed(EINVAL);
  constexpr int values[] = {POSIX_FADV_NORMAL,   POSIX_FADV_SEQUENTIAL, POSIX_FADV_RANDOM,
                            POSIX_FADV_WILLNEED, POSIX_FADV_DONTNEED,   POSIX_FADV_NOREUSE};
  const int code = ::posix_fadvise(descriptor, static_cast<off_t>(offset), static_cast<off_t>(size),
                                   values[static_cast<std::size_t>(advice)]);
  if (code != 0) return failed(code);
  return {};
}

outcome<void> sync(int descriptor) {
  return plain([&] { return ::fsync(descriptor); });
}

outcome<void> sync_data(int descriptor) {
  return plain([&] { return ::fdatasync(descriptor); });
}

outcome<void> set_append(int descriptor, bool appends) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) return failed();
  return plain([&] { return ::fcntl(descriptor, F_SETFL, appends ? flags | O_APPEND : flags & ~O_APPEND); });
}

outcome<void> set_times(int descriptor, time_change accessed, time_change modified) {
  const timespec times[2] = {to_timespec(accessed), to_timespec(modified)};
  const auto changed = plain([&] { return ::futimens(descriptor, times); });
  if (changed || changed.error().value() != EBADF) return changed;
  // A descriptor that was opened for its path only: the kernel changes it by an empty path, older ones by its name in
  // /proc.
  const auto by_path = plain([&] { return ::utimensat(descriptor, "", times, AT_EMPTY_PATH); });
  if (by_path || by_path.error().value() != EINVAL) return by_path;
  const std::string name = "/proc/self/fd/" + std::to_string(descriptor);
  return plain([&] { return ::utimensat(AT_FDCWD, name.c_str(), times, 0); });
}

} // namespace weir::rt::os
