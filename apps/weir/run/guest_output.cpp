// SPDX-License-Identifier: Apache-2.0
#include "run/guest_output.hpp"

#include "run/guest_streams.hpp"
#include "support/console.hpp"

#include <weir/blocking.hpp>

#include <cstddef>
#include <span>
#include <system_error>

namespace weir::cli {
namespace {

prefixed_lines lines_to(stream target, const std::string& name) {
  return {name + "| ", [target](std::string_view lines) { return write_all(target, lines); }};
}

wasi::output through(prefixed_lines& lines, stream target) {
  // WASI calls the sink inside a blocking region.
  return wasi::output::callback(
      [&lines](std::span<const std::byte> bytes) {
        return lines.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      },
      is_terminal(target));
}

/// What weir itself writes for a guest has nobody else to hear of a failure.
void complain_about(std::error_code failed) {
  if (failed) complain("the output of a guest: " + failed.message());
}

} // namespace

guest_output::guest_output(const std::string& name, bool has_prefix)
    : has_prefix_{has_prefix}, output_{lines_to(stream::output, name)}, error_{lines_to(stream::error, name)} {}

wasi::output guest_output::standard_output() {
  return has_prefix_ ? through(output_, stream::output) : guest_stream(stream::output);
}

wasi::output guest_output::standard_error() {
  return has_prefix_ ? through(error_, stream::error) : guest_stream(stream::error);
}

void guest_output::print(std::string line) {
  line += '\n';
  weir::blocking([&] { complain_about(has_prefix_ ? output_.write(line) : write_all(stream::output, line)); });
}

void guest_output::finish() {
  weir::blocking([&] {
    complain_about(output_.finish());
    complain_about(error_.finish());
  });
}

} // namespace weir::cli
