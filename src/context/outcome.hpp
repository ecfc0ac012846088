// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::rt {

/// Why a fiber's resume came back to the worker.
enum class outcome : std::uint8_t {
  suspended, ///< waits; the task's word says for what and who resumes it
  returned,  ///< ended
  failed,    ///< ended by an exception that nobody caught
  cancelled, ///< ended by being unwound, or never entered
};

constexpr bool is_end(outcome why) noexcept { return why >= outcome::returned; }

} // namespace weir::rt
