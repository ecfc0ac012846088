// SPDX-License-Identifier: Apache-2.0
#include "support/console.hpp"

#include "os/file.hpp"
#include "os/poll.hpp"

#include <array>
#include <cstdlib>
#include <mutex>
#include <string>

namespace weir::cli {
namespace {

// One for each stream: a guest that is stuck in writing to one of them holds its mutex for ever.
std::timed_mutex& mutex_of(stream which) {
  static std::array<std::timed_mutex, 3> mutexes;
  return mutexes[static_cast<std::size_t>(which)];
}

/// What the system's writing takes; its slices serve reading too and are not const.
std::array<rt::os::io_slice, 1> slice_of(std::string_view text) {
  return {rt::os::io_slice{const_cast<char*>(text.data()), text.size()}};
}

} // namespace

std::error_code write_all(stream to, std::string_view text) {
  const std::scoped_lock lock{mutex_of(to)};
  while (!text.empty()) {
    const auto written = rt::os::write(static_cast<int>(to), slice_of(text));
    if (!written) return written.error();
    text.remove_prefix(*written);
  }
  return {};
}

void print(stream to, std::string_view text) {
  if (const std::error_code failed = write_all(to, text); failed && to == stream::output)
    complain("standard output: " + failed.message());
}

void print_within(stream to, std::string_view text, std::chrono::nanoseconds limit) {
  const std::unique_lock lock{mutex_of(to), limit};
  if (!lock) return;
  while (!text.empty()) {
    std::array item = {rt::os::poll_item{static_cast<int>(to), rt::os::wants_output, 0}};
    if (const auto ready = rt::os::host_poll(item, limit); ready.value_or(0) == 0) return;
    const auto written = rt::os::write_now(static_cast<int>(to), slice_of(text));
    if (written)
      text.remove_prefix(*written);
    else if (written.error() != std::errc::resource_unavailable_try_again)
      return;
  }
}

void complain(std::string_view text) {
  std::string line{"weir: "};
  line += text;
  line += '\n';
  print_within(stream::error, line, std::chrono::seconds{1});
}

bool is_open(stream which) { return rt::os::status(static_cast<int>(which)).has_value(); }

bool is_terminal(stream which) { return rt::os::is_terminal(static_cast<int>(which)); }

void end_process(int status) { std::_Exit(status); }

} // namespace weir::cli
