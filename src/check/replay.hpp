// SPDX-License-Identifier: Apache-2.0
#pragma once

// One execution as a string: for each thread and event, what the engine decided about it.
//
//   w1:<hash of the model's name>:ex:<base 32>:<checksum>

#include <expected>
#include <string>
#include <string_view>

#include "check/checker.hpp"

namespace weir::check::detail {

[[nodiscard]] replay_plan plan_of(const checker& run);
[[nodiscard]] std::string encode_replay(std::string_view model, const replay_plan& plan);
/// The error says what is wrong with the string.
[[nodiscard]] std::expected<replay_plan, std::string> decode_replay(std::string_view model, std::string_view text);

} // namespace weir::check::detail
