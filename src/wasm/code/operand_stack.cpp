// SPDX-License-Identifier: Apache-2.0
#include "wasm/code/translator.hpp"

#include <algorithm>

namespace weir::wasm::detail {
namespace {

// Deeper pending entries are written to their slots: a scan of all pending entries stays short whatever the body does.
constexpr std::size_t most_pending = 256;

bool fits_immediate(std::uint64_t bits) {
  return bits == static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(bits)));
}

} // namespace

std::uint32_t translator::slot_at(std::size_t at) {
  max_height_ = std::max(max_height_, at + 1);
  return temp_base_ + static_cast<std::uint32_t>(at);
}

void translator::push_constant(value_class type, std::uint64_t bits) {
  stack_.push_back({entry_kind::constant, type, false, -1, bits});
  limit_pending();
}

void translator::push_local(std::uint32_t local) {
  stack_.push_back({entry_kind::local, locals_[local], false, -1, local});
  ++pending_locals_[local];
  limit_pending();
}

void translator::push_temp(value_class type, std::int32_t definition) {
  slot_at(height());
  stack_.push_back({entry_kind::temp, type, false, definition, 0});
}

void translator::pop(std::size_t count) { drop_to(height() - count); }

void translator::drop_to(std::size_t to) {
  while (height() > to) {
    if (stack_.back().kind == entry_kind::local) --pending_locals_[stack_.back().bits];
    stack_.pop_back();
  }
  first_pending_ = std::min(first_pending_, to);
}

void translator::limit_pending() {
  slot_at(height());
  if (height() - first_pending_ > most_pending) materialise_all();
}

source translator::source_of(std::size_t at, bool is_last_read) {
  const entry& one = stack_[at];
  if (one.kind == entry_kind::constant) return {operand::constant, 0, one.bits};
  const std::int32_t held = options_.use_accumulator ? accumulator_of(one.type) : -1;
  if (one.kind == entry_kind::local) {
    const auto slot = static_cast<std::uint32_t>(one.bits);
    if (static_cast<std::int64_t>(slot) == pinned_)
      return {is_float(one.type) ? operand::slot : operand::local, slot, 0};
    const bool is_held = held >= 0 && out_.drafts[static_cast<std::size_t>(held)].can_move &&
                         out_.drafts[static_cast<std::size_t>(held)].a == slot;
    return {is_held ? operand::accumulator : operand::slot, slot, 0};
  }
  if (held < 0 || one.definition != held) return {operand::slot, slot_at(at), 0};
  draft& producer = out_.drafts[static_cast<std::size_t>(held)];
  if (is_last_read && !one.is_kept && producer.can_stay) producer.to = target::accumulator; // R3
  return {operand::accumulator, slot_at(at), 0};
}

void translator::materialise(std::size_t at) {
  const entry one = stack_[at];
  if (one.kind == entry_kind::temp) return;
  move_to(slot_at(at), at, true);
  if (one.kind == entry_kind::local) --pending_locals_[one.bits];
  stack_[at] = {entry_kind::temp, one.type, false, newest_, 0};
}

void translator::materialise_top(std::size_t count) {
  std::size_t at = std::max(height() - count, first_pending_);
  while (at < height()) {
    // Two locals in neighbouring entries take one operation, unless a register has one of them.
    if (options_.use_fusion && !has_far_slots_ && at + 1 < height() && stack_[at].kind == entry_kind::local &&
        stack_[at + 1].kind == entry_kind::local) {
      const source first = source_of(at);
      const source second = source_of(at + 1);
      if (first.kind == operand::slot && second.kind == operand::slot) {
        draft pair;
        pair.what = op::mov_pair;
        pair.roles = slot_role::a_written | slot_role::b_read | slot_role::c_read | slot_role::d_written;
        pair.a = slot_at(at);
        pair.b = first.slot;
        pair.c = second.slot;
        pair.d = slot_at(at + 1);
        emit(pair);
        accumulator_of(value_class::i32) = -1;
        for (const std::size_t one : {at, at + 1}) {
          --pending_locals_[stack_[one].bits];
          stack_[one] = {entry_kind::temp, stack_[one].type, false, -1, 0};
        }
        at += 2;
        continue;
      }
    }
    materialise(at++);
  }
  if (count >= height() - first_pending_) first_pending_ = height();
}

bool translator::has_pending_top(std::size_t count) const {
  return std::any_of(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end(),
                     [](const entry& one) { return one.kind != entry_kind::temp; });
}

void translator::keep_top(std::size_t count) {
  for (std::size_t at = height() - count; at < height(); ++at) stack_[at].is_kept = true;
}

void translator::emit_constant(std::uint32_t slot, value_class type, std::uint64_t bits) {
  const bool is_pinned = static_cast<std::int64_t>(slot) == pinned_;
  draft one;
  one.roles = slot_role::a_written;
  one.a = slot;
  one.to = is_pinned ? target::local : target::slot;
  one.has_result = true;
  one.result = is_float(type) ? value_class::i64 : type;
  one.can_move = !is_float(type);
  if (is_float(type)) accumulator_of(type) = -1; // it may hold what the slot held
  if (fits_immediate(bits)) {
    one.what = op::mov;
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
  source where;
  if (is_float(one.type))
    where.slot = one.kind == entry_kind::local ? static_cast<std::uint32_t>(one.bits) : slot_at(from);
  else
    where = source_of(from, is_last_read);
  draft copy;
  copy.what = op::mov;
  copy.roles = slot_role::a_written | (where.kind == operand::slot ? slot_role::b_read : 0);
  copy.a = slot;
  copy.b = where.slot;
  copy.b_kind = where.kind;
  copy.to = static_cast<std::int64_t>(slot) == pinned_ ? target::local : target::slot;
  copy.has_result = true;
  copy.result = is_float(one.type) ? value_class::i64 : one.type;
  copy.can_move = !is_float(one.type);
  if (is_float(one.type)) accumulator_of(one.type) = -1; // it may hold what the slot held
  emit(copy);
}

std::int32_t& translator::accumulator_of(value_class type) {
  return accumulators_[is_float(type) ? static_cast<std::size_t>(type) - 1 : 0];
}

std::int32_t translator::emit(const draft& one) {
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
  newest_ = -1; // R5
}

void translator::forget_accumulators() { accumulators_.fill(-1); }

} // namespace weir::wasm::detail
