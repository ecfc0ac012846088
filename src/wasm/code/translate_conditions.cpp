// SPDX-License-Identifier: Apache-2.0
// Conditional branches and what they fuse with: the comparison or test for zero that made the condition, and the
// addition of a constant to the local that is compared.
#include "wasm/code/translator.hpp"

#include <utility>

namespace weir::wasm::detail {
namespace {

op branch_on(op compare, op first_compare, op first_branch, bool is_back) {
  return shifted(first_branch, 2 * place_in_family(compare, first_compare) + (is_back ? 1 : 0));
}

op branch_on_int(op compare, bool is_back) { return branch_on(compare, op::i32_eq, op::br_i32_eq, is_back); }

/// `local += constant`, with a constant of 16 bits.
bool is_count(const draft& one, std::size_t locals) {
  const auto constant = static_cast<std::int32_t>(one.c);
  const bool reads_itself = one.b == one.a && (one.b_kind == operand::local) == (one.to == target::local);
  return one.what == op::i32_add && one.c_kind == operand::constant && one.to != target::accumulator && reads_itself &&
         one.a < locals && constant >= INT16_MIN && constant <= INT16_MAX;
}

} // namespace

bool translator::fuse_condition(bool wanted, bool is_back) {
  if (!options_.use_fusion || !is_fresh(stack_.back()) || stack_.back().is_kept) return false;
  const draft& last = draft_at(newest_);
  if (last.to != target::slot) return false;
  // The negation of a comparison of floats, which has no inverse.
  if (last.what == op::i32_eqz && last.b_kind == operand::accumulator && previous_ >= 0 &&
      is_float_compare(draft_at(previous_).what) && draft_at(previous_).to == target::accumulator) {
    out_.drafts.pop_back();
    newest_ = std::exchange(previous_, -1);
    displaced_ = -1;
    wanted = !wanted;
  }
  draft& producer = draft_at(newest_);
  if (is_int_compare(producer.what)) {
    producer.what = branch_on_int(wanted ? producer.what : inverted(producer.what), is_back);
  } else if (is_float_compare(producer.what)) {
    producer.what = branch_on(producer.what, op::f32_eq, wanted ? op::br_f32_eq : op::br_not_f32_eq, is_back);
  } else if (producer.what == op::i32_eqz) {
    producer.what = wanted ? (is_back ? op::loop_false : op::br_false) : (is_back ? op::loop_true : op::br_true);
  } else if (producer.what == op::i64_eqz) {
    producer.what = branch_on_int(wanted ? op::i64_eq : op::i64_ne, is_back);
    producer.c_kind = operand::constant;
    producer.c = 0;
  } else {
    return false;
  }
  producer.to = target::slot;
  producer.has_result = producer.can_move = producer.can_stay = false;
  producer.roles &= static_cast<std::uint8_t>(~slot_role::a_written);
  producer.a = 0;
  accumulators_[0] = displaced_; // the comparison no longer writes it
  return true;
}

/// Joins the branch made last with the addition before it.
void translator::fuse_count() {
  if (newest_ < 0 || previous_ < 0 || previous_ + 1 != newest_) return;
  const draft branch = draft_at(newest_);
  draft& count = draft_at(previous_);
  const bool compares_sum = branch.b == count.a && branch.b_kind != operand::constant;
  if (!is_between(branch.what, op::br_i32_eq, op::loop_i32_ge_u) || !is_count(count, locals_.size()) || !compares_sum ||
      branch.c_kind == operand::accumulator)
    return;
  if (branch.c_kind == operand::local && count.to == target::local) return; // compares the local with itself
  become_count(count, shifted(op::count_br_i32_eq, place_in_family(branch.what, op::br_i32_eq)),
               {branch.c_kind, branch.c, branch.c});
  out_.drafts.pop_back();
  newest_ = std::exchange(previous_, -1);
}

void translator::become_count(draft& one, op what, const source& limit) {
  one.what = what;
  one.b = one.c & 0xffffu;
  one.b_kind = one.to == target::local ? operand::local : operand::slot;
  one.to = target::slot;
  one.roles = slot_role::a_written;
  read_c(one, limit);
  one.has_result = one.can_move = one.can_stay = false;
  accumulators_[0] = -1;
}

/// Takes the condition off the stack and branches when it is as wanted.
void translator::emit_condition(bool wanted, std::int32_t label, bool is_back) {
  if (fuse_condition(wanted, is_back)) {
    if (!has_far_slots_) fuse_count();
  } else {
    const std::size_t top = height() - 1;
    settle(top);
    if (stack_[top].kind == entry_kind::constant) materialise(top);
    const source from = source_of(top);
    const bool is_local = stack_[top].kind == entry_kind::local && stack_[top].type == value_class::i32;
    if (options_.use_fusion && !has_far_slots_ && is_local && newest_ >= 0 &&
        is_count(draft_at(newest_), locals_.size()) && draft_at(newest_).a == from.slot) {
      const op first = wanted ? op::count_br_i32_ne : op::count_br_i32_eq;
      become_count(draft_at(newest_), shifted(first, is_back ? 1 : 0), {operand::constant, 0, 0});
    } else {
      draft one;
      one.what = wanted ? (is_back ? op::loop_true : op::br_true) : (is_back ? op::loop_false : op::br_false);
      read_b(one, from);
      emit(one);
    }
  }
  emit_target(label);
  pop();
  seal();
}

} // namespace weir::wasm::detail
