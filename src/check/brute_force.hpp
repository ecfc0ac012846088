// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests only: the meaning of a litmus program by trying everything. Guesses the value of each read, then each
// reads-from and each modification order that fits, and tests the axioms as relations between events, exactly as they
// are written down. Shares nothing with the engine but the form of a program.

#include "check/litmus_program.hpp"

namespace weir::check::detail {

[[nodiscard]] litmus_verdict brute_force(const litmus_program& program);

} // namespace weir::check::detail
