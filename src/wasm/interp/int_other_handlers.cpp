// SPDX-License-Identifier: Apache-2.0
#include "wasm/interp/int_handlers.hpp"

namespace weir::wasm::detail {
namespace {

template <class Op, operand B, target D> WEIR_HANDLER int_unary(WEIR_REGISTERS) {
  WEIR_OPEN;
  const std::uint64_t b = read_int<B>(ip->b, ip->c, fp, acc, local);
  WEIR_RESULT_INT(D, Op::apply(b));
  ++ip;
  WEIR_NEXT();
}

template <class Op, operand B, operand C, target D> WEIR_HANDLER divide(WEIR_REGISTERS) {
  WEIR_OPEN;
  const std::uint64_t b = read_int<B>(ip->b, 0, fp, acc, local);
  const std::uint64_t c = read_int<C>(ip->low(), ip->c, fp, acc, local);
  if (WEIR_WASM_UNLIKELY(Op::is_zero(c))) WEIR_JUMP(slow<&trap_now<trap_code::integer_divide_by_zero>>);
  if constexpr (Op::can_overflow) {
    if (WEIR_WASM_UNLIKELY(Op::overflows(b, c))) WEIR_JUMP(slow<&trap_now<trap_code::integer_overflow>>);
  }
  WEIR_RESULT_INT(D, Op::apply(b, c));
  ++ip;
  WEIR_NEXT();
}

template <class Op> constexpr handler_row unary_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B != operand::constant && C == operand::slot) return &int_unary<Op, B, D>;
    return nullptr;
  });
}

template <class Op> constexpr handler_row divide_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_int_pair(B, C)) return &divide<Op, B, C, D>;
    return nullptr;
  });
}

#define WEIR_WASM_X(name) unary_row<operations::name>(),
constexpr handler_row unary_rows[] = {WEIR_WASM_INT_UNARY_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X
#define WEIR_WASM_X(name) divide_row<operations::name>(),
constexpr handler_row divide_rows[] = {WEIR_WASM_DIVIDE_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X

} // namespace

const handler_group int_unary_handlers{op::i32_eqz, unary_rows};
const handler_group divide_handlers{op::i32_div_s, divide_rows};

} // namespace weir::wasm::detail
