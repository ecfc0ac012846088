// SPDX-License-Identifier: Apache-2.0
#include "support/console.hpp"

#include "os/file.hpp"

#include <array>
#include <cstdlib>
#include <mutex>
#include <string>

namespace weir::cli {
namespace {

// One for both outputs: on a terminal they share the screen.
std::mutex& console_mutex() {
  static std::mutex mutex;
  return mutex;
}

} // namespace

std::error_code write_all(stream to, std::string_view text) {
  const std::scoped_lock lock{console_mutex()};
  while (!text.empty()) {
    // The system's slices serve reading too and are not const.
    const std::array slice = {rt::os::io_slice{const_cast<char*>(text.data()), text.size()}};
    const auto written = rt::os::write(static_cast<int>(to), slice);
    if (!written) return written.error();
    text.remove_prefix(*written);
  }
  return {};
}

void complain(std::string_view text) {
  std::string line{"weir: "};
  line += text;
  line += '\n';
  write_all(stream::error, line);
}

bool is_open(stream which) { return rt::os::status(static_cast<int>(which)).has_value(); }

bool is_terminal(stream which) { return rt::os::is_terminal(static_cast<int>(which)); }

void end_process(int status) { std::_Exit(status); }

} // namespace weir::cli
