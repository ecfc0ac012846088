// SPDX-License-Identifier: Apache-2.0
// Emission of operations, labels, and copies between slots.
#include "wasm/code/translator.hpp"

namespace weir::wasm::detail {
namespace {

bool fits_immediate(std::uint64_t bits) {
  return bits == static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(bits)));
}

} // namespace

std::int32_t& translator::accumulator_of(value_class type) {
  return accumulators_[is_float(type) ? static_cast<std::size_t>(type) - 1 : 0];
}

std::int32_t translator::emit(const draft& one) {
  previous_ = newest_;
  newest_ = static_cast<std::int32_t>(out_.drafts.size());
  out_.drafts.push_back(one);
  if (one.has_result) {
    std::int32_t& held = accumulator_of(one.result);
    displaced_ = held;
    held = newest_;
  }
  return newest_;
}

void translator::emit_data(std::uint64_t word, std::uint32_t c, std::uint32_t a) {
  draft one;
  one.word = word;
  one.c = c;
  one.a = a;
  out_.drafts.push_back(one);
}

void translator::emit_target(std::int32_t label) {
  draft one;
  one.label = label;
  out_.drafts.push_back(one);
}

std::int32_t translator::new_label() {
  out_.labels.push_back(0);
  return static_cast<std::int32_t>(out_.labels.size() - 1);
}

void translator::bind(std::int32_t label) {
  out_.labels[static_cast<std::size_t>(label)] = out_.drafts.size();
  forget_accumulators();
  seal();
}

void translator::seal() { newest_ = previous_ = -1; }

void translator::forget_accumulators() { accumulators_.fill(-1); }

void translator::emit_sum(std::uint32_t slot, const entry& sum) {
  const source from = local_source(static_cast<std::uint32_t>(sum.bits), value_class::i32);
  draft one = value_draft(op::i32_add, value_class::i32, slot);
  read_b(one, from);
  one.c_kind = operand::constant;
  one.c = sum.addend;
  emit(one);
}

void translator::emit_constant(std::uint32_t slot, value_class type, std::uint64_t bits) {
  draft one = value_draft(op::mov, is_float(type) ? value_class::i64 : type, slot);
  one.can_stay = false;
  one.can_move = !is_float(type);
  if (static_cast<std::int64_t>(slot) == pinned_) one.to = target::local;
  if (is_float(type)) accumulator_of(type) = -1; // it may hold what the slot held
  if (fits_immediate(bits)) {
    one.b_kind = operand::constant;
    one.c = static_cast<std::uint32_t>(bits);
    emit(one);
  } else if (bits <= 0xffffffffu) {
    one.what = op::mov_u32;
    one.c = static_cast<std::uint32_t>(bits);
    emit(one);
  } else {
    one.what = op::mov_64;
    emit(one);
    emit_data(bits);
  }
}

// A float is copied as 64 bits from its slot, which it is in because no operation took it from the accumulator.
void translator::move_to(std::uint32_t slot, std::size_t from, bool is_last_read) {
  const entry one = stack_[from];
  if (one.kind == entry_kind::constant) return emit_constant(slot, one.type, one.bits);
  if (one.kind == entry_kind::sum) return emit_sum(slot, one);
  source where;
  if (is_float(one.type))
    where.slot = one.kind == entry_kind::local ? static_cast<std::uint32_t>(one.bits) : slot_at(from);
  else
    where = source_of(from, is_last_read);
  draft copy = value_draft(op::mov, is_float(one.type) ? value_class::i64 : one.type, slot);
  copy.can_stay = false;
  copy.can_move = !is_float(one.type);
  if (static_cast<std::int64_t>(slot) == pinned_) copy.to = target::local;
  read_b(copy, where);
  if (is_float(one.type)) accumulator_of(one.type) = -1; // it may hold what the slot held
  if (!join_copies(copy)) emit(copy);
}

// Two copies between slots in a row become one operation. A local in a register is in its slot as well.
bool translator::join_copies(const draft& second) {
  if (!options_.use_fusion || has_far_slots_ || newest_ < 0) return false;
  draft& first = draft_at(newest_);
  const auto is_from_slot = [](const draft& one) {
    return one.what == op::mov && (one.b_kind == operand::slot || one.b_kind == operand::local);
  };
  if (!is_from_slot(first) || !is_from_slot(second)) return false;
  draft front = first;
  draft back = second;
  if (front.to == target::local) { // the register is that of the second copy
    if (back.to == target::local || back.b == front.a || back.a == front.b || back.a == front.a) return false;
    std::swap(front, back);
  }
  first.what = op::mov_pair;
  first.roles = slot_role::a_written | slot_role::b_read | slot_role::c_read | slot_role::d_written;
  first.b_kind = operand::slot;
  first.a = front.a;
  first.b = front.b;
  first.c = back.b;
  first.d = back.a;
  first.to = back.to;
  first.has_result = first.can_move = first.can_stay = false;
  accumulators_[0] = -1;
  return true;
}

} // namespace weir::wasm::detail
