// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/prefixed_lines.hpp"

#include <weir/wasi/streams.hpp>

#include <string>
#include <string_view>

namespace weir::cli {

/// Where one guest's output goes: straight to the descriptors of weir, or line by line with the guest's name.
///
/// Thread:   one at a time, the guest's.
/// Lifetime: outlives the guest's WASI context; stays where it is.
class guest_output {
public:
  guest_output(const std::string& name, bool has_prefix);
  guest_output(const guest_output&) = delete;
  guest_output& operator=(const guest_output&) = delete;

  wasi::output standard_output();
  wasi::output standard_error();

  /// Writes a line of weir's own to the guest's standard output.
  void print(std::string line);
  /// Passes on the lines that have no end yet. Suspends: blocks the thread, in a blocking region.
  void finish();

private:
  bool has_prefix_;
  prefixed_lines output_;
  prefixed_lines error_;
};

} // namespace weir::cli
