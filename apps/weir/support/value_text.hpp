// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/types.hpp>
#include <weir/wasm/value.hpp>

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

/// Reads one argument of a call as a value of the given type.
///
/// Integers are decimal or 0x-hexadecimal, signed or unsigned, and must fit; floats are decimal, hexadecimal, `inf` or
/// `nan`; the only reference that can be written is `null`. Errors: a sentence that names the text, the type and what
/// would be accepted.
std::expected<wasm::value, std::string> parse_value(std::string_view text, wasm::value_type type);

/// Reads the arguments of a call by its parameter types.
///
/// Errors: also a wrong number of arguments, with the function's type.
std::expected<std::vector<wasm::value>, std::string> parse_arguments(std::span<const std::string> texts,
                                                                     const wasm::func_type& type);

/// Writes a value without its type: integers signed and decimal, floats with as few digits as give the same value back.
std::string format_value(const wasm::value& value);

/// Writes values with spaces between them.
std::string format_values(std::span<const wasm::value> values);

} // namespace weir::cli
