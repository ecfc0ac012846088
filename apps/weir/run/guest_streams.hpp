// SPDX-License-Identifier: Apache-2.0
#pragma once

// The streams of weir itself as a guest has them that is alone with them.
#include "support/console.hpp"

#include <weir/wasi/streams.hpp>

namespace weir::cli {

/// Standard input. In a simulation it is read to its end when the guest first asks for it, and the simulation stands still meanwhile.
wasi::input guest_input();
/// Standard output or standard error. In a simulation it takes what is written at once, however long the host needs for it.
wasi::output guest_stream(stream which);

} // namespace weir::cli
