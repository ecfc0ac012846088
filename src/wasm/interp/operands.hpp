// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reading operands and writing results, by operand kind, and the tables of handlers that come of it.
#include "wasm/code/op.hpp"
#include "wasm/interp/dispatch.hpp"

#include <bit>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace weir::wasm::detail {

/// An integer operand. A constant is sign-extended; operations on 32 bits look at the low half.
template <operand Kind>
WEIR_WASM_INLINE std::uint64_t read_int(std::uint32_t slot, std::uint32_t constant, const std::uint64_t* fp,
                                        std::uint64_t acc, std::uint64_t local) {
  if constexpr (Kind == operand::slot) return fp[slot];
  if constexpr (Kind == operand::constant)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(constant)));
  if constexpr (Kind == operand::accumulator) return acc;
  if constexpr (Kind == operand::local) return local;
}

/// A float operand; the bits of a constant are `constant`.
template <class Float, operand Kind>
WEIR_WASM_INLINE Float read_float(std::uint32_t slot, std::uint64_t constant, const std::uint64_t* fp, float acc_f32,
                                  double acc_f64) {
  using bits = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
  if constexpr (Kind == operand::slot) {
    Float value;
    std::memcpy(&value, fp + slot, sizeof value);
    return value;
  } else if constexpr (Kind == operand::constant) {
    return std::bit_cast<Float>(static_cast<bits>(constant));
  } else if constexpr (sizeof(Float) == 4) {
    return acc_f32;
  } else {
    return acc_f64;
  }
}

template <class Float> WEIR_WASM_INLINE std::uint64_t bits_of(Float value) {
  if constexpr (sizeof(Float) == 4)
    return std::bit_cast<std::uint32_t>(value);
  else
    return std::bit_cast<std::uint64_t>(value);
}

/// Leaves an integer result where `To` says.
#define WEIR_RESULT_INT(To, value)                                                                                     \
  do {                                                                                                                 \
    acc = (value);                                                                                                     \
    if constexpr ((To) != target::accumulator) fp[ip->a] = acc;                                                        \
    if constexpr ((To) == target::local) local = acc;                                                                  \
  } while (false)

/// The same for a float result.
#define WEIR_RESULT_FLOAT(Float, To, value)                                                                            \
  do {                                                                                                                 \
    const Float result_ = (value);                                                                                     \
    if constexpr ((To) != target::accumulator) fp[ip->a] = bits_of(result_);                                           \
    if constexpr (sizeof(Float) == 4)                                                                                  \
      acc_f32 = result_;                                                                                               \
    else                                                                                                               \
      acc_f64 = result_;                                                                                               \
  } while (false)

/// A back-edge: stops when somebody asked for it.
#define WEIR_CHECKPOINT()                                                                                              \
  do {                                                                                                                 \
    if (WEIR_WASM_UNLIKELY(vm->interrupt.load(std::memory_order_relaxed) != 0)) WEIR_JUMP(slow<&checkpoint_now>);      \
  } while (false)

// Which variants exist. The translator avoids the others: an operand in the accumulator or the pinned local is in a
// slot as well, unless it is the accumulator alone.
constexpr bool is_int_pair(operand b, operand c) {
  return b != operand::constant && !(b == c && (b == operand::accumulator || b == operand::local));
}
constexpr bool is_float_pair(operand b, operand c) {
  return b != operand::local && c != operand::local && !(b == c && b != operand::slot);
}
constexpr bool is_float_operand(operand b) { return b == operand::slot || b == operand::accumulator; }

/// Calls `make<B, C, D>()` for every variant; it gives a handler or null.
template <class Maker> constexpr handler_row make_row(Maker make) {
  handler_row row{};
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((row[I] = make.template operator()<static_cast<operand>(I & 3), static_cast<operand>((I >> 2) & 3),
                                        static_cast<target>(I >> 4)>()),
     ...);
  }(std::make_index_sequence<variant_count>{});
  return row;
}

/// A row in which every variant is the same handler, for operations without operand kinds.
constexpr handler_row uniform_row(handler one) {
  handler_row row{};
  row[variant(operand::slot, operand::slot, target::slot)] = one;
  return row;
}

/// The rows of operations `first`, `first` + 1, ...
struct handler_group {
  op first;
  std::span<const handler_row> rows;
};

extern const handler_group i32_binary_handlers, i64_binary_handlers, divide_handlers;
extern const handler_group i32_compare_handlers, i64_compare_handlers, float_compare_handlers;
extern const handler_group i32_branch_handlers, i64_branch_handlers, float_branch_handlers, float_branch_not_handlers;
extern const handler_group int_unary_handlers, float_binary_handlers, float_unary_handlers;
extern const handler_group int_to_float_handlers, float_to_int_handlers, saturate_handlers;
extern const handler_group load_handlers, float_load_handlers, store_handlers, float_store_handlers;
extern const handler_group load_sum_handlers, float_load_sum_handlers, store_sum_handlers, float_store_sum_handlers;
extern const handler_group count_handlers;
extern const handler_group control_handlers, move_handlers, slow_handlers;

} // namespace weir::wasm::detail
