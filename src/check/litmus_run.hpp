// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/explorer.hpp"
#include "check/litmus_program.hpp"

namespace weir::check::detail {

/// Explores every execution of a program.
[[nodiscard]] litmus_verdict explore_litmus(explorer& engine, const litmus_program& program);

/// Whether two accesses of different threads conflict, one of them plain, and happens-before does not order them.
[[nodiscard]] bool has_plain_race(const graph& g) noexcept;

} // namespace weir::check::detail
