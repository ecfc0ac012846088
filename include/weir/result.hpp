// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <expected>
#include <system_error>

namespace weir {

/// The outcome of an operation that may fail in ways a correct program expects.
template <class T> using result = std::expected<T, std::error_code>;

} // namespace weir
