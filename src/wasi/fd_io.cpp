// SPDX-License-Identifier: Apache-2.0
// Moving bytes. A transfer that may wait runs inside weir::blocking(), and waits in poll() beside the guest's
// cancellation, never in the transfer itself: the descriptors of pipes and terminals are asked for what is there, or
// takes what fits, at once.
#include "wasi/errno_map.hpp"
#include "wasi/fd_wait.hpp"
#include "wasi/functions.hpp"
#include "wasi/io_slices.hpp"

#include <weir/blocking.hpp>

#include <cstring>

namespace weir::wasi::detail {

namespace {

using moved = std::expected<std::size_t, errc>;

moved to_moved(const rt::os::outcome<std::size_t>& done) {
  if (!done) return std::unexpected(to_errno(done.error()));
  return *done;
}

moved read_text(descriptor& from, std::span<const rt::os::io_slice> pieces) {
  std::size_t sum = 0;
  for (const rt::os::io_slice& piece : pieces) {
    const std::size_t count = std::min(piece.size, from.text.size() - from.text_position);
    std::memcpy(piece.data, from.text.data() + from.text_position, count);
    from.text_position += count;
    sum += count;
  }
  return sum;
}

moved read_source(descriptor& from, const rt::os::io_slice& piece) {
  const auto count = from.source({static_cast<std::byte*>(piece.data), piece.size});
  if (!count) return std::unexpected(to_errno(count.error()));
  return std::min(*count, piece.size);
}

moved read_waiting(guest_state& guest, const descriptor& from, const io_slices& slices) {
  for (;;) {
    if (const errc end = wait_for_turn(guest, from, rt::os::wants_input); end != errc::success)
      return std::unexpected(end);
    const auto count = rt::os::read_now(from.file.get(), slices.pieces());
    if (count || count.error() != std::errc::resource_unavailable_try_again) return to_moved(count);
    if (from.does_not_block()) return std::unexpected(errc::again);
  }
}

moved read_some(guest_state& guest, descriptor& from, const io_slices& slices) {
  if (slices.empty()) return std::size_t{0};
  if (from.what == descriptor::kind::text_input) return read_text(from, slices.pieces());
  return weir::blocking([&]() -> moved {
    if (from.what == descriptor::kind::source) return read_source(from, slices.pieces().front());
    if (from.waits()) return read_waiting(guest, from, slices);
    return to_moved(rt::os::read(from.file.get(), slices.pieces()));
  });
}

moved write_sink(const descriptor& to, const io_slices& slices) {
  for (const rt::os::io_slice& piece : slices.pieces())
    if (const auto error = to.sink({static_cast<const std::byte*>(piece.data), piece.size}))
      return std::unexpected(to_errno(error));
  return static_cast<std::size_t>(slices.bytes());
}

/// Writes all, as a blocking write does; what was written before an error counts.
moved write_waiting(guest_state& guest, const descriptor& to, io_slices& slices) {
  std::size_t sum = 0;
  while (!slices.empty()) {
    const errc end = wait_for_turn(guest, to, rt::os::wants_output);
    if (end == errc::interrupted) return std::unexpected(end);
    const auto count = end == errc::success ? to_moved(rt::os::write_now(to.file.get(), slices.pieces()))
                                            : moved{std::unexpected(end)};
    if (!count) {
      if (count.error() == errc::again && !to.does_not_block()) continue;
      return sum > 0 ? moved{sum} : count;
    }
    sum += *count;
    slices.advance(*count);
  }
  return sum;
}

moved write_some(guest_state& guest, const descriptor& to, io_slices& slices) {
  if (slices.empty()) return std::size_t{0};
  return weir::blocking([&]() -> moved {
    if (to.what == descriptor::kind::sink) return write_sink(to, slices);
    if (to.waits()) return write_waiting(guest, to, slices);
    return to_moved(rt::os::write(to.file.get(), slices.pieces()));
  });
}

/// What the four transfers have in common: the checks before and the count after. `may` is the descriptor's leave for
/// it.
template <class Transfer>
errc transfer(guest_state& guest, guest_memory memory, u32 fd, u32 iovs, u32 iovs_len, u32 count_out,
              bool descriptor::* may, Transfer run) {
  descriptor* const found = guest.files.find(fd);
  if (!found || !(found->*may) || found->is_directory()) return errc::badf;
  io_slices slices;
  if (const errc loaded = slices.load(memory, iovs, iovs_len); loaded != errc::success) return loaded;
  if (!memory.contains(count_out, 4)) return errc::fault;
  const moved count = run(*found, slices);
  if (!count) return count.error();
  return memory.store(count_out, static_cast<u32>(*count)) ? errc::success : errc::fault;
}

/// Whether a transfer at an offset makes sense.
bool has_offsets(const descriptor& found) { return found.what == descriptor::kind::host_file && !found.is_socket(); }

errc move_position(guest_state& guest, guest_memory memory, u32 fd, i64 offset, rt::os::seek_base base,
                   u32 position_out) {
  const descriptor* const found = guest.files.find(fd);
  if (!found || found->is_directory()) return errc::badf;
  if (!memory.contains(position_out, 8)) return errc::fault;
  if (!has_offsets(*found)) return errc::spipe;
  const auto position = rt::os::seek(found->file.get(), offset, base);
  if (!position) return to_errno(position.error());
  return memory.store(position_out, *position) ? errc::success : errc::fault;
}

errc flush(guest_state& guest, u32 fd, rt::os::outcome<void> (*call)(int)) {
  const descriptor* const found = guest.files.find(fd);
  if (!found) return errc::badf;
  if (found->what != descriptor::kind::host_file) return errc::success;
  return weir::blocking([&] {
    const errc done = to_errno(call(found->file.get()));
    // A pipe or a terminal has nothing to bring to a disk; a guest that writes to its output cannot know what it is.
    return done == errc::inval && found->is_stdio ? errc::success : done;
  });
}

} // namespace

errc fd_read(guest_state& guest, guest_memory memory, u32 fd, u32 iovs, u32 iovs_len, u32 nread_out) {
  return transfer(guest, memory, fd, iovs, iovs_len, nread_out, &descriptor::can_read,
                  [&](descriptor& from, io_slices& slices) { return read_some(guest, from, slices); });
}

errc fd_write(guest_state& guest, guest_memory memory, u32 fd, u32 iovs, u32 iovs_len, u32 nwritten_out) {
  return transfer(guest, memory, fd, iovs, iovs_len, nwritten_out, &descriptor::can_write,
                  [&](descriptor& to, io_slices& slices) { return write_some(guest, to, slices); });
}

errc fd_pread(guest_state& guest, guest_memory memory, u32 fd, u32 iovs, u32 iovs_len, u64 offset, u32 nread_out) {
  return transfer(guest, memory, fd, iovs, iovs_len, nread_out, &descriptor::can_read,
                  [&](descriptor& from, io_slices& slices) -> moved {
                    if (!has_offsets(from)) return std::unexpected(errc::spipe);
                    return weir::blocking(
                        [&] { return to_moved(rt::os::read_at(from.file.get(), slices.pieces(), offset)); });
                  });
}

errc fd_pwrite(guest_state& guest, guest_memory memory, u32 fd, u32 iovs, u32 iovs_len, u64 offset, u32 nwritten_out) {
  return transfer(guest, memory, fd, iovs, iovs_len, nwritten_out, &descriptor::can_write,
                  [&](descriptor& to, io_slices& slices) -> moved {
                    if (!has_offsets(to)) return std::unexpected(errc::spipe);
                    return weir::blocking(
                        [&] { return to_moved(rt::os::write_at(to.file.get(), slices.pieces(), offset)); });
                  });
}

errc fd_seek(guest_state& guest, guest_memory memory, u32 fd, i64 offset, u32 whence, u32 position_out) {
  if (whence > 2) return guest.files.find(fd) ? errc::inval : errc::badf;
  return move_position(guest, memory, fd, offset, static_cast<rt::os::seek_base>(whence), position_out);
}

errc fd_tell(guest_state& guest, guest_memory memory, u32 fd, u32 position_out) {
  return move_position(guest, memory, fd, 0, rt::os::seek_base::current, position_out);
}

errc fd_sync(guest_state& guest, guest_memory, u32 fd) { return flush(guest, fd, &rt::os::sync); }

errc fd_datasync(guest_state& guest, guest_memory, u32 fd) { return flush(guest, fd, &rt::os::sync_data); }

} // namespace weir::wasi::detail
