// SPDX-License-Identifier: Apache-2.0
#pragma once

// Loads and stores of memory 0. The immediate is the offset plus the size of the access: one compare decides, and the
// displacement of the access takes the size off again. A constant address is in the immediate already. Other memories
// and the few offsets for which the sum does not fit go through slow_memory.cpp.
#include "wasm/interp/operands.hpp"

namespace weir::wasm::detail {
template <class Stored, class Extended> struct load {
  using stored = Stored;
  /// The bits of the result; one of 32 bits has its upper half clear.
  [[gnu::always_inline]] static std::uint64_t extend(Stored value) {
    const auto wide = static_cast<Extended>(value); // NOLINT(bugprone-signed-char-misuse): extends the sign
    if constexpr (sizeof(Extended) == 4) return static_cast<std::uint32_t>(wide);
    return static_cast<std::uint64_t>(wide);
  }
};
namespace accesses {
using load_u8 = load<std::uint8_t, std::uint64_t>;
using load_u16 = load<std::uint16_t, std::uint64_t>;
using load_u32 = load<std::uint32_t, std::uint64_t>;
using load_u64 = load<std::uint64_t, std::uint64_t>;
using load_i32_s8 = load<std::int8_t, std::int32_t>;
using load_i32_s16 = load<std::int16_t, std::int32_t>;
using load_i64_s8 = load<std::int8_t, std::int64_t>;
using load_i64_s16 = load<std::int16_t, std::int64_t>;
using load_i64_s32 = load<std::int32_t, std::int64_t>;
using load_f32 = float;
using load_f64 = double;
using store_8 = std::uint8_t;
using store_16 = std::uint16_t;
using store_32 = std::uint32_t;
using store_64 = std::uint64_t;
using store_f32 = float;
using store_f64 = double;
} // namespace accesses

/// One past the last byte of an access of `Size` bytes, from the start of the memory. `HasSum`: a constant is added to
/// the address.
template <operand B, bool HasSum, std::size_t Size>
WEIR_WASM_INLINE std::uint64_t access_end(const cell* ip, const std::uint64_t* fp, std::uint64_t acc,
                                          std::uint64_t local) {
  if constexpr (B == operand::constant) return ip->c;
  const auto base = static_cast<std::uint32_t>(read_int<B>(ip->b, 0, fp, acc, local));
  if constexpr (HasSum) return std::uint64_t{base + ip->c} + Size;
  return std::uint64_t{base} + ip->c;
}

#define WEIR_CHECK_BOUNDS(end)                                                                                         \
  if (WEIR_WASM_UNLIKELY((end) > mem_size)) WEIR_JUMP(slow<&trap_now<trap_code::out_of_bounds_memory_access>>)

template <class Op, operand B, target D, bool HasSum> WEIR_HANDLER int_load(WEIR_REGISTERS) {
  WEIR_OPEN;
  const std::uint64_t end = access_end<B, HasSum, sizeof(typename Op::stored)>(ip, fp, acc, local);
  WEIR_CHECK_BOUNDS(end);
  typename Op::stored value;
  std::memcpy(&value, mem + end - sizeof value, sizeof value);
  WEIR_RESULT_INT(D, Op::extend(value));
  ++ip;
  WEIR_NEXT();
}

template <class Float, operand B, target D, bool HasSum> WEIR_HANDLER float_load(WEIR_REGISTERS) {
  WEIR_OPEN;
  const std::uint64_t end = access_end<B, HasSum, sizeof(Float)>(ip, fp, acc, local);
  WEIR_CHECK_BOUNDS(end);
  Float value;
  std::memcpy(&value, mem + end - sizeof value, sizeof value);
  WEIR_RESULT_FLOAT(Float, D, value);
  ++ip;
  WEIR_NEXT();
}

/// The value's slot, or a small constant, is in `a`.
template <class Stored, operand B, operand C, bool HasSum> WEIR_HANDLER int_store(WEIR_REGISTERS) {
  WEIR_OPEN;
  const std::uint64_t end = access_end<B, HasSum, sizeof(Stored)>(ip, fp, acc, local);
  const auto value = static_cast<Stored>(
      read_int<C>(ip->a, static_cast<std::uint32_t>(static_cast<std::int16_t>(ip->a)), fp, acc, local));
  WEIR_CHECK_BOUNDS(end);
  std::memcpy(mem + end - sizeof value, &value, sizeof value);
  ++ip;
  WEIR_NEXT();
}

/// Of the value in the accumulator; one in a slot is stored as an integer.
template <class Float, operand B, bool HasSum> WEIR_HANDLER float_store(WEIR_REGISTERS) {
  WEIR_OPEN;
  const std::uint64_t end = access_end<B, HasSum, sizeof(Float)>(ip, fp, acc, local);
  const auto value = read_float<Float, operand::accumulator>(0, 0, fp, acc_f32, acc_f64);
  WEIR_CHECK_BOUNDS(end);
  std::memcpy(mem + end - sizeof value, &value, sizeof value);
  ++ip;
  WEIR_NEXT();
}

/// A constant address has no constant to add.
template <bool HasSum> constexpr bool has_address(operand b) { return !HasSum || b != operand::constant; }

template <class Op, bool HasSum> constexpr handler_row load_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (C == operand::slot && has_address<HasSum>(B)) return &int_load<Op, B, D, HasSum>;
    return nullptr;
  });
}
template <class Float, bool HasSum> constexpr handler_row float_load_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (C == operand::slot && D != target::local && has_address<HasSum>(B))
      return &float_load<Float, B, D, HasSum>;
    return nullptr;
  });
}
template <class Stored, bool HasSum> constexpr handler_row store_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (D == target::slot && has_address<HasSum>(B) && (is_int_pair(B, C) || B == operand::constant))
      return &int_store<Stored, B, C, HasSum>;
    return nullptr;
  });
}
template <class Float, bool HasSum> constexpr handler_row float_store_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (D == target::slot && C == operand::accumulator && has_address<HasSum>(B))
      return &float_store<Float, B, HasSum>;
    return nullptr;
  });
}

#undef WEIR_CHECK_BOUNDS

} // namespace weir::wasm::detail
