// SPDX-License-Identifier: Apache-2.0
#include "wasm/interp/float_operations.hpp"
#include "wasm/interp/operands.hpp"

namespace weir::wasm::detail {
namespace {

/// A constant operand is in the second cell.
constexpr int cells_with(operand b, operand c) { return b == operand::constant || c == operand::constant ? 2 : 1; }

template <class Op, operand B, operand C, target D> WEIR_HANDLER float_binary(WEIR_REGISTERS) {
  WEIR_OPEN;
  using value = typename Op::value;
  const auto b = read_float<value, B>(ip->b, B == operand::constant ? ip[1].word : 0, fp, acc_f32, acc_f64);
  const auto c = read_float<value, C>(ip->low(), C == operand::constant ? ip[1].word : 0, fp, acc_f32, acc_f64);
  WEIR_RESULT_FLOAT(value, D, Op::apply(b, c));
  ip += cells_with(B, C);
  WEIR_NEXT();
}

template <class Op, operand B, target D> WEIR_HANDLER float_unary(WEIR_REGISTERS) {
  WEIR_OPEN;
  using value = typename Op::value;
  const auto b = read_float<typename Op::source, B>(ip->b, 0, fp, acc_f32, acc_f64);
  WEIR_RESULT_FLOAT(value, D, Op::apply(b));
  ++ip;
  WEIR_NEXT();
}

template <class Op> constexpr handler_row binary_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_float_pair(B, C) && D != target::local) return &float_binary<Op, B, C, D>;
    return nullptr;
  });
}

template <class Op> constexpr handler_row unary_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_float_operand(B) && C == operand::slot && D != target::local) return &float_unary<Op, B, D>;
    return nullptr;
  });
}

#define WEIR_WASM_X(name) binary_row<operations::name>(),
constexpr handler_row binary_rows[] = {WEIR_WASM_FLOAT_BINARY_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X
#define WEIR_WASM_X(name) unary_row<operations::name>(),
constexpr handler_row unary_rows[] = {WEIR_WASM_FLOAT_UNARY_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X

} // namespace

const handler_group float_binary_handlers{op::f32_add, binary_rows};
const handler_group float_unary_handlers{op::f32_abs, unary_rows};

} // namespace weir::wasm::detail
