// SPDX-License-Identifier: Apache-2.0
#pragma once

// What channels and semaphores report as an error code.
#include <system_error>

namespace weir {

/// What a wait or an attempt may end with instead of what was asked for.
enum class sync_errc {
  closed = 1,  ///< close() was called, and nothing is left to take
  would_block, ///< the operation would have to wait; only from the try_ forms
};

const std::error_category& sync_category() noexcept;
inline std::error_code make_error_code(sync_errc code) noexcept { return {static_cast<int>(code), sync_category()}; }

} // namespace weir

template <> struct std::is_error_code_enum<weir::sync_errc> : std::true_type {};
