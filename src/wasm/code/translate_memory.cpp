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

op with_sum(op access) { return shifted(op::load_sum_u8, place_in_family(access, op::load_u8)); }

/// Whether a store can have the value in its cell; not only constants need no help.
bool has_small_value(const entry& value) {
  if (value.kind != entry_kind::constant) return true;
  const bool is_word = value.type == value_class::i32 || value.type == value_class::f32;
  const auto number = is_word ? static_cast<std::int64_t>(static_cast<std::int32_t>(value.bits))
                              : static_cast<std::int64_t>(value.bits);
  return number >= INT16_MIN && number <= INT16_MAX;
}

} // namespace

// A pending sum is an address of its own kind, unless there is an offset, which is not taken modulo 2^32.
bool translator::is_sum_address(std::size_t at, const instruction& in) {
  if (stack_[at].kind != entry_kind::sum) return false;
  if (in.index == 0 && in.bits == 0) return true;
  settle(at);
  return false;
}

void translator::read_address(draft& one, std::size_t at, std::uint64_t end, bool is_sum) {
  const entry& address = stack_[at];
  const source from = is_sum ? local_source(static_cast<std::uint32_t>(address.bits), value_class::i32) : source_of(at);
  one.b_kind = from.kind;
  one.b = from.slot;
  one.c = is_sum ? address.addend : static_cast<std::uint32_t>(end);
  if (from.kind == operand::slot) one.roles |= slot_role::b_read;
}

void translator::load(op what, std::uint32_t size, value_class result, const instruction& in) {
  const std::size_t top = height() - 1;
  const bool is_sum = is_sum_address(top, in);
  const std::uint64_t end = end_of_access(stack_[top], in.bits, size);
  if (needs_far(end, in)) {
    materialise(top);
    draft far;
    far.what = op::far_load;
    far.a = size;
    far.b = static_cast<std::uint32_t>(what);
    far.c = slot_at(top);
    pop();
    emit(far);
    emit_data(in.bits, in.index);
    return push_temp(result, -1);
  }
  draft one = value_draft(is_sum ? with_sum(what) : what, result, slot_at(top));
  read_address(one, top, end, is_sum);
  pop();
  push_temp(result, emit(one));
}

void translator::store(op what, std::uint32_t size, const instruction& in) {
  const std::size_t value_at = height() - 1;
  const std::size_t address_at = value_at - 1;
  settle(value_at);
  const bool is_sum = is_sum_address(address_at, in);
  const std::uint64_t end = end_of_access(stack_[address_at], in.bits, size);
  draft one;
  if (needs_far(end, in)) {
    materialise_top(2);
    one.what = op::far_store;
    one.a = size;
    one.c = slot_at(address_at);
    pop(2);
    emit(one);
    return emit_data(in.bits, in.index);
  }
  if (!has_small_value(stack_[value_at])) materialise(value_at);
  source from = source_of(value_at);
  read_address(one, address_at, end, is_sum);
  const value_class type = stack_[value_at].type;
  if (is_float(type) && from.kind == operand::accumulator)
    what = type == value_class::f32 ? op::store_f32 : op::store_f64;
  else if (from.kind == one.b_kind && (from.kind == operand::accumulator || from.kind == operand::local))
    from.kind = operand::slot; // one register twice
  one.what = is_sum ? with_sum(what) : what;
  one.c_kind = from.kind;
  one.a = from.kind == operand::constant ? static_cast<std::uint16_t>(from.bits) : from.slot;
  if (from.kind == operand::slot) one.roles |= slot_role::a_read;
  pop(2);
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
