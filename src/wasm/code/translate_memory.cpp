// SPDX-License-Identifier: Apache-2.0
#include "wasm/code/translator.hpp"

namespace weir::wasm::detail {

bool translator::step_memory(const instruction& in) {
  using enum value_class;
  switch (in.op) {
  case opcode::i32_load: return load(op::load_u32, 4, i32, in), true;
  case opcode::i64_load: return load(op::load_u64, 8, i64, in), true;
  case opcode::f32_load: return load(op::load_f32, 4, f32, in), true;
  case opcode::f64_load: return load(op::load_f64, 8, f64, in), true;
  case opcode::i32_load8_s: return load(op::load_i32_s8, 1, i32, in), true;
  case opcode::i32_load8_u: return load(op::load_u8, 1, i32, in), true;
  case opcode::i32_load16_s: return load(op::load_i32_s16, 2, i32, in), true;
  case opcode::i32_load16_u: return load(op::load_u16, 2, i32, in), true;
  case opcode::i64_load8_s: return load(op::load_i64_s8, 1, i64, in), true;
  case opcode::i64_load8_u: return load(op::load_u8, 1, i64, in), true;
  case opcode::i64_load16_s: return load(op::load_i64_s16, 2, i64, in), true;
  case opcode::i64_load16_u: return load(op::load_u16, 2, i64, in), true;
  case opcode::i64_load32_s: return load(op::load_i64_s32, 4, i64, in), true;
  case opcode::i64_load32_u: return load(op::load_u32, 4, i64, in), true;
  case opcode::i32_store:
  case opcode::f32_store:
  case opcode::i64_store32: return store(op::store_32, 4, in), true;
  case opcode::i64_store:
  case opcode::f64_store: return store(op::store_64, 8, in), true;
  case opcode::i32_store8:
  case opcode::i64_store8: return store(op::store_8, 1, in), true;
  case opcode::i32_store16:
  case opcode::i64_store16: return store(op::store_16, 2, in), true;
  case opcode::memory_size: return slow_with_result(op::memory_size, 0, i32, in.index), true;
  case opcode::memory_grow: return slow_with_result(op::memory_grow, 1, i32, in.index), true;
  case opcode::memory_copy: return slow(op::memory_copy, 3, in.index, in.second), true;
  case opcode::memory_fill: return slow(op::memory_fill, 3, in.index), true;
  case opcode::memory_init: return slow(op::memory_init, 3, in.second, in.index), true;
  case opcode::data_drop: return slow(op::data_drop, 0, in.index), true;
  default: return false;
  }
}

namespace {

/// The immediate of an access: the end of the access relative to the address, or more than 32 bits where the operation
/// has no room.
std::uint64_t end_of_access(const entry& address, std::uint64_t offset, std::uint32_t size) {
  return (address.kind == entry_kind::constant ? address.bits : 0) + offset + size;
}

bool needs_far(std::uint64_t end, const instruction& in) { return in.index != 0 || end > 0xffffffffu; }

void read_address(draft& one, const source& from, std::uint64_t end) {
  one.b_kind = from.kind;
  one.b = from.slot;
  one.c = static_cast<std::uint32_t>(end);
  if (from.kind == operand::slot) one.roles |= slot_role::b_read;
}

} // namespace

void translator::load(op what, std::uint32_t size, value_class result, const instruction& in) {
  const std::size_t top = height() - 1;
  const std::uint64_t end = end_of_access(stack_[top], in.bits, size);
  draft one;
  one.what = what;
  if (needs_far(end, in)) {
    materialise(top);
    one.what = op::far_load;
    one.a = size;
    one.b = static_cast<std::uint32_t>(what);
    one.c = slot_at(top);
    pop();
    emit(one);
    emit_data(in.bits, in.index);
    return push_temp(result, -1);
  }
  read_address(one, source_of(top), end);
  pop();
  one.roles |= slot_role::a_written;
  one.a = slot_at(height());
  one.result = result;
  one.has_result = one.can_move = one.can_stay = true;
  push_temp(result, emit(one));
}

void translator::store(op what, std::uint32_t size, const instruction& in) {
  const std::size_t value_at = height() - 1;
  const std::size_t address_at = value_at - 1;
  const std::uint64_t end = end_of_access(stack_[address_at], in.bits, size);
  draft one;
  one.what = what;
  if (needs_far(end, in)) {
    materialise_top(2);
    one.what = op::far_store;
    one.a = size;
    one.c = slot_at(address_at);
    pop(2);
    emit(one);
    return emit_data(in.bits, in.index);
  }
  const entry& value = stack_[value_at];
  if (value.kind == entry_kind::constant) {
    const bool is_word = value.type == value_class::i32 || value.type == value_class::f32;
    const auto number = is_word ? static_cast<std::int64_t>(static_cast<std::int32_t>(value.bits))
                                : static_cast<std::int64_t>(value.bits);
    if (number < INT16_MIN || number > INT16_MAX) materialise(value_at);
  }
  source from = source_of(value_at);
  const source address = source_of(address_at);
  const value_class type = stack_[value_at].type;
  if (is_float(type) && from.kind == operand::accumulator)
    one.what = type == value_class::f32 ? op::store_f32 : op::store_f64;
  else if (from.kind == address.kind && (from.kind == operand::accumulator || from.kind == operand::local))
    from.kind = operand::slot; // one register twice
  pop(2);
  read_address(one, address, end);
  one.c_kind = from.kind;
  one.a = from.kind == operand::constant ? static_cast<std::uint16_t>(from.bits) : from.slot;
  if (from.kind == operand::slot) one.roles |= slot_role::a_read;
  emit(one);
}

// Operands and result are in consecutive slots, the registers keep what they have.
void translator::slow(op what, std::size_t operands, std::uint32_t index, std::uint64_t second) {
  materialise_top(operands);
  pop(operands);
  draft one;
  one.what = what;
  one.c = slot_at(height());
  emit(one);
  emit_data(second, index);
}

void translator::slow_with_result(op what, std::size_t operands, value_class result, std::uint32_t index) {
  slow(what, operands, index);
  push_temp(result, -1);
}

} // namespace weir::wasm::detail
