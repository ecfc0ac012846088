// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <span>
#include <string>
#include <system_error>

namespace weir::wasi {

/// Where a guest's standard input comes from.
class input {
public:
  /// Fills some of the bytes and returns how many; 0 is the end. May block: it runs inside weir::blocking().
  using source = std::function<std::expected<std::size_t, std::error_code>(std::span<std::byte>)>;

  /// An input that is at its end.
  input() = default;
  static input text(std::string content) {
    input made;
    made.text_ = std::move(content);
    return made;
  }
  /// A descriptor of the host. Lifetime: it stays the caller's and must be open as long as the guest's context.
  static input descriptor(int number) {
    input made;
    made.descriptor_ = number;
    return made;
  }
  static input callback(source from) {
    input made;
    made.callback_ = std::move(from);
    return made;
  }

  const std::string& content() const { return text_; }
  int descriptor_number() const { return descriptor_; }
  const source& callback() const { return callback_; }

private:
  std::string text_;
  int descriptor_ = -1;
  source callback_;
};

/// Where a guest's standard output or error goes.
class output {
public:
  /// Takes all of the bytes. May block: it runs inside weir::blocking(). An error becomes the guest's errno.
  using sink = std::function<std::error_code(std::span<const std::byte>)>;

  /// An output that drops everything.
  output() = default;
  /// A descriptor of the host. Lifetime: as for input::descriptor().
  static output descriptor(int number) {
    output made;
    made.descriptor_ = number;
    return made;
  }
  /// `is_terminal` is what the guest is told; a C library writes each line at once to a terminal, and whole buffers
  /// elsewhere.
  static output callback(sink to, bool is_terminal = false) {
    output made;
    made.callback_ = std::move(to);
    made.is_terminal_ = is_terminal;
    return made;
  }

  int descriptor_number() const { return descriptor_; }
  const sink& callback() const { return callback_; }
  bool is_terminal() const { return is_terminal_; }

private:
  int descriptor_ = -1;
  sink callback_;
  bool is_terminal_ = false;
};

} // namespace weir::wasi
