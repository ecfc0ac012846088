// SPDX-License-Identifier: Apache-2.0
#pragma once

// The handlers of the machine's own cells and the way into the handlers, for files that do not see how handlers are
// built.
#include "wasm/interp/machine.hpp"

#include <cstdint>

namespace weir::wasm::detail {

/// Runs from the saved registers until a handler returns to the driver.
exit_code run_handlers(machine& vm);
/// Stops when somebody asked for it; handlers go there from a back-edge with `ip` at the target.
exit_code checkpoint_now(machine& vm);

std::uintptr_t start_handler();   // calls machine::callee
std::uintptr_t halt_handler();    // returns exit_code::done
std::uintptr_t restore_handler(); // makes the calling instance current and returns to it

} // namespace weir::wasm::detail
