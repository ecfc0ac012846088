// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a search amounts to, in words. Only a search that went through every execution says "verified".

#include <string>
#include <string_view>

#include "check/checker.hpp"

namespace weir::check::detail {

/// "verified: 306 executions", "bounded: 40,000 of about 3e6 executions; ..."
[[nodiscard]] std::string verdict_of(const checker& run, const model_options& options);

/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t value);
/// Few digits: "3.1e6", "420", "0.25".
[[nodiscard]] std::string about(double value);

} // namespace weir::check::detail
