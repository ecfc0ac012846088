// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conform/directive.hpp"

#include <weir/wasm/error.hpp>
#include <weir/wasm/store.hpp>
#include <weir/wasm/value.hpp>

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

/// The feature that the engine lacks for a value of a script; none when it has what is needed.
std::optional<std::string> lacking_feature(const script_value& value);
std::optional<std::string> lacking_feature(std::span<const script_value> values);

/// The value that a script passes to a function. A host reference is made in `owner`.
///
/// Errors: what is wrong with the script's value.
std::expected<wasm::value, std::string> to_argument(const script_value& value, wasm::store& owner);

/// Whether a result is what a script expects, NaN patterns and alternatives included.
bool matches(const wasm::value& actual, const script_value& expected, const wasm::store& owner);
bool matches(std::span<const wasm::value> actual, std::span<const script_value> expected, const wasm::store& owner);

/// Whether a trap's reason is the text of a script: one of them begins with the other.
bool matches(wasm::trap_code trap, std::string_view text);

/// The values for a failure message, such as `i32:5 f32:nan:canonical`.
std::string describe(std::span<const script_value> values);
std::string describe(std::span<const wasm::value> values);

/// The name of the feature that a refused module needs, from an error with errc::unsupported_feature.
std::string feature_name(const wasm::error& refused);

} // namespace weir::cli
