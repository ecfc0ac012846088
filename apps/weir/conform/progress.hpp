// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace weir::cli {

/// A line on standard error that is rewritten as scripts end; nothing where that is no terminal.
class progress_line {
public:
  explicit progress_line(std::size_t scripts);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// Thread: one at a time.
  void advance(std::string_view script, std::size_t passed, std::size_t failed);

private:
  bool is_shown_;
  std::size_t scripts_;
  std::size_t done_ = 0;
};

} // namespace weir::cli
