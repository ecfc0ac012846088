// SPDX-License-Identifier: Apache-2.0
#include "conform/progress.hpp"

#include "support/console.hpp"

#include <fmt/format.h>

namespace weir::cli {
namespace {

constexpr const char* erase_line = "\r\x1b[K";

} // namespace

progress_line::progress_line(std::size_t scripts) : is_shown_{is_terminal(stream::error)}, scripts_{scripts} {}

progress_line::~progress_line() {
  if (is_shown_) print(stream::error, erase_line);
}

void progress_line::advance(std::string_view script, std::size_t passed, std::size_t failed) {
  ++done_;
  if (!is_shown_) return;
  print(stream::error, fmt::format("{}{}/{} scripts, {} passed, {} failed  {}", erase_line, done_, scripts_, passed,
                                   failed, script.substr(0, 40)));
}

} // namespace weir::cli
