// SPDX-License-Identifier: Apache-2.0
#include "wasm/code/translator.hpp"

#include <weir/check.hpp>

#include <algorithm>

namespace weir::wasm::detail {

translator::translator(module_code& module, const function_code& function, bool has_far_slots)
    : code_{module},
      module_{module.data()},
      function_{function},
      options_{module.options()},
      has_far_slots_{has_far_slots},
      in_{body_cursor(module_, function.index)} {}

value_class translator::class_of(value_type type) {
  if (type == wasm::i32) return value_class::i32;
  if (type == wasm::f32) return value_class::f32;
  if (type == wasm::f64) return value_class::f64;
  return value_class::i64; // references too
}

translation translator::run() {
  prologue();
  while (!has_ended_) {
    const instruction in = read_instruction(in_);
    if (is_dead_)
      skip_dead_code(in);
    else
      step(in);
  }
  finish_prologue();
  return std::move(out_);
}

void translator::prologue() {
  const func_type& type = module_.function_type(function_.index);
  for (const value_type param : type.params) locals_.push_back(class_of(param));
  for (const local_run& run : module_.body(function_.index).locals)
    locals_.insert(locals_.end(), run.count, class_of(run.type));
  pending_locals_.resize(locals_.size());
  if (options_.use_pinned_local) pinned_ = choose_pinned_local(module_, function_.index, locals_);
  out_.pinned_slot = pinned_ < 0 ? 0 : static_cast<std::uint32_t>(pinned_);
  temp_base_ = static_cast<std::uint32_t>(locals_.size());
  if (has_far_slots_) {
    out_.scratch_slot = temp_base_;
    temp_base_ += 3;
  }
  draft enter;
  enter.what = locals_.size() > type.params.size() ? op::enter_clear : op::enter;
  enter.a = static_cast<std::uint32_t>(type.params.size());
  enter.b = out_.pinned_slot;
  emit(enter);
  if (enter.what == op::enter_clear) emit_data((locals_.size() - type.params.size() + 1) / 2);

  block body;
  body.kind = block_kind::body;
  body.label = new_label();
  body.type = {block_type::form::function, module_.functions[function_.index], {}};
  blocks_.push_back(body);
}

// One slot more than the greatest height: clearing goes by pairs, and every frame has a slot to read.
void translator::finish_prologue() {
  const std::uint64_t results = module_.function_type(function_.index).results.size();
  out_.slot_count = std::max<std::uint64_t>(temp_base_ + max_height_, results) + 1;
  out_.drafts[0].c = static_cast<std::uint32_t>(out_.slot_count);
}

// After an unconditional branch nothing is translated up to the `else` or `end` of a block that was reached.
void translator::skip_dead_code(const instruction& in) {
  const immediate_kind kind = info(in.op).immediate;
  if (kind == immediate_kind::block || kind == immediate_kind::try_table) {
    ++dead_depth_;
  } else if (in.op == opcode::end && dead_depth_ > 0) {
    --dead_depth_;
  } else if (dead_depth_ == 0 && (in.op == opcode::end || in.op == opcode::else_)) {
    step_control(in);
  }
}

void translator::step(const instruction& in) {
  const bool is_done = step_variable(in) || step_numeric(in) || step_memory(in) || step_control(in) || step_call(in) ||
                       step_reference(in);
  WEIR_CHECK(is_done, "a validated body has only instructions that the translator knows", static_cast<unsigned>(in.op));
}

bool translator::step_variable(const instruction& in) {
  switch (in.op) {
  case opcode::nop: return true;
  case opcode::drop: return pop(), true;
  case opcode::select:
  case opcode::select_typed: return select(), true;
  case opcode::local_get: return push_local(in.index), true;
  case opcode::local_set: return set_local(in.index), true;
  case opcode::local_tee: return tee_local(in.index), true;
  case opcode::global_get: return get_global(in.index), true;
  case opcode::global_set: return set_global(in.index), true;
  case opcode::i32_const: return push_constant(value_class::i32, in.bits), true;
  case opcode::i64_const: return push_constant(value_class::i64, in.bits), true;
  case opcode::f32_const: return push_constant(value_class::f32, in.bits), true;
  case opcode::f64_const: return push_constant(value_class::f64, in.bits), true;
  default: return false;
  }
}

bool translator::step_reference(const instruction& in) {
  switch (in.op) {
  case opcode::ref_null: return push_constant(value_class::i64, 0), true;
  case opcode::ref_is_null: return eqz(op::i64_eqz), true;
  case opcode::ref_func: return slow_with_result(op::ref_func, 0, value_class::i64, in.index), true;
  case opcode::table_get: return slow_with_result(op::table_get, 1, value_class::i64, in.index), true;
  case opcode::table_set: return slow(op::table_set, 2, in.index), true;
  case opcode::table_size: return slow_with_result(op::table_size, 0, value_class::i32, in.index), true;
  case opcode::table_grow: return slow_with_result(op::table_grow, 2, value_class::i32, in.index), true;
  case opcode::table_fill: return slow(op::table_fill, 3, in.index), true;
  case opcode::table_copy: return slow(op::table_copy, 3, in.index, in.second), true;
  case opcode::table_init: return slow(op::table_init, 3, in.second, in.index), true;
  case opcode::elem_drop: return slow(op::elem_drop, 0, in.index), true;
  default: return false;
  }
}

} // namespace weir::wasm::detail
