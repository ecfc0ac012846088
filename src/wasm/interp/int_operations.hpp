// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the integer operations compute. Each takes and gives 64 bits; a 32-bit result has its upper half clear.
#include <bit>
#include <cstdint>

namespace weir::wasm::detail::operations {

#define WEIR_WASM_BINARY(name, type, expression)                                                                       \
  struct name {                                                                                                        \
    [[gnu::always_inline]] static std::uint64_t apply(std::uint64_t x, std::uint64_t y) {                              \
      const auto b = static_cast<type>(x);                                                                             \
      const auto c = static_cast<type>(y);                                                                             \
      return static_cast<std::uint64_t>(expression);                                                                   \
    }                                                                                                                  \
  };
#define WEIR_WASM_UNARY(name, type, expression)                                                                        \
  struct name {                                                                                                        \
    [[gnu::always_inline]] static std::uint64_t apply(std::uint64_t x) {                                               \
      const auto b = static_cast<type>(x);                                                                             \
      return static_cast<std::uint64_t>(expression);                                                                   \
    }                                                                                                                  \
  };

using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

// clang-format off
WEIR_WASM_BINARY(i32_add, u32, b + c)
WEIR_WASM_BINARY(i32_sub, u32, b - c)
WEIR_WASM_BINARY(i32_mul, u32, b * c)
WEIR_WASM_BINARY(i32_and, u32, b & c)
WEIR_WASM_BINARY(i32_or, u32, b | c)
WEIR_WASM_BINARY(i32_xor, u32, b ^ c)
WEIR_WASM_BINARY(i32_shl, u32, b << (c & 31))
WEIR_WASM_BINARY(i32_shr_s, u32, static_cast<u32>(static_cast<s32>(b) >> (c & 31)))
WEIR_WASM_BINARY(i32_shr_u, u32, b >> (c & 31))
WEIR_WASM_BINARY(i32_rotl, u32, std::rotl(b, static_cast<int>(c & 31)))
WEIR_WASM_BINARY(i32_rotr, u32, std::rotr(b, static_cast<int>(c & 31)))
WEIR_WASM_BINARY(i64_add, u64, b + c)
WEIR_WASM_BINARY(i64_sub, u64, b - c)
WEIR_WASM_BINARY(i64_mul, u64, b * c)
WEIR_WASM_BINARY(i64_and, u64, b & c)
WEIR_WASM_BINARY(i64_or, u64, b | c)
WEIR_WASM_BINARY(i64_xor, u64, b ^ c)
WEIR_WASM_BINARY(i64_shl, u64, b << (c & 63))
WEIR_WASM_BINARY(i64_shr_s, u64, static_cast<s64>(b) >> (c & 63))
WEIR_WASM_BINARY(i64_shr_u, u64, b >> (c & 63))
WEIR_WASM_BINARY(i64_rotl, u64, std::rotl(b, static_cast<int>(c & 63)))
WEIR_WASM_BINARY(i64_rotr, u64, std::rotr(b, static_cast<int>(c & 63)))

WEIR_WASM_BINARY(i32_eq, u32, b == c)
WEIR_WASM_BINARY(i32_ne, u32, b != c)
WEIR_WASM_BINARY(i32_lt_s, s32, b < c)
WEIR_WASM_BINARY(i32_lt_u, u32, b < c)
WEIR_WASM_BINARY(i32_gt_s, s32, b > c)
WEIR_WASM_BINARY(i32_gt_u, u32, b > c)
WEIR_WASM_BINARY(i32_le_s, s32, b <= c)
WEIR_WASM_BINARY(i32_le_u, u32, b <= c)
WEIR_WASM_BINARY(i32_ge_s, s32, b >= c)
WEIR_WASM_BINARY(i32_ge_u, u32, b >= c)
WEIR_WASM_BINARY(i64_eq, u64, b == c)
WEIR_WASM_BINARY(i64_ne, u64, b != c)
WEIR_WASM_BINARY(i64_lt_s, s64, b < c)
WEIR_WASM_BINARY(i64_lt_u, u64, b < c)
WEIR_WASM_BINARY(i64_gt_s, s64, b > c)
WEIR_WASM_BINARY(i64_gt_u, u64, b > c)
WEIR_WASM_BINARY(i64_le_s, s64, b <= c)
WEIR_WASM_BINARY(i64_le_u, u64, b <= c)
WEIR_WASM_BINARY(i64_ge_s, s64, b >= c)
WEIR_WASM_BINARY(i64_ge_u, u64, b >= c)

WEIR_WASM_UNARY(i32_eqz, u32, b == 0)
WEIR_WASM_UNARY(i32_clz, u32, std::countl_zero(b))
WEIR_WASM_UNARY(i32_ctz, u32, std::countr_zero(b))
WEIR_WASM_UNARY(i32_popcnt, u32, std::popcount(b))
WEIR_WASM_UNARY(i32_extend8_s, std::int8_t, static_cast<u32>(s32{b}))
WEIR_WASM_UNARY(i32_extend16_s, std::int16_t, static_cast<u32>(s32{b}))
WEIR_WASM_UNARY(i32_wrap_i64, u32, b)
WEIR_WASM_UNARY(i64_eqz, u64, b == 0)
WEIR_WASM_UNARY(i64_clz, u64, std::countl_zero(b))
WEIR_WASM_UNARY(i64_ctz, u64, std::countr_zero(b))
WEIR_WASM_UNARY(i64_popcnt, u64, std::popcount(b))
WEIR_WASM_UNARY(i64_extend8_s, std::int8_t, s64{b})
WEIR_WASM_UNARY(i64_extend16_s, std::int16_t, s64{b})
WEIR_WASM_UNARY(i64_extend32_s, s32, s64{b})
// clang-format on

#undef WEIR_WASM_BINARY
#undef WEIR_WASM_UNARY

/// Division: the reason for a trap, or none, and the result when there is none.
struct i32_div_s {
  static constexpr bool can_overflow = true;
  static bool is_zero(u64 c) { return static_cast<u32>(c) == 0; }
  static bool overflows(u64 b, u64 c) { return static_cast<u32>(b) == 0x80000000u && static_cast<s32>(c) == -1; }
  static u64 apply(u64 b, u64 c) { return static_cast<u32>(static_cast<s32>(b) / static_cast<s32>(c)); }
};
struct i32_div_u {
  static constexpr bool can_overflow = false;
  static bool is_zero(u64 c) { return static_cast<u32>(c) == 0; }
  static u64 apply(u64 b, u64 c) { return static_cast<u32>(b) / static_cast<u32>(c); }
};
struct i32_rem_s {
  static constexpr bool can_overflow = false;
  static bool is_zero(u64 c) { return static_cast<u32>(c) == 0; }
  static u64 apply(u64 b, u64 c) {
    return static_cast<s32>(c) == -1 ? 0 : static_cast<u32>(static_cast<s32>(b) % static_cast<s32>(c));
  }
};
struct i32_rem_u {
  static constexpr bool can_overflow = false;
  static bool is_zero(u64 c) { return static_cast<u32>(c) == 0; }
  static u64 apply(u64 b, u64 c) { return static_cast<u32>(b) % static_cast<u32>(c); }
};
struct i64_div_s {
  static constexpr bool can_overflow = true;
  static bool is_zero(u64 c) { return c == 0; }
  static bool overflows(u64 b, u64 c) { return b == 0x8000000000000000u && static_cast<s64>(c) == -1; }
  static u64 apply(u64 b, u64 c) { return static_cast<u64>(static_cast<s64>(b) / static_cast<s64>(c)); }
};
struct i64_div_u {
  static constexpr bool can_overflow = false;
  static bool is_zero(u64 c) { return c == 0; }
  static u64 apply(u64 b, u64 c) { return b / c; }
};
struct i64_rem_s {
  static constexpr bool can_overflow = false;
  static bool is_zero(u64 c) { return c == 0; }
  static u64 apply(u64 b, u64 c) {
    return static_cast<s64>(c) == -1 ? 0 : static_cast<u64>(static_cast<s64>(b) % static_cast<s64>(c));
  }
};
struct i64_rem_u {
  static constexpr bool can_overflow = false;
  static bool is_zero(u64 c) { return c == 0; }
  static u64 apply(u64 b, u64 c) { return b % c; }
};

} // namespace weir::wasm::detail::operations
