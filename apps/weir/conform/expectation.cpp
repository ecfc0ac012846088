// SPDX-License-Identifier: Apache-2.0
#include "conform/expectation.hpp"

#include "support/value_text.hpp"

#include <weir/wasm/types.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace weir::cli {
namespace {

constexpr std::array gc_types = {"anyref", "eqref", "structref", "arrayref", "i31ref"};

std::optional<std::uint64_t> to_bits(std::string_view text) {
  std::uint64_t bits = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), bits);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return bits;
}

std::optional<wasm::value_type> number_type(std::string_view name) {
  for (const auto type : {wasm::i32, wasm::i64, wasm::f32, wasm::f64})
    if (wasm::to_string(type) == name) return type;
  return std::nullopt;
}

std::optional<wasm::value_type> reference_of_heap(std::string_view heap) {
  if (heap == "func") return wasm::funcref;
  if (heap == "extern") return wasm::externref;
  if (heap == "exn") return wasm::exnref;
  return std::nullopt;
}

/// A canonical NaN has only the first bit of its significand set; an arithmetic one has at least that.
bool matches_nan(const wasm::value& actual, std::string_view pattern) {
  const bool is_single = actual.type == wasm::f32;
  const std::uint64_t sign = is_single ? 0x8000'0000u : 0x8000'0000'0000'0000u;
  const std::uint64_t canonical = is_single ? 0x7fc0'0000u : 0x7ff8'0000'0000'0000u;
  if (pattern == "nan:canonical") return (actual.bits & ~sign) == canonical;
  if (pattern == "nan:arithmetic") return (actual.bits & canonical) == canonical;
  return false;
}

bool matches_reference(const wasm::value& actual, const script_value& expected, const wasm::store& owner) {
  if (expected.type == "refnull") {
    const auto type = reference_of_heap(expected.heap);
    return wasm::is_reference(actual.type) && actual.is_null() && (!type || *type == actual.type);
  }
  if (wasm::to_string(actual.type) != expected.type || actual.is_null()) return false;
  if (!expected.text) return true;
  const auto number = to_bits(*expected.text);
  return number && owner.externref_number(actual) == *number;
}

} // namespace

std::optional<std::string> lacking_feature(const script_value& value) {
  if (value.type == "v128") return wasm::to_string(wasm::feature::simd);
  if (std::ranges::find(gc_types, value.type) != gc_types.end()) return wasm::to_string(wasm::feature::gc);
  if (value.type == "refnull" && !value.heap.empty() && !reference_of_heap(value.heap))
    return wasm::to_string(wasm::feature::gc);
  return lacking_feature(value.alternatives);
}

std::optional<std::string> lacking_feature(std::span<const script_value> values) {
  for (const script_value& one : values)
    if (auto lacking = lacking_feature(one)) return lacking;
  return std::nullopt;
}

std::expected<wasm::value, std::string> to_argument(const script_value& value, wasm::store& owner) {
  if (const auto type = number_type(value.type)) {
    const auto bits = value.text ? to_bits(*value.text) : std::nullopt;
    if (!bits) return std::unexpected(fmt::format("'{}' is no bit pattern of {}", value.text.value_or(""), value.type));
    return wasm::value{*type, *bits};
  }
  if (value.type == "refnull") {
    const auto type = reference_of_heap(value.heap);
    if (!type) return std::unexpected(fmt::format("a null argument of heap type '{}'", value.heap));
    return wasm::value{*type, 0};
  }
  if (value.type == "externref" && value.text) {
    const auto number = to_bits(*value.text);
    if (!number) return std::unexpected(fmt::format("'{}' is no host number", *value.text));
    return owner.make_externref(*number);
  }
  return std::unexpected(fmt::format("'{}' is no type of an argument", value.type));
}

bool matches(const wasm::value& actual, const script_value& expected, const wasm::store& owner) {
  if (expected.type == "either")
    return std::ranges::any_of(expected.alternatives, [&](const auto& one) { return matches(actual, one, owner); });
  const auto type = number_type(expected.type);
  if (!type) return matches_reference(actual, expected, owner);
  if (*type != actual.type || !expected.text) return false;
  if (expected.text->starts_with("nan:")) return matches_nan(actual, *expected.text);
  return to_bits(*expected.text) == actual.bits;
}

bool matches(std::span<const wasm::value> actual, std::span<const script_value> expected, const wasm::store& owner) {
  return std::ranges::equal(actual, expected, [&](const auto& a, const auto& e) { return matches(a, e, owner); });
}

bool matches(wasm::trap_code trap, std::string_view text) {
  const std::string_view reason = wasm::to_string(trap);
  return !reason.empty() && !text.empty() && (reason.starts_with(text) || text.starts_with(reason));
}

std::string describe(std::span<const script_value> values) {
  if (values.empty()) return "no value";
  std::string all;
  for (const script_value& one : values) {
    if (!all.empty()) all += ' ';
    all += one.type;
    if (!one.heap.empty()) all += ':' + one.heap;
    if (one.text) all += ':' + *one.text;
    if (!one.alternatives.empty()) all += '(' + describe(one.alternatives) + ')';
  }
  return all;
}

std::string describe(std::span<const wasm::value> values) {
  if (values.empty()) return "no value";
  std::string all;
  for (const wasm::value& one : values) {
    if (!all.empty()) all += ' ';
    // The bits as scripts write them, and for floats the number as people do.
    all += fmt::format("{}:{}", wasm::to_string(one.type), one.bits);
    if (one.type == wasm::f32 || one.type == wasm::f64) all += fmt::format(" ({})", format_value(one));
  }
  return all;
}

std::string feature_name(const wasm::error& refused) {
  for (unsigned bit = 0; bit < 32; ++bit)
    if (const auto one = static_cast<wasm::feature>(1u << bit); refused.lacking.has(one)) return wasm::to_string(one);
  return "a feature without a name";
}

} // namespace weir::cli
