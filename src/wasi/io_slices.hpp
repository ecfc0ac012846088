// SPDX-License-Identifier: Apache-2.0
#pragma once

// A guest's array of iovec as host memory.
#include "os/file.hpp"
#include "wasi/abi.hpp"
#include "wasi/guest_memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::wasi {

/// The pieces of one transfer. At most 1024 of them and at most 2^31-4096 bytes are taken, as Linux does; the transfer
/// is then a short one, which every caller must expect anyway. Pieces of no bytes are left out.
class io_slices {
public:
  static constexpr std::size_t most = 1024;
  static constexpr std::uint64_t most_bytes = 0x7ffff000;

  /// Errors: `fault` when the array or one of the pieces taken is not in the memory.
  abi::errc load(guest_memory memory, std::uint32_t array, std::uint32_t length) {
    if (!memory.contains(array, std::uint64_t{length} * abi::iovec::size)) return abi::errc::fault;
    for (std::uint32_t i = 0; i < length && count_ < most && bytes_ < most_bytes; ++i) {
      const std::uint64_t at = array + std::uint64_t{i} * abi::iovec::size;
      const auto address = memory.load<std::uint32_t>(at + abi::iovec::buf);
      const auto size = memory.load<std::uint32_t>(at + abi::iovec::buf_len);
      const auto piece = memory.slice(*address, *size);
      if (!piece) return abi::errc::fault;
      if (piece->empty()) continue;
      const std::size_t taken = static_cast<std::size_t>(std::min<std::uint64_t>(piece->size(), most_bytes - bytes_));
      items_[count_++] = {piece->data(), taken};
      bytes_ += taken;
    }
    return abi::errc::success;
  }

  /// Leaves out the first bytes, which were transferred.
  void advance(std::size_t bytes) {
    bytes_ -= bytes;
    while (bytes > 0) {
      rt::os::io_slice& first = items_[first_];
      const std::size_t step = std::min(bytes, first.size);
      first.data = static_cast<std::byte*>(first.data) + step;
      first.size -= step;
      bytes -= step;
      if (first.size == 0) ++first_;
    }
  }

  std::span<const rt::os::io_slice> pieces() const { return std::span{items_}.subspan(first_, count_ - first_); }
  std::uint64_t bytes() const { return bytes_; }
  bool empty() const { return bytes_ == 0; }

private:
  std::array<rt::os::io_slice, most> items_; // only the first count_ are set
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::uint64_t bytes_ = 0;
};

} // namespace weir::wasi
