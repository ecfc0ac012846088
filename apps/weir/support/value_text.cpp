// SPDX-License-Identifier: Apache-2.0
#include "support/value_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace weir::cli {
namespace {

/// An integer of Bits bits in either of its readings: -2^(Bits-1) .. 2^Bits - 1.
template <class Unsigned> std::optional<Unsigned> parse_integer(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const int base = text.starts_with("0x") || text.starts_with("0X") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  Unsigned magnitude = 0;
  const char* const first = text.data();
  const char* const last = first + text.size();
  const auto [end, failed] = std::from_chars(first, last, magnitude, base);
  if (failed != std::errc{} || end != last) return std::nullopt;
  if (!is_negative) return magnitude;
  constexpr Unsigned most = Unsigned{1} << (std::numeric_limits<Unsigned>::digits - 1);
  if (magnitude > most) return std::nullopt;
  return static_cast<Unsigned>(Unsigned{0} - magnitude);
}

template <class Float> std::optional<Float> parse_float(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  if (text.starts_with('-') || text.starts_with('+')) return std::nullopt;
  Float number = 0;
  const char* const first = text.data();
  const char* const last = first + text.size();
  const auto [end, failed] =
      std::from_chars(first, last, number, is_hex ? std::chars_format::hex : std::chars_format::general);
  if (failed == std::errc::result_out_of_range || failed != std::errc{} || end != last) return std::nullopt;
  return is_negative ? -number : number;
}

template <class Float> std::string format_float(Float number) {
  if (std::isnan(number)) return std::signbit(number) ? "-nan" : "nan";
  return fmt::format("{}", number);
}

std::unexpected<std::string> refuse(std::string_view text, wasm::value_type type, std::string_view wanted) {
  return std::unexpected(fmt::format("'{}' is not {}: write {}", text, wasm::to_string(type), wanted));
}

} // namespace

std::expected<wasm::value, std::string> parse_value(std::string_view text, wasm::value_type type) {
  if (type == wasm::i32) {
    if (const auto number = parse_integer<std::uint32_t>(text)) return wasm::value{*number};
    return refuse(text, type, "an integer from -2147483648 to 4294967295");
  }
  if (type == wasm::i64) {
    if (const auto number = parse_integer<std::uint64_t>(text)) return wasm::value{*number};
    return refuse(text, type, "an integer of 64 bits");
  }
  if (type == wasm::f32) {
    if (const auto number = parse_float<float>(text)) return wasm::value{*number};
    return refuse(text, type, "a number such as 1.5, inf or nan");
  }
  if (type == wasm::f64) {
    if (const auto number = parse_float<double>(text)) return wasm::value{*number};
    return refuse(text, type, "a number such as 1.5, inf or nan");
  }
  if (wasm::is_reference(type)) {
    if (text == "null") return wasm::value{type, 0};
    return refuse(text, type, "null, the only reference a command line can name");
  }
  return std::unexpected(fmt::format("a value of type {} cannot be written on a command line", wasm::to_string(type)));
}

std::expected<std::vector<wasm::value>, std::string> parse_arguments(std::span<const std::string> texts,
                                                                     const wasm::func_type& type) {
  if (texts.size() != type.params.size())
    return std::unexpected(fmt::format("takes {} argument{}, not {}: its type is {}", type.params.size(),
                                       type.params.size() == 1 ? "" : "s", texts.size(), wasm::to_string(type)));
  std::vector<wasm::value> values;
  values.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto one = parse_value(texts[i], type.params[i]);
    if (!one) return std::unexpected(fmt::format("argument {}: {}", i + 1, one.error()));
    values.push_back(*one);
  }
  return values;
}

std::string format_value(const wasm::value& value) {
  if (value.type == wasm::i32) return fmt::format("{}", value.i32());
  if (value.type == wasm::i64) return fmt::format("{}", value.i64());
  if (value.type == wasm::f32) return format_float(value.f32());
  if (value.type == wasm::f64) return format_float(value.f64());
  if (value.is_null()) return "null";
  return fmt::format("({})", wasm::to_string(value.type));
}

std::string format_values(std::span<const wasm::value> values) {
  std::string text;
  for (const wasm::value& one : values) {
    if (!text.empty()) text += ' ';
    text += format_value(one);
  }
  return text;
}

} // namespace weir::cli
