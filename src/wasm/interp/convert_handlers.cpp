// SPDX-License-Identifier: Apache-2.0
#include "wasm/interp/float_operations.hpp"
#include "wasm/interp/operands.hpp"

namespace weir::wasm::detail {
namespace {

template <class Op, operand B, target D> WEIR_HANDLER int_to_float(WEIR_REGISTERS) {
  WEIR_OPEN;
  using value = typename Op::value;
  const std::uint64_t b = read_int<B>(ip->b, 0, fp, acc, local);
  WEIR_RESULT_FLOAT(value, D, Op::apply(b));
  ++ip;
  WEIR_NEXT();
}

template <class Op, operand B, target D> WEIR_HANDLER float_to_int(WEIR_REGISTERS) {
  WEIR_OPEN;
  const auto b = read_float<typename Op::source, B>(ip->b, 0, fp, acc_f32, acc_f64);
  if (WEIR_WASM_UNLIKELY(Op::is_nan(b))) WEIR_JUMP(slow<&trap_now<trap_code::invalid_conversion_to_integer>>);
  if (WEIR_WASM_UNLIKELY(Op::is_too_small(b) || Op::is_too_large(b)))
    WEIR_JUMP(slow<&trap_now<trap_code::integer_overflow>>);
  WEIR_RESULT_INT(D, Op::apply(b));
  ++ip;
  WEIR_NEXT();
}

template <class Op, operand B, target D> WEIR_HANDLER saturate(WEIR_REGISTERS) {
  WEIR_OPEN;
  const auto b = read_float<typename Op::source, B>(ip->b, 0, fp, acc_f32, acc_f64);
  WEIR_RESULT_INT(D, Op::saturate(b));
  ++ip;
  WEIR_NEXT();
}

template <class Op> constexpr handler_row int_to_float_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B != operand::constant && C == operand::slot && D != target::local) return &int_to_float<Op, B, D>;
    return nullptr;
  });
}
template <class Op> constexpr handler_row float_to_int_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_float_operand(B) && C == operand::slot) return &float_to_int<Op, B, D>;
    return nullptr;
  });
}
template <class Op> constexpr handler_row saturate_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_float_operand(B) && C == operand::slot) return &saturate<Op, B, D>;
    return nullptr;
  });
}

#define WEIR_WASM_X(name) int_to_float_row<operations::name>(),
constexpr handler_row int_to_float_rows[] = {WEIR_WASM_INT_TO_FLOAT_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X
#define WEIR_WASM_X(name) float_to_int_row<operations::name>(),
constexpr handler_row float_to_int_rows[] = {WEIR_WASM_FLOAT_TO_INT_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X
#define WEIR_WASM_X(name) saturate_row<operations::name>(),
constexpr handler_row saturate_rows[] = {WEIR_WASM_SATURATE_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X

} // namespace

const handler_group int_to_float_handlers{op::f32_convert_i32_s, int_to_float_rows};
const handler_group float_to_int_handlers{op::i32_trunc_f32_s, float_to_int_rows};
const handler_group saturate_handlers{op::i32_trunc_sat_f32_s, saturate_rows};

} // namespace weir::wasm::detail
