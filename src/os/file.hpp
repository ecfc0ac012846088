// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files, directories and pipes of the host, as plain functions over descriptors. Interrupted calls are repeated; an
// error is the host's errno in the system category.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace weir::rt::os {

template <class T> using outcome = std::expected<T, std::error_code>;

/// The calling thread's errno as an error code.
std::error_code last_error() noexcept;

/// A descriptor that is closed at the end of its life, unless it is borrowed.
class file {
public:
  file() = default;
  static file owning(int descriptor) noexcept { return file{descriptor, true}; }
  static file borrowing(int descriptor) noexcept { return file{descriptor, false}; }
  file(file&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)}, is_owned_{other.is_owned_} {}
  file& operator=(file&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(is_owned_, other.is_owned_);
    return *this;
  }
  ~file();

  int get() const noexcept { return descriptor_; }
  bool is_open() const noexcept { return descriptor_ >= 0; }

private:
  file(int descriptor, bool is_owned) noexcept : descriptor_{descriptor}, is_owned_{is_owned} {}
  int descriptor_ = -1;
  bool is_owned_ = false;
};

enum class file_type : std::uint8_t {
  unknown,
  block_device,
  character_device,
  directory,
  regular,
  fifo,
  socket_stream,
  socket_datagram,
  symbolic_link,
};

struct file_status {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t links = 0;
  std::uint64_t size = 0;
  file_type type = file_type::unknown;
  std::chrono::nanoseconds accessed{};
  std::chrono::nanoseconds modified{};
  std::chrono::nanoseconds changed{};
};

/// One piece of memory of a scattered transfer; has the layout of the system's iovec.
struct io_slice {
  void* data;
  std::size_t size;
};

outcome<file_status> status(int descriptor);
/// True when the descriptor is a terminal.
bool is_terminal(int descriptor);
/// Opens a directory of the host by its path, for reading.
outcome<file> open_directory(const std::string& path);
/// A second descriptor for the same open file.
outcome<file> duplicate(int descriptor);
/// The access mode of an open descriptor: whether it can be read and whether it can be written.
outcome<std::pair<bool, bool>> access_mode(int descriptor);

/// Transfers at the descriptor's own position, and may wait for a pipe, a terminal or a disk. Writing never raises
/// SIGPIPE.
outcome<std::size_t> read(int descriptor, std::span<const io_slice> slices);
outcome<std::size_t> write(int descriptor, std::span<const io_slice> slices);
/// Transfers at `offset` and leaves the position alone.
outcome<std::size_t> read_at(int descriptor, std::span<const io_slice> slices, std::uint64_t offset);
outcome<std::size_t> write_at(int descriptor, std::span<const io_slice> slices, std::uint64_t offset);

/// Transfers what is possible at once; `errc::resource_unavailable_try_again` when that is nothing.
///
/// A device that cannot promise not to wait (a terminal in blocking mode) is asked for its readiness first, and takes
/// at most 4096 bytes a call, so only another reader of the same device can make the call wait.
outcome<std::size_t> read_now(int descriptor, std::span<const io_slice> slices);
outcome<std::size_t> write_now(int descriptor, std::span<const io_slice> slices);
/// Bytes that a read would return now; 0 when the device does not tell.
std::uint64_t bytes_ready(int descriptor);

enum class seek_base : std::uint8_t { start, current, end };
outcome<std::uint64_t> seek(int descriptor, std::int64_t offset, seek_base base);
outcome<void> truncate(int descriptor, std::uint64_t size);
/// Makes sure that the file's range has storage; the file grows when it must.
outcome<void> allocate(int descriptor, std::uint64_t offset, std::uint64_t size);
enum class access_advice : std::uint8_t { normal, sequential, random, will_need, dont_need, no_reuse };
outcome<void> advise(int descriptor, std::uint64_t offset, std::uint64_t size, access_advice advice);
outcome<void> sync(int descriptor);
outcome<void> sync_data(int descriptor);
outcome<void> set_append(int descriptor, bool appends);

/// A new time for a file: none to leave it, or `now`, or an instant since 1970.
struct time_change {
  enum class kind : std::uint8_t { keep, now, at };
  kind what = kind::keep;
  std::chrono::nanoseconds instant{};
};
/// Changes the times of an open file, also of one opened for its path only.
outcome<void> set_times(int descriptor, time_change accessed, time_change modified);

} // namespace weir::rt::os
