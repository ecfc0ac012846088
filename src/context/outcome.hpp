// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::rt {

/// Why a resume came back to the worker.
enum class outcome : std::uint8_t {
  suspended, ///< waits for a wake; somebody else may run it already, so the worker must not touch it
  ready,     ///< suspended, but it yielded or was woken meanwhile: the worker puts it back into a queue
  returned,  ///< ended
  failed,    ///< ended by an exception that nobody caught
  cancelled, ///< ended by being unwound, or never entered
};

constexpr bool is_end(outcome why) noexcept { return why >= outcome::returned; }

} // namespace weir::rt
