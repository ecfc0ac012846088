// SPDX-License-Identifier: Apache-2.0
#include "run/prefixed_lines.hpp"

#include <algorithm>
#include <utility>

namespace weir::cli {

std::error_code prefixed_lines::write(std::string_view bytes) {
  std::string whole;
  while (!bytes.empty()) {
    const std::size_t room = longest_line - open_line_.size();
    const std::size_t newline = bytes.substr(0, room).find('\n');
    const bool is_full = newline == std::string_view::npos && bytes.size() >= room;
    if (newline == std::string_view::npos && !is_full) {
      open_line_ += bytes;
      break;
    }
    const std::size_t length = is_full ? room : newline;
    whole += prefix_;
    whole += open_line_;
    whole += bytes.substr(0, length);
    whole += '\n';
    open_line_.clear();
    bytes.remove_prefix(is_full ? length : length + 1);
  }
  return whole.empty() ? std::error_code{} : sink_(whole);
}

std::error_code prefixed_lines::finish() {
  if (open_line_.empty()) return {};
  const std::string last = prefix_ + open_line_ + '\n';
  open_line_.clear();
  return sink_(last);
}

} // namespace weir::cli
