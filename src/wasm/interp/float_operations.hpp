// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the float operations compute, to the bit. Results that are NaN are quiet: either a quieted operand or the
// machine's default, both of which the specification allows. Rounding to integers goes through integer conversion,
// since the baseline instruction set has no rounding instruction.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace weir::wasm::detail::operations {

template <class Float> struct float_format;
template <> struct float_format<float> {
  using bits = std::uint32_t;
  static constexpr bits sign = 0x80000000u;
  static constexpr bits quiet = 0x00400000u;
  static constexpr float integral_from = 0x1p23f; // every greater number is an integer
};
template <> struct float_format<double> {
  using bits = std::uint64_t;
  static constexpr bits sign = 0x8000000000000000u;
  static constexpr bits quiet = 0x0008000000000000u;
  static constexpr double integral_from = 0x1p52;
};

template <class Float> [[gnu::always_inline]] inline Float with_sign_of(Float value, Float sign) {
  using format = float_format<Float>;
  using bits = typename format::bits;
  return std::bit_cast<Float>(
      static_cast<bits>((std::bit_cast<bits>(value) & ~format::sign) | (std::bit_cast<bits>(sign) & format::sign)));
}
template <class Float> [[gnu::always_inline]] inline Float magnitude(Float value) {
  using format = float_format<Float>;
  using bits = typename format::bits;
  return std::bit_cast<Float>(static_cast<bits>(std::bit_cast<bits>(value) & ~format::sign));
}
template <class Float> [[gnu::always_inline]] inline Float negated(Float value) {
  using format = float_format<Float>;
  using bits = typename format::bits;
  return std::bit_cast<Float>(static_cast<bits>(std::bit_cast<bits>(value) ^ format::sign));
}
template <class Float> [[gnu::always_inline]] inline Float least(Float b, Float c) {
  using bits = typename float_format<Float>::bits;
  if (b < c) return b;
  if (c < b) return c;
  if (b == c) return std::bit_cast<Float>(static_cast<bits>(std::bit_cast<bits>(b) | std::bit_cast<bits>(c)));
  return b + c; // NaN
}
template <class Float> [[gnu::always_inline]] inline Float greatest(Float b, Float c) {
  using bits = typename float_format<Float>::bits;
  if (b > c) return b;
  if (c > b) return c;
  if (b == c) return std::bit_cast<Float>(static_cast<bits>(std::bit_cast<bits>(b) & std::bit_cast<bits>(c)));
  return b + c; // NaN
}

template <class Float> [[gnu::always_inline]] inline Float quieted(Float value) {
  using format = float_format<Float>;
  using bits = typename format::bits;
  if (value == value) return value;
  return std::bit_cast<Float>(static_cast<bits>(std::bit_cast<bits>(value) | format::quiet));
}

enum class rounding : std::uint8_t { up, down, to_zero, to_even };

template <class Float, rounding How> [[gnu::always_inline]] inline Float rounded(Float value) {
  if (!(magnitude(value) < float_format<Float>::integral_from)) return quieted(value); // an integer, infinite or NaN
  const auto whole = static_cast<Float>(static_cast<std::int64_t>(value));
  if constexpr (How == rounding::up) return with_sign_of(whole < value ? whole + 1 : whole, value);
  if constexpr (How == rounding::down) return with_sign_of(whole > value ? whole - 1 : whole, value);
  if constexpr (How == rounding::to_zero) return with_sign_of(whole, value);
  if constexpr (How == rounding::to_even) {
    // The sum has no room for a fraction, so the addition rounds it away.
    constexpr Float shift = float_format<Float>::integral_from;
    const Float sum = magnitude(value) + shift;
    return with_sign_of(sum - shift, value);
  }
}

#define WEIR_WASM_FLOAT_BINARY(name, type, expression)                                                                 \
  struct name {                                                                                                        \
    using value = type;                                                                                                \
    [[gnu::always_inline]] static type apply(type b, type c) { return expression; }                                    \
  };
#define WEIR_WASM_FLOAT_COMPARE(name, type, operator_)                                                                 \
  struct name {                                                                                                        \
    using value = type;                                                                                                \
    [[gnu::always_inline]] static bool apply(type b, type c) { return b operator_ c; }                                 \
  };
#define WEIR_WASM_FLOAT_UNARY(name, from, to, expression)                                                              \
  struct name {                                                                                                        \
    using value = to;                                                                                                  \
    using source = from;                                                                                               \
    [[gnu::always_inline]] static to apply(from b) { return expression; }                                              \
  };
#define WEIR_WASM_BOTH(prefix, type)                                                                                   \
  WEIR_WASM_FLOAT_BINARY(prefix##add, type, b + c)                                                                     \
  WEIR_WASM_FLOAT_BINARY(prefix##sub, type, b - c)                                                                     \
  WEIR_WASM_FLOAT_BINARY(prefix##mul, type, b* c)                                                                      \
  WEIR_WASM_FLOAT_BINARY(prefix##div, type, b / c)                                                                     \
  WEIR_WASM_FLOAT_BINARY(prefix##min, type, least(b, c))                                                               \
  WEIR_WASM_FLOAT_BINARY(prefix##max, type, greatest(b, c))                                                            \
  WEIR_WASM_FLOAT_BINARY(prefix##copysign, type, with_sign_of(b, c))                                                   \
  WEIR_WASM_FLOAT_COMPARE(prefix##eq, type, ==)                                                                        \
  WEIR_WASM_FLOAT_COMPARE(prefix##ne, type, !=)                                                                        \
  WEIR_WASM_FLOAT_COMPARE(prefix##lt, type, <)                                                                         \
  WEIR_WASM_FLOAT_COMPARE(prefix##gt, type, >)                                                                         \
  WEIR_WASM_FLOAT_COMPARE(prefix##le, type, <=)                                                                        \
  WEIR_WASM_FLOAT_COMPARE(prefix##ge, type, >=)                                                                        \
  WEIR_WASM_FLOAT_UNARY(prefix##abs, type, type, magnitude(b))                                                         \
  WEIR_WASM_FLOAT_UNARY(prefix##neg, type, type, negated(b))                                                           \
  WEIR_WASM_FLOAT_UNARY(prefix##ceil, type, type, (rounded<type, rounding::up>(b)))                                    \
  WEIR_WASM_FLOAT_UNARY(prefix##floor, type, type, (rounded<type, rounding::down>(b)))                                 \
  WEIR_WASM_FLOAT_UNARY(prefix##trunc, type, type, (rounded<type, rounding::to_zero>(b)))                              \
  WEIR_WASM_FLOAT_UNARY(prefix##nearest, type, type, (rounded<type, rounding::to_even>(b)))                            \
  WEIR_WASM_FLOAT_UNARY(prefix##sqrt, type, type, std::sqrt(b))

WEIR_WASM_BOTH(f32_, float)
WEIR_WASM_BOTH(f64_, double)
WEIR_WASM_FLOAT_UNARY(f32_demote_f64, double, float, static_cast<float>(b))
WEIR_WASM_FLOAT_UNARY(f64_promote_f32, float, double, static_cast<double>(b))

// From integers; the operand is a slot's 64 bits.
WEIR_WASM_FLOAT_UNARY(f32_convert_i32_s, std::uint64_t, float, static_cast<float>(static_cast<std::int32_t>(b)))
WEIR_WASM_FLOAT_UNARY(f32_convert_i32_u, std::uint64_t, float, static_cast<float>(static_cast<std::uint32_t>(b)))
WEIR_WASM_FLOAT_UNARY(f32_convert_i64_s, std::uint64_t, float, static_cast<float>(static_cast<std::int64_t>(b)))
WEIR_WASM_FLOAT_UNARY(f32_convert_i64_u, std::uint64_t, float, static_cast<float>(b))
WEIR_WASM_FLOAT_UNARY(f64_convert_i32_s, std::uint64_t, double, static_cast<double>(static_cast<std::int32_t>(b)))
WEIR_WASM_FLOAT_UNARY(f64_convert_i32_u, std::uint64_t, double, static_cast<double>(static_cast<std::uint32_t>(b)))
WEIR_WASM_FLOAT_UNARY(f64_convert_i64_s, std::uint64_t, double, static_cast<double>(static_cast<std::int64_t>(b)))
WEIR_WASM_FLOAT_UNARY(f64_convert_i64_u, std::uint64_t, double, static_cast<double>(b))

#undef WEIR_WASM_BOTH
#undef WEIR_WASM_FLOAT_BINARY
#undef WEIR_WASM_FLOAT_COMPARE
#undef WEIR_WASM_FLOAT_UNARY

/// Conversion to an integer type. In range means that the number without its fraction fits.
template <class Float, class Int> struct to_integer {
  using source = Float;
  // One past the greatest value, which every float type holds exactly.
  static constexpr Float end = static_cast<Float>(Int{1} << (std::numeric_limits<Int>::digits - 1)) * 2;
  // Whether the number just below the least value is a float of this type.
  static constexpr bool least_is_open = std::numeric_limits<Float>::digits > std::numeric_limits<Int>::digits;

  [[gnu::always_inline]] static bool is_nan(Float value) { return value != value; }
  [[gnu::always_inline]] static bool is_too_small(Float value) {
    if constexpr (std::numeric_limits<Int>::min() == 0) return value <= -1;
    if constexpr (least_is_open) return value <= static_cast<Float>(std::numeric_limits<Int>::min()) - 1;
    return value < static_cast<Float>(std::numeric_limits<Int>::min());
  }
  [[gnu::always_inline]] static bool is_too_large(Float value) { return value >= end; }
  /// A 32-bit result has its upper half clear.
  [[gnu::always_inline]] static std::uint64_t bits(Int value) {
    if constexpr (sizeof(Int) == 4) return static_cast<std::uint32_t>(value);
    return static_cast<std::uint64_t>(value);
  }
  [[gnu::always_inline]] static std::uint64_t apply(Float value) { return bits(static_cast<Int>(value)); }
  [[gnu::always_inline]] static std::uint64_t saturate(Float value) {
    if (is_nan(value)) return 0;
    if (is_too_small(value)) return bits(std::numeric_limits<Int>::min());
    if (is_too_large(value)) return bits(std::numeric_limits<Int>::max());
    return apply(value);
  }
};

#define WEIR_WASM_TO_INTEGER(int_prefix, suffix, float_type, int_type)                                                 \
  struct int_prefix##_trunc_##suffix : to_integer<float_type, int_type> {};                                            \
  struct int_prefix##_trunc_sat_##suffix : to_integer<float_type, int_type> {};
WEIR_WASM_TO_INTEGER(i32, f32_s, float, std::int32_t)
WEIR_WASM_TO_INTEGER(i32, f32_u, float, std::uint32_t)
WEIR_WASM_TO_INTEGER(i32, f64_s, double, std::int32_t)
WEIR_WASM_TO_INTEGER(i32, f64_u, double, std::uint32_t)
WEIR_WASM_TO_INTEGER(i64, f32_s, float, std::int64_t)
WEIR_WASM_TO_INTEGER(i64, f32_u, float, std::uint64_t)
WEIR_WASM_TO_INTEGER(i64, f64_s, double, std::int64_t)
WEIR_WASM_TO_INTEGER(i64, f64_u, double, std::uint64_t)
#undef WEIR_WASM_TO_INTEGER

} // namespace weir::wasm::detail::operations
