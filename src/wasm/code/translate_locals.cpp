// SPDX-License-Identifier: Apache-2.0
// Locals, globals and select.
#include "wasm/code/translator.hpp"

#include <algorithm>

namespace weir::wasm::detail {

void translator::set_local(std::uint32_t local) {
  const std::size_t top = height() - 1;
  const bool is_same = stack_[top].kind == entry_kind::local && stack_[top].bits == local;
  if (is_same) return pop();
  if (pending_locals_[local] != 0) { // R1
    for (std::size_t at = first_pending_; at < top; ++at)
      if (stack_[at].reads_local(local)) materialise(at);
  }
  settle(top);
  const entry value = stack_[top];
  const bool is_pinned = static_cast<std::int64_t>(local) == pinned_;
  if (is_fresh(value)) {
    draft& producer = out_.drafts[static_cast<std::size_t>(value.definition)];
    if (producer.can_move && producer.to == target::slot && !value.is_kept) { // R5
      producer.a = local;
      producer.to = is_pinned ? target::local : target::slot;
      return pop();
    }
  }
  move_to(local, top, true);
  pop();
}

void translator::tee_local(std::uint32_t local) {
  set_local(local);
  push_local(local);
}

void translator::get_global(std::uint32_t global) {
  const value_class type = class_of(module_.globals[global].type.value);
  draft one;
  one.what = type == value_class::f32   ? op::global_get_f32
             : type == value_class::f64 ? op::global_get_f64
                                        : op::global_get;
  one.roles = slot_role::a_written;
  one.a = slot_at(height());
  one.c = global;
  one.has_result = one.can_move = one.can_stay = true;
  one.result = type;
  push_temp(type, emit(one));
}

void translator::set_global(std::uint32_t global) {
  const std::size_t top = height() - 1;
  settle(top);
  if (stack_[top].kind == entry_kind::constant) materialise(top);
  const value_class type = stack_[top].type;
  const source value = source_of(top);
  draft one;
  one.what = op::global_set;
  if (is_float(type) && value.kind == operand::accumulator)
    one.what = type == value_class::f32 ? op::global_set_f32 : op::global_set_f64;
  one.roles = value.kind == operand::slot ? slot_role::b_read : 0;
  one.b = value.slot;
  one.b_kind = value.kind;
  one.c = global;
  pop();
  emit(one);
}

// Both values are read from slots, of which only one is used, so neither is worth a register.
void translator::select() {
  const std::size_t top = height() - 1;
  for (const std::size_t at : {top - 2, top - 1, top})
    if (stack_[at].kind == entry_kind::constant || stack_[at].kind == entry_kind::sum) materialise(at);
  const source condition = source_of(top);
  const auto slot_of = [this](std::size_t at) {
    return stack_[at].kind == entry_kind::local ? static_cast<std::uint32_t>(stack_[at].bits) : slot_at(at);
  };
  const value_class type = stack_[top - 1].type;
  draft one;
  one.what = type == value_class::f32 ? op::select_f32 : type == value_class::f64 ? op::select_f64 : op::select;
  one.roles = slot_role::a_written | slot_role::c_read | slot_role::d_read |
              (condition.kind == operand::slot ? slot_role::b_read : 0);
  one.a = slot_at(top - 2);
  one.b = condition.slot;
  one.b_kind = condition.kind;
  one.c = slot_of(top - 2);
  one.d = slot_of(top - 1);
  one.has_result = one.can_move = one.can_stay = true;
  one.result = type;
  pop(3);
  push_temp(type, emit(one));
}

} // namespace weir::wasm::detail
