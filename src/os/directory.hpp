// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "os/file.hpp"

#include <array>
#include <string_view>

namespace weir::rt::os {

struct directory_entry {
  std::uint64_t next = 0; ///< where the entry after this one is read from
  std::uint64_t inode = 0;
  file_type type = file_type::unknown;
  std::string_view name; ///< valid until the next call of next()
};

/// Reads a directory from a place that an earlier entry named; 0 is the beginning. `.` and `..` are among the entries.
class directory_reader {
public:
  /// Lifetime: `descriptor` stays open while the reader is used.
  explicit directory_reader(int descriptor) noexcept : descriptor_{descriptor} {}
  outcome<void> start(std::uint64_t place);
  /// The next entry, or false at the end.
  outcome<bool> next(directory_entry& entry);

private:
  int descriptor_;
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
  alignas(8) std::array<char, 8192> buffer_;
};

} // namespace weir::rt::os
