// SPDX-License-Identifier: Apache-2.0
#pragma once

// The handlers of integer operations as templates; the families that instantiate them are files of their own.
#include "wasm/interp/int_operations.hpp"
#include "wasm/interp/operands.hpp"

namespace weir::wasm::detail {

template <class Op, operand B, operand C, target D> WEIR_HANDLER int_binary(WEIR_REGISTERS) {
  WEIR_OPEN;
  const std::uint64_t b =
      read_int<B>(ip->b, static_cast<std::uint32_t>(static_cast<std::int16_t>(ip->b)), fp, acc, local);
  const std::uint64_t c = read_int<C>(ip->low(), ip->c, fp, acc, local);
  WEIR_RESULT_INT(D, Op::apply(b, c));
  ++ip;
  WEIR_NEXT();
}

/// Branches when `Op` holds.
template <class Op, operand B, operand C> WEIR_HANDLER branch_forward(WEIR_REGISTERS) {
  WEIR_OPEN;
  const std::uint64_t b = read_int<B>(ip->b, 0, fp, acc, local);
  const std::uint64_t c = read_int<C>(ip->low(), ip->c, fp, acc, local);
  const auto* target_cell = to_pointer<const cell>(ip[1].word);
  ip += 2;
  if (Op::apply(b, c) != 0) ip = target_cell;
  WEIR_NEXT();
}

template <class Op, operand B, operand C> WEIR_HANDLER branch_back(WEIR_REGISTERS) {
  WEIR_OPEN;
  const std::uint64_t b = read_int<B>(ip->b, 0, fp, acc, local);
  const std::uint64_t c = read_int<C>(ip->low(), ip->c, fp, acc, local);
  if (Op::apply(b, c) != 0) {
    ip = to_pointer<const cell>(ip[1].word);
    WEIR_CHECKPOINT();
  } else {
    ip += 2;
  }
  WEIR_NEXT();
}

template <class Op> constexpr handler_row int_binary_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_int_pair(B, C)) return &int_binary<Op, B, C, D>;
    return nullptr;
  });
}

/// For operations that do not commute: also a small constant on the left.
template <class Op> constexpr handler_row int_binary_row_both() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_int_pair(B, C) || (B == operand::constant && C != operand::constant))
      return &int_binary<Op, B, C, D>;
    return nullptr;
  });
}

template <class Op> constexpr handler_row branch_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_int_pair(B, C) && D == target::slot) return &branch_forward<Op, B, C>;
    return nullptr;
  });
}

template <class Op> constexpr handler_row loop_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_int_pair(B, C) && D == target::slot) return &branch_back<Op, B, C>;
    return nullptr;
  });
}

} // namespace weir::wasm::detail
