// SPDX-License-Identifier: Apache-2.0
// Takes the place of guest_streams.cpp in a simulation. How fast somebody types, and how fast a pipe is emptied, must not decide who runs.
#include "run/guest_streams.hpp"

#include "os/file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string>

namespace weir::cli {
namespace {

/// Standard input to its end.
class whole_input {
public:
  std::expected<std::size_t, std::error_code> read(std::span<std::byte> into) {
    if (!is_read_) {
      if (const std::error_code failed = read_all()) return std::unexpected(failed);
    }
    const std::size_t count = std::min(into.size(), content_.size() - at_);
    std::memcpy(into.data(), content_.data() + at_, count);
    at_ += count;
    return count;
  }

private:
  std::error_code read_all() {
    std::array<char, 65536> piece{};
    for (;;) {
      const std::array slices = {rt::os::io_slice{piece.data(), piece.size()}};
      const auto count = rt::os::read(0, slices);
      if (!count) return count.error();
      if (*count == 0) break;
      content_.append(piece.data(), *count);
    }
    is_read_ = true;
    return {};
  }

  std::string content_;
  std::size_t at_ = 0;
  bool is_read_ = false;
};

} // namespace

wasi::input guest_input() {
  if (!is_open(stream::input)) return {};
  return wasi::input::callback(
      [whole = std::make_shared<whole_input>()](std::span<std::byte> into) { return whole->read(into); });
}

wasi::output guest_stream(stream which) {
  if (!is_open(which)) return {};
  const auto write = [which](std::span<const std::byte> bytes) {
    return write_all(which, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  return wasi::output::callback(write, is_terminal(which));
}

} // namespace weir::cli
