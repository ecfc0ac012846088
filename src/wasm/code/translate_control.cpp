// SPDX-License-Identifier: Apache-2.0
// Blocks and branches. At a label every value is in its canonical slot: values that a branch carries are moved down to
// the label's height, those below it were written to their slots before the block began.
#include "wasm/code/translator.hpp"

#include <unordered_map>

namespace weir::wasm::detail {

bool translator::step_control(const instruction& in) {
  switch (in.op) {
  case opcode::unreachable: {
    draft one;
    one.what = op::unreachable;
    emit(one);
    is_dead_ = true;
    return true;
  }
  case opcode::block: return begin_block(block_kind::plain, in.block), true;
  case opcode::loop: return begin_block(block_kind::loop, in.block), true;
  case opcode::if_: return begin_if(in.block), true;
  case opcode::try_table: return begin_try(in), true;
  case opcode::else_: return else_block(), true;
  case opcode::end: return end_block(), true;
  case opcode::br: return branch(in.index), true;
  case opcode::br_if: return branch_if(in.index), true;
  case opcode::br_table: return branch_table(in), true;
  case opcode::return_: return emit_return(true), is_dead_ = true;
  default: return false;
  }
}

std::size_t translator::branch_values(const block& one) const {
  return one.kind == block_kind::loop ? one.type.param_count(module_) : one.type.result_count(module_);
}

void translator::push_results(const block& one) {
  const std::size_t count = one.type.result_count(module_);
  for (std::size_t i = 0; i < count; ++i) push_temp(class_of(one.type.result(module_, i)), -1);
}

void translator::push_params(const block& one) {
  const std::size_t count = one.type.param_count(module_);
  for (std::size_t i = 0; i < count; ++i) push_temp(class_of(one.type.param(module_, i)), -1);
}

void translator::begin_block(block_kind kind, const block_type& type) {
  materialise_all(); // R1
  block one;
  one.kind = kind;
  one.type = type;
  one.height = height() - type.param_count(module_);
  one.label = new_label();
  if (kind == block_kind::loop) bind(one.label);
  blocks_.push_back(one);
}

void translator::begin_if(const block_type& type) {
  if (has_pending_top(height() - first_pending_)) {
    // The condition stays pending: it is read at once, by the branch.
    for (std::size_t at = first_pending_; at + 1 < height(); ++at) materialise(at);
    first_pending_ = height() - 1;
  }
  const std::int32_t else_label = new_label();
  emit_condition(false, else_label, false);
  keep_top(type.param_count(module_)); // R3: the other arm reads them too
  begin_block(block_kind::then_arm, type);
  blocks_.back().else_label = else_label;
}

void translator::begin_try(const instruction& in) {
  begin_block(block_kind::guarded, in.block);
  draft_range range;
  range.begin = out_.drafts.size();
  code_cursor list = in.list;
  for (std::uint32_t i = 0; i < in.count; ++i) {
    const catch_clause clause = read_catch_clause(list);
    block& to = block_at(clause.label + 1);
    to.is_label_used = true;
    const std::size_t at = is_body(to) ? 0 : to.height;
    const std::size_t values = clause.has_tag() ? module_.types[module_.tags[clause.tag]].params.size() : 0;
    slot_at(at + values + 1);
    range.clauses.push_back({clause, to.label, slot_at(at)});
  }
  blocks_.back().range = out_.ranges.size();
  out_.ranges.push_back(std::move(range));
}

void translator::else_block() {
  block& one = blocks_.back();
  if (!is_dead_) {
    emit_branch(one, true);
    one.is_label_used = true;
  }
  bind(one.else_label);
  one.else_label = -1;
  one.kind = block_kind::else_arm;
  drop_to(one.height);
  push_params(one);
  is_dead_ = false;
}

// A block that nobody branches out of leaves the stack and the accumulators as they are.
void translator::end_block() {
  block& one = blocks_.back();
  if (is_body(one)) return end_body();
  if (one.kind == block_kind::guarded) out_.ranges[one.range].end = out_.drafts.size();
  const bool is_joined = one.else_label >= 0 || (one.is_label_used && one.kind != block_kind::loop);
  if (is_joined || is_dead_) {
    if (!is_dead_) materialise_top(branch_values(one));
    if (one.else_label >= 0) bind(one.else_label); // without an else arm the parameters are the results
    if (one.kind != block_kind::loop && one.is_label_used) bind(one.label);
    drop_to(one.height);
    push_results(one);
    is_dead_ = !is_joined;
  }
  blocks_.pop_back();
}

void translator::end_body() {
  block& one = blocks_.back();
  if (!is_dead_) emit_return(true);
  if (one.is_label_used) {
    bind(one.label);
    drop_to(0);
    push_results(one);
    emit_return(true);
  }
  has_ended_ = true;
}

void translator::emit_return(bool is_last_read) {
  const std::vector<value_type>& results = module_.function_type(function_.index).results;
  draft one;
  one.what = op::ret;
  if (results.size() > 1) {
    materialise_top(results.size());
    one.what = op::ret_many;
    one.a = static_cast<std::uint32_t>(results.size());
    one.c = slot_at(height() - results.size());
  } else if (results.size() == 1) {
    const std::size_t top = height() - 1;
    settle(top);
    const value_class type = stack_[top].type;
    const bool is_constant = stack_[top].kind == entry_kind::constant;
    if (is_constant && stack_[top].bits <= 0xffffffffu && !is_float(type)) {
      one.what = op::ret_u32;
      one.c = static_cast<std::uint32_t>(stack_[top].bits);
    } else {
      if (is_constant) materialise(top);
      const source from = source_of(top, is_last_read);
      one.what = type == value_class::f32 ? op::ret_f32 : type == value_class::f64 ? op::ret_f64 : op::ret_int;
      one.b = from.slot;
      one.b_kind = from.kind;
      if (from.kind == operand::slot) one.roles = slot_role::b_read;
    }
  }
  emit(one);
}

// Many values move by one operation: code stays proportional to the body, however many values its labels take.
void translator::move_down(std::size_t to, std::size_t count, bool is_last_read) {
  const std::size_t from = height() - count;
  constexpr std::size_t most_single_copies = 4;
  if (count <= most_single_copies) {
    for (std::size_t i = 0; i < count; ++i) move_to(slot_at(to + i), from + i, is_last_read);
    return;
  }
  materialise_top(count);
  draft one;
  one.what = op::mov_many;
  one.c = slot_at(to);
  emit(one);
  emit_data(count, slot_at(from));
}

/// A jump to the label with the values it takes.
void translator::emit_branch(block& to, bool is_last_read) {
  const std::size_t count = branch_values(to);
  if (height() - count == to.height)
    materialise_top(count);
  else
    move_down(to.height, count, is_last_read);
  draft one;
  one.what = to.kind == block_kind::loop ? op::jump_back : op::jump;
  emit(one);
  emit_target(to.label);
  to.is_label_used = true;
}

void translator::branch(std::uint32_t depth) {
  block& to = block_at(depth);
  if (is_body(to))
    emit_return(true);
  else
    emit_branch(to, true);
  is_dead_ = true;
}

void translator::branch_if(std::uint32_t depth) {
  block& to = block_at(depth);
  const std::size_t count = branch_values(to);
  const bool is_in_place = !is_body(to) && (count == 0 || height() - 1 - count == to.height);
  if (is_in_place) {
    for (std::size_t at = height() - 1 - count; at + 1 < height(); ++at) materialise(at);
    to.is_label_used = true;
    emit_condition(true, to.label, to.kind == block_kind::loop);
    return keep_top(count); // R3
  }
  const std::int32_t skip = new_label();
  // Whatever the moves below read must be as it is now on the other path too.
  for (std::size_t at = height() - 1 - count; at + 1 < height(); ++at) materialise(at);
  emit_condition(false, skip, false);
  keep_top(count);
  if (is_body(to))
    emit_return(false);
  else
    emit_branch(to, false);
  bind(skip);
}

// Targets that take values at another height go through code of their own behind the table.
void translator::branch_table(const instruction& in) {
  const std::size_t top = height() - 1;
  code_cursor list = in.list;
  std::vector<std::uint32_t> depths(in.count + 1);
  for (std::uint32_t& depth : depths) depth = list.u32();
  const std::size_t count = branch_values(block_at(depths.back()));
  for (std::size_t at = top - count; at <= top; ++at)
    if (at < top || stack_[at].kind != entry_kind::local) materialise(at);
  const source index = source_of(top);
  pop();
  keep_top(count);

  draft one;
  one.what = op::br_table;
  one.b = index.slot;
  one.b_kind = index.kind;
  one.roles = index.kind == operand::slot ? slot_role::b_read : 0;
  one.c = in.count;
  const auto table = static_cast<std::size_t>(emit(one));
  std::unordered_map<std::uint32_t, std::int32_t> detours;
  for (const std::uint32_t depth : depths) {
    block& to = block_at(depth);
    if (!is_body(to) && (count == 0 || height() - count == to.height)) {
      to.is_label_used = true;
      if (to.kind == block_kind::loop) out_.drafts[table].what = op::br_table_back;
      emit_target(to.label);
    } else {
      const auto [detour, is_new] = detours.try_emplace(depth, -1);
      if (is_new) detour->second = new_label();
      emit_target(detour->second);
    }
  }
  for (const auto& [depth, label] : detours) {
    bind(label);
    block& to = block_at(depth);
    if (is_body(to))
      emit_return(false);
    else
      emit_branch(to, false);
  }
  is_dead_ = true;
}

} // namespace weir::wasm::detail
