// SPDX-License-Identifier: Apache-2.0
#include "wasm/code/translator.hpp"

#include <optional>
#include <utility>

namespace weir::wasm::detail {
namespace {

/// The operation of the same name as a numeric instruction.
std::optional<op> same_name(opcode one) {
  switch (one) {
#define WEIR_WASM_X(name)                                                                                              \
  case opcode::name: return op::name;
    // clang-format off
    WEIR_WASM_I32_BINARY_OPS(WEIR_WASM_X)
    WEIR_WASM_I64_BINARY_OPS(WEIR_WASM_X)
    WEIR_WASM_DIVIDE_OPS(WEIR_WASM_X)
    WEIR_WASM_I32_COMPARE_OPS(WEIR_WASM_X)
    WEIR_WASM_I64_COMPARE_OPS(WEIR_WASM_X)
    WEIR_WASM_INT_UNARY_OPS(WEIR_WASM_X)
    WEIR_WASM_FLOAT_BINARY_OPS(WEIR_WASM_X)
    WEIR_WASM_FLOAT_COMPARE_OPS(WEIR_WASM_X)
    WEIR_WASM_FLOAT_UNARY_OPS(WEIR_WASM_X)
    WEIR_WASM_INT_TO_FLOAT_OPS(WEIR_WASM_X)
    WEIR_WASM_FLOAT_TO_INT_OPS(WEIR_WASM_X)
    WEIR_WASM_SATURATE_OPS(WEIR_WASM_X)
#undef WEIR_WASM_X
    // clang-format on
  default: return std::nullopt;
  }
}

bool commutes(op one) {
  switch (one) {
  case op::i32_add:
  case op::i32_mul:
  case op::i32_and:
  case op::i32_or:
  case op::i32_xor:
  case op::i64_add:
  case op::i64_mul:
  case op::i64_and:
  case op::i64_or:
  case op::i64_xor: return true;
  default: return false;
  }
}

bool takes_left_constant(op one) {
  return one == op::i32_sub || one == op::i32_shl || one == op::i32_shr_u || one == op::i64_sub || one == op::i64_shl ||
         one == op::i64_shr_u;
}

bool fits_word(std::uint64_t bits, value_class type) {
  if (type == value_class::i32) return true;
  return bits == static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(bits)));
}

bool fits_half(std::uint64_t bits, value_class type) {
  const auto value = type == value_class::i32 ? static_cast<std::int64_t>(static_cast<std::int32_t>(bits))
                                              : static_cast<std::int64_t>(bits);
  return value >= INT16_MIN && value <= INT16_MAX;
}

} // namespace

bool translator::step_numeric(const instruction& in) {
  switch (in.op) {
  case opcode::i64_extend_i32_s: return int_unary(op::i64_extend32_s, value_class::i64), true;
  case opcode::i64_extend_i32_u: return extend_unsigned(), true;
  case opcode::i32_reinterpret_f32: return reinterpret(value_class::i32), true;
  case opcode::i64_reinterpret_f64: return reinterpret(value_class::i64), true;
  case opcode::f32_reinterpret_i32: return reinterpret(value_class::f32), true;
  case opcode::f64_reinterpret_i64: return reinterpret(value_class::f64), true;
  case opcode::i32_eqz: return eqz(op::i32_eqz), true;
  case opcode::i64_eqz: return eqz(op::i64_eqz), true;
  default: break;
  }
  const std::optional<op> what = same_name(in.op);
  if (!what) return false;
  const value_class result = [&] {
    switch (info(in.op).signature) {
    case stack_signature::l_l:
    case stack_signature::f_l:
    case stack_signature::d_l:
    case stack_signature::ll_l: return value_class::i64;
    case stack_signature::i_f:
    case stack_signature::l_f:
    case stack_signature::f_f:
    case stack_signature::d_f:
    case stack_signature::ff_f: return value_class::f32;
    case stack_signature::i_d:
    case stack_signature::l_d:
    case stack_signature::f_d:
    case stack_signature::d_d:
    case stack_signature::dd_d: return value_class::f64;
    default: return value_class::i32;
    }
  }();
  if (is_between(*what, op::i32_add, op::i64_rem_u)) return int_binary(*what, result), true;
  if (is_int_compare(*what)) return int_compare(*what), true;
  if (is_between(*what, op::i32_eqz, op::i64_extend32_s)) return int_unary(*what, result), true;
  if (is_between(*what, op::f32_add, op::f64_copysign)) return float_binary(*what, result), true;
  if (is_float_compare(*what)) return float_compare(*what), true;
  return convert(*what, result), true;
}

translator::operand_pair translator::int_operands(bool does_commute, bool may_have_left_constant) {
  const std::size_t right = height() - 1;
  const std::size_t left = right - 1;
  settle(left);
  settle(right);
  const bool has_right_constant = stack_[right].kind == entry_kind::constant;
  if (stack_[left].kind == entry_kind::constant) {
    const bool is_usable =
        !has_right_constant && ((does_commute && fits_word(stack_[left].bits, stack_[left].type)) ||
                                (may_have_left_constant && fits_half(stack_[left].bits, stack_[left].type)));
    if (!is_usable) materialise(left);
  }
  if (has_right_constant && !fits_word(stack_[right].bits, stack_[right].type)) materialise(right);
  operand_pair pair{source_of(left), source_of(right)};
  if (pair.b.kind == operand::constant && does_commute) {
    std::swap(pair.b, pair.c);
    pair.is_swapped = true;
  }
  // One register twice: a slot has the same value.
  if (pair.b.kind == pair.c.kind && (pair.b.kind == operand::accumulator || pair.b.kind == operand::local))
    pair.c.kind = operand::slot;
  pop(2);
  return pair;
}

// A local plus a constant stays pending like the local itself: loads and stores add the constant themselves.
bool translator::defer_sum(op what) {
  if (!options_.use_fusion || (what != op::i32_add && what != op::i32_sub)) return false;
  const auto is_base = [](const entry& one) {
    return one.type == value_class::i32 && (one.kind == entry_kind::local || one.kind == entry_kind::sum);
  };
  entry& left = stack_[height() - 2];
  const entry right = stack_.back();
  if (is_base(left) && right.kind == entry_kind::constant) {
    const auto constant = static_cast<std::uint32_t>(right.bits);
    left.addend += what == op::i32_add ? constant : 0 - constant;
  } else if (left.kind == entry_kind::constant && is_base(right) && what == op::i32_add) {
    const auto constant = static_cast<std::uint32_t>(left.bits);
    left = right;
    left.addend += constant;
    ++pending_locals_[right.bits];
  } else {
    return false;
  }
  left.kind = entry_kind::sum;
  pop();
  return true;
}

void translator::int_binary(op what, value_class result) {
  if (defer_sum(what)) return;
  const operand_pair pair = int_operands(commutes(what), takes_left_constant(what));
  draft one = value_draft(what, result, slot_at(height()));
  read_b(one, pair.b);
  read_c(one, pair.c);
  push_temp(result, emit(one));
}

void translator::int_compare(op what) {
  const operand_pair pair = int_operands(true, false);
  draft one = value_draft(pair.is_swapped ? mirrored(what) : what, value_class::i32, slot_at(height()));
  read_b(one, pair.b);
  read_c(one, pair.c);
  push_temp(value_class::i32, emit(one));
}

void translator::int_unary(op what, value_class result) {
  const std::size_t top = height() - 1;
  settle(top);
  if (stack_[top].kind == entry_kind::constant) materialise(top);
  const source from = source_of(top);
  pop();
  draft one = value_draft(what, result, slot_at(height()));
  read_b(one, from);
  push_temp(result, emit(one));
}

// Of a comparison just made: inverts it in place.
void translator::eqz(op what) {
  const entry& top = stack_.back();
  if (options_.use_fusion && what == op::i32_eqz && is_fresh(top) && !top.is_kept) {
    draft& producer = out_.drafts[static_cast<std::size_t>(newest_)];
    if (is_int_compare(producer.what) && producer.to == target::slot) {
      producer.what = inverted(producer.what);
      return;
    }
  }
  int_unary(what, value_class::i32);
}

translator::operand_pair translator::float_operands() {
  const std::size_t right = height() - 1;
  const std::size_t left = right - 1;
  if (stack_[left].kind == entry_kind::constant && stack_[right].kind == entry_kind::constant) materialise(left);
  operand_pair pair{source_of(left), source_of(right)};
  if (pair.b.kind == operand::accumulator && pair.c.kind == operand::accumulator) pair.c.kind = operand::slot;
  pop(2);
  return pair;
}

void translator::float_binary(op what, value_class type) {
  const operand_pair pair = float_operands();
  draft one = value_draft(what, type, slot_at(height()));
  read_b(one, pair.b);
  read_c(one, pair.c);
  push_temp(type, emit(one));
  if (pair.b.kind == operand::constant) emit_data(pair.b.bits);
  if (pair.c.kind == operand::constant) emit_data(pair.c.bits);
}

void translator::float_compare(op what) {
  const operand_pair pair = float_operands();
  draft one = value_draft(what, value_class::i32, slot_at(height()));
  read_b(one, pair.b);
  read_c(one, pair.c);
  push_temp(value_class::i32, emit(one));
  if (pair.b.kind == operand::constant) emit_data(pair.b.bits);
  if (pair.c.kind == operand::constant) emit_data(pair.c.bits);
}

void translator::convert(op what, value_class result) { int_unary(what, result); }

// The bits do not change, so only the entry does. The value must be in its slot, since the other class has another
// accumulator.
void translator::reinterpret(value_class result) {
  settle(height() - 1);
  entry& top = stack_.back();
  top.type = result;
  if (top.kind == entry_kind::temp) top.definition = -1;
}

// An i32 in a slot has its upper half clear already.
void translator::extend_unsigned() {
  settle(height() - 1);
  stack_.back().type = value_class::i64;
}

} // namespace weir::wasm::detail
