// SPDX-License-Identifier: Apache-2.0
#include "wasm/interp/float_operations.hpp"
#include "wasm/interp/operands.hpp"

namespace weir::wasm::detail {
namespace {

constexpr int constant_cells(operand b, operand c) { return b == operand::constant || c == operand::constant ? 1 : 0; }

template <class Op, operand B, operand C>
WEIR_WASM_INLINE bool holds(const cell* ip, const std::uint64_t* fp, float acc_f32, double acc_f64, int constant_at) {
  using value = typename Op::value;
  const auto b = read_float<value, B>(ip->b, B == operand::constant ? ip[constant_at].word : 0, fp, acc_f32, acc_f64);
  const auto c =
      read_float<value, C>(ip->low(), C == operand::constant ? ip[constant_at].word : 0, fp, acc_f32, acc_f64);
  return Op::apply(b, c);
}

template <class Op, operand B, operand C, target D> WEIR_HANDLER float_compare(WEIR_REGISTERS) {
  WEIR_OPEN;
  const bool result = holds<Op, B, C>(ip, fp, acc_f32, acc_f64, 1);
  WEIR_RESULT_INT(D, result ? 1u : 0u);
  ip += 1 + constant_cells(B, C);
  WEIR_NEXT();
}

// A constant stands before the branch target.
template <class Op, bool Wanted, operand B, operand C> WEIR_HANDLER float_branch_forward(WEIR_REGISTERS) {
  WEIR_OPEN;
  const auto* target_cell = to_pointer<const cell>(ip[1 + constant_cells(B, C)].word);
  const bool result = holds<Op, B, C>(ip, fp, acc_f32, acc_f64, 1);
  ip += 2 + constant_cells(B, C);
  if (result == Wanted) ip = target_cell;
  WEIR_NEXT();
}

template <class Op, bool Wanted, operand B, operand C> WEIR_HANDLER float_branch_back(WEIR_REGISTERS) {
  WEIR_OPEN;
  if (holds<Op, B, C>(ip, fp, acc_f32, acc_f64, 1) == Wanted) {
    ip = to_pointer<const cell>(ip[1 + constant_cells(B, C)].word);
    WEIR_CHECKPOINT();
  } else {
    ip += 2 + constant_cells(B, C);
  }
  WEIR_NEXT();
}

template <class Op> constexpr handler_row compare_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_float_pair(B, C)) return &float_compare<Op, B, C, D>;
    return nullptr;
  });
}

template <class Op, bool Wanted> constexpr handler_row branch_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_float_pair(B, C) && D == target::slot) return &float_branch_forward<Op, Wanted, B, C>;
    return nullptr;
  });
}

template <class Op, bool Wanted> constexpr handler_row loop_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_float_pair(B, C) && D == target::slot) return &float_branch_back<Op, Wanted, B, C>;
    return nullptr;
  });
}

#define WEIR_WASM_X(name) compare_row<operations::name>(),
constexpr handler_row compare_rows[] = {WEIR_WASM_FLOAT_COMPARE_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X
#define WEIR_WASM_X(name) branch_row<operations::name, true>(), loop_row<operations::name, true>(),
constexpr handler_row branch_rows[] = {WEIR_WASM_FLOAT_COMPARE_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X
#define WEIR_WASM_X(name) branch_row<operations::name, false>(), loop_row<operations::name, false>(),
constexpr handler_row branch_not_rows[] = {WEIR_WASM_FLOAT_COMPARE_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X

} // namespace

const handler_group float_compare_handlers{op::f32_eq, compare_rows};
const handler_group float_branch_handlers{op::br_f32_eq, branch_rows};
const handler_group float_branch_not_handlers{op::br_not_f32_eq, branch_not_rows};

} // namespace weir::wasm::detail
