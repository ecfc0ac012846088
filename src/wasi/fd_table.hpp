// SPDX-License-Identifier: Apache-2.0
#pragma once

// A guest's descriptors. What a descriptor may do is part of it and moves with it, so renumbering changes a name and
// nothing else; a preopened directory keeps its number, because C libraries remember it.
#include "os/file.hpp"
#include "wasi/abi.hpp"

#include <weir/wasi/streams.hpp>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weir::wasi {

struct descriptor {
  enum class kind : std::uint8_t { host_file, text_input, source, sink };

  kind what = kind::host_file;
  rt::os::file file; // of a host_file
  rt::os::file_type type = rt::os::file_type::unknown;
  bool is_stdio = false;
  bool can_read = false;   // its bytes
  bool can_write = false;  // its bytes
  bool can_change = false; // its times and size; of a directory, what it contains
  std::uint32_t flags = 0; // abi::fdflag
  std::optional<std::string> preopen_name;
  std::string text; // of a text_input, with the number of bytes that were read
  std::size_t text_position = 0;
  input::source source;
  output::sink sink;

  bool is_directory() const { return type == rt::os::file_type::directory; }
  bool is_socket() const {
    return type == rt::os::file_type::socket_stream || type == rt::os::file_type::socket_datagram;
  }
  /// Whether transfers wait for somebody else, so that readiness means something.
  bool waits() const {
    using type_of = rt::os::file_type;
    return what == kind::host_file && type != type_of::regular && type != type_of::directory &&
           type != type_of::block_device;
  }
  bool does_not_block() const { return (flags & abi::fdflag::nonblock) != 0; }
};

class fd_table {
public:
  explicit fd_table(std::size_t most) : most_{most} {}

  /// The descriptor of that number, or null. Lifetime: until it is removed or renumbered over.
  descriptor* find(std::uint32_t number) const { return number < slots_.size() ? slots_[number].get() : nullptr; }
  /// Gives the lowest free number. Errors: `mfile` when there are as many descriptors as the guest may have.
  std::expected<std::uint32_t, abi::errc> insert(descriptor added);
  bool is_full() const { return used_ >= most_; }
  /// Errors: `badf`.
  abi::errc remove(std::uint32_t number);
  /// Gives `from` the number `to`, and closes what was there. Errors: `badf`; `notsup` for a preopened directory on
  /// either side.
  abi::errc renumber(std::uint32_t from, std::uint32_t to);

private:
  std::vector<std::unique_ptr<descriptor>> slots_;
  std::size_t used_ = 0;
  std::size_t first_free_ = 0; // no slot below it is free
  std::size_t most_;
};

} // namespace weir::wasi
