// SPDX-License-Identifier: Apache-2.0
// Arguments, environment, random numbers and signals.
#include "os/random.hpp"
#include "wasi/errno_map.hpp"
#include "wasi/functions.hpp"

#include <weir/blocking.hpp>

#include <algorithm>
#include <cstring>

namespace weir::wasi::detail {

namespace {

u64 bytes_of(const std::vector<std::string>& strings) {
  u64 sum = 0;
  for (const std::string& each : strings) sum += each.size() + 1;
  return sum;
}

/// Writes the strings one after the other, each with its final zero, and their addresses into an array.
errc put_strings(const std::vector<std::string>& strings, guest_memory memory, u32 array, u32 buffer) {
  const auto pointers = memory.slice(array, u64{4} * strings.size());
  const auto bytes = memory.slice(buffer, bytes_of(strings));
  if (!pointers || !bytes) return errc::fault;
  u32 at = 0;
  for (u32 i = 0; i < strings.size(); ++i) {
    put(*pointers, 4 * i, buffer + at);
    std::memcpy(bytes->data() + at, strings[i].c_str(), strings[i].size() + 1);
    at += static_cast<u32>(strings[i].size() + 1);
  }
  return errc::success;
}

errc put_sizes(const std::vector<std::string>& strings, guest_memory memory, u32 count_out, u32 size_out) {
  const bool is_stored = memory.contains(size_out, 4) && memory.store(count_out, static_cast<u32>(strings.size())) &&
                         memory.store(size_out, static_cast<u32>(bytes_of(strings)));
  return is_stored ? errc::success : errc::fault;
}

errc fill(guest_state& guest, std::span<std::byte> bytes) {
  constexpr std::size_t step = std::size_t{1} << 20; // so that cancellation need not wait for gigabytes
  while (!bytes.empty()) {
    if (guest.cancel.is_cancelled()) return errc::interrupted;
    const auto part = bytes.first(std::min(step, bytes.size()));
    if (guest.random)
      guest.random(part);
    else if (const auto filled = rt::os::fill_random(part); !filled)
      return to_errno(filled);
    bytes = bytes.subspan(part.size());
  }
  return errc::success;
}

} // namespace

errc args_get(guest_state& guest, guest_memory memory, u32 argv, u32 argv_buf) {
  return put_strings(guest.args, memory, argv, argv_buf);
}

errc args_sizes_get(guest_state& guest, guest_memory memory, u32 count_out, u32 size_out) {
  return put_sizes(guest.args, memory, count_out, size_out);
}

errc environ_get(guest_state& guest, guest_memory memory, u32 environ, u32 environ_buf) {
  return put_strings(guest.environ, memory, environ, environ_buf);
}

errc environ_sizes_get(guest_state& guest, guest_memory memory, u32 count_out, u32 size_out) {
  return put_sizes(guest.environ, memory, count_out, size_out);
}

errc proc_raise(guest_state&, guest_memory, u32 signal) {
  constexpr u32 signal_count = 31;
  return signal < signal_count ? errc::notsup : errc::inval;
}

errc random_get(guest_state& guest, guest_memory memory, u32 buf, u32 buf_len) {
  const auto bytes = memory.slice(buf, buf_len);
  if (!bytes) return errc::fault;
  // A small request is quicker than giving the permit away could be.
  if (bytes->size() <= 65536) return fill(guest, *bytes);
  return weir::blocking([&] { return fill(guest, *bytes); });
}

} // namespace weir::wasi::detail
