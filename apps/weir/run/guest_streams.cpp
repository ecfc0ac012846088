// SPDX-License-Identifier: Apache-2.0
#include "run/guest_streams.hpp"

namespace weir::cli {

wasi::input guest_input() { return is_open(stream::input) ? wasi::input::descriptor(0) : wasi::input{}; }

wasi::output guest_stream(stream which) {
  return is_open(which) ? wasi::output::descriptor(static_cast<int>(which)) : wasi::output{};
}

} // namespace weir::cli
