// SPDX-License-Identifier: Apache-2.0
#pragma once

// The variables that WEIR_THREAD_LOCAL names, of the running thread.
#include <cstddef>
#include <span>

namespace weir::sim::detail {

std::span<char> locals_section() noexcept;
/// What they are when a thread begins.
std::span<const char> initial_locals() noexcept;

} // namespace weir::sim::detail
