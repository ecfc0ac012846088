// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>

namespace weir::cli {

/// Cuts what a guest writes into lines and passes on whole lines only, each with a prefix.
///
/// A line of more than `longest_line` bytes is passed on in parts of that size, each as a line of its own.
///
/// Thread: one at a time; the sink is what several guests share.
class prefixed_lines {
public:
  static constexpr std::size_t longest_line = 1u << 20;
  /// Takes one or more whole lines. An error drops the lines.
  using sink = std::function<std::error_code(std::string_view)>;

  prefixed_lines(std::string prefix, sink to) : prefix_{std::move(prefix)}, sink_{std::move(to)} {}

  /// Errors: the sink's, when the bytes completed a line.
  std::error_code write(std::string_view bytes);
  /// Ends a line that is not ended yet, and passes it on.
  ///
  /// Errors: the sink's.
  std::error_code finish();

private:
  std::string prefix_;
  sink sink_;
  std::string open_line_; // without its prefix
};

} // namespace weir::cli
