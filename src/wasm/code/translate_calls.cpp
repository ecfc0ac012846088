// SPDX-License-Identifier: Apache-2.0
// Calls, tail calls and throws. Arguments are in the topmost canonical slots, which become the callee's first.
#include "wasm/code/translator.hpp"

namespace weir::wasm::detail {

bool translator::step_call(const instruction& in) {
  switch (in.op) {
  case opcode::call: return call(in.index), true;
  case opcode::call_indirect: return call_indirect(in), true;
  case opcode::return_call: return tail_call(in.index), true;
  case opcode::return_call_indirect: return tail_call_indirect(in), true;
  case opcode::throw_: return throw_tag(in.index), true;
  case opcode::throw_ref: return throw_reference(), true;
  default: return false;
  }
}

draft translator::call_draft(op what, std::size_t arguments) {
  draft one;
  one.what = what;
  one.b = out_.pinned_slot;
  one.c = slot_at(height() - arguments);
  return one;
}

void translator::push_call_results(const func_type& type, std::int32_t call) {
  forget_accumulators();
  for (const value_type result : type.results) push_temp(class_of(result), -1);
  slot_at(height()); // a host function may write one slot where it has no result
  if (type.results.size() != 1) return;
  // The return leaves a single result in the accumulator of its class as well.
  stack_.back().definition = call;
  accumulator_of(stack_.back().type) = call;
}

void translator::call(std::uint32_t function) {
  const func_type& type = module_.function_type(function);
  const std::size_t arguments = type.params.size();
  materialise_top(arguments);
  const bool is_import = function < module_.imported_functions;
  const draft one = call_draft(is_import ? op::call_import : op::call, arguments);
  pop(arguments);
  const std::int32_t at = emit(one);
  if (is_import)
    emit_data(0, function);
  else
    emit_data(reinterpret_cast<std::uintptr_t>(&code_.function(function)));
  push_call_results(type, at);
}

// The slow path looks for the index in its slot, so the accumulator alone would not do.
void translator::call_indirect(const instruction& in) {
  const func_type& type = module_.types[in.index];
  const std::size_t arguments = type.params.size();
  const std::size_t top = height() - 1;
  settle(top);
  if (stack_[top].kind == entry_kind::constant) materialise(top);
  for (std::size_t at = top - arguments; at < top; ++at) materialise(at);
  stack_[top].is_kept = true;
  const source index = source_of(top);
  draft one = call_draft(op::call_indirect, arguments + 1);
  one.b_kind = index.kind;
  pop(arguments + 1);
  const std::int32_t at = emit(one);
  emit_data(module_.type_ids[in.index], in.second, index.slot);
  out_.drafts.back().roles = slot_role::a_read;
  push_call_results(type, at);
}

void translator::tail_call(std::uint32_t function) {
  const std::size_t arguments = module_.function_type(function).params.size();
  materialise_top(arguments);
  const bool is_import = function < module_.imported_functions;
  draft one = call_draft(is_import ? op::tail_call_import : op::tail_call, arguments);
  one.a = static_cast<std::uint32_t>(arguments);
  emit(one);
  if (is_import)
    emit_data(0, function);
  else
    emit_data(reinterpret_cast<std::uintptr_t>(&code_.function(function)));
  is_dead_ = true;
}

void translator::tail_call_indirect(const instruction& in) {
  const std::size_t arguments = module_.types[in.index].params.size();
  materialise_top(arguments + 1);
  draft one = call_draft(op::tail_call_indirect, arguments + 1);
  one.a = static_cast<std::uint32_t>(arguments);
  emit(one);
  emit_data(module_.type_ids[in.index], in.second, slot_at(height() - 1));
  out_.drafts.back().roles = slot_role::a_read;
  is_dead_ = true;
}

void translator::throw_tag(std::uint32_t tag) {
  const std::size_t values = module_.types[module_.tags[tag]].params.size();
  materialise_top(values);
  emit(call_draft(op::throw_tag, values));
  emit_data(0, tag);
  is_dead_ = true;
}

void translator::throw_reference() {
  const std::size_t top = height() - 1;
  materialise(top);
  draft one;
  one.what = op::throw_reference;
  one.roles = slot_role::b_read;
  one.b = slot_at(top);
  emit(one);
  is_dead_ = true;
}

} // namespace weir::wasm::detail
