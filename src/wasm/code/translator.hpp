// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns a validated function body into cells, in one pass with a symbolic operand stack.
//
// Each value on the operand stack has a canonical slot by its height. local.get and the constants emit nothing: their
// entries are pending, and the operation that takes them reads the local's slot or has an immediate. local.set makes
// the operation that produced the value write the local instead of the canonical slot. What must stay true:
//
// R1  A pending local is written to its canonical slot before the local changes (`set_local`), and every pending entry
// before a
//     block begins, so that all paths to a label agree on where values are.
// R2  `accumulators_[class]` is the operation whose result the accumulator of that class still holds, or -1. It is -1
// at every label. R3  An operation's result may stay out of its slot only when its single reader takes it from the
// accumulator. Entries that a second
//     path reads (values of a conditional branch, parameters of an `if`) are marked `is_kept` and always in their slot.
// R4  Nothing is emitted between asking for the source of an operand and emitting the operation that reads it.
// R5  An operation may be rewritten (destination, fusion) only while it is the newest one and no label is behind it.
#include "wasm/binary/instruction.hpp"
#include "wasm/code/draft.hpp"
#include "wasm/code/module_code.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir::wasm::detail {

/// What `assemble` makes cells of.
struct translation {
  std::vector<draft> drafts;
  std::vector<std::size_t> labels; // position of each label in `drafts`
  std::vector<draft_range> ranges;
  std::uint64_t slot_count = 0;
  std::uint32_t pinned_slot = 0;
  std::uint32_t scratch_slot = 0; // of three, in a function with far slots
};

class translator {
public:
  /// `has_far_slots` sets three low slots aside, through which `assemble` reaches slots that do not fit 16 bits.
  translator(module_code& module, const function_code& function, bool has_far_slots);
  translation run();

private:
  // translator.cpp
  void prologue();
  void finish_prologue();
  void skip_dead_code(const instruction& in);
  void step(const instruction& in);
  bool step_variable(const instruction& in);
  bool step_reference(const instruction& in);
  static value_class class_of(value_type type);

  // operand_stack.cpp
  std::uint32_t slot_at(std::size_t height);
  std::size_t height() const { return stack_.size(); }
  void push_constant(value_class type, std::uint64_t bits);
  void push_local(std::uint32_t local);
  void push_temp(value_class type, std::int32_t definition);
  void pop(std::size_t count = 1);
  void drop_to(std::size_t height);
  void limit_pending();
  bool is_fresh(const entry& one) const {
    return one.kind == entry_kind::temp && one.definition >= 0 && one.definition == newest_;
  }
  source source_of(std::size_t height, bool is_last_read = true);
  void materialise(std::size_t height);
  void materialise_top(std::size_t count);
  void materialise_all() { materialise_top(height()); }
  /// Makes a sum a temporary, for an operation that takes none.
  void settle(std::size_t at);
  bool has_pending_top(std::size_t count) const;
  void keep_top(std::size_t count);
  source local_source(std::uint32_t local, value_class type);

  // emission.cpp
  draft& draft_at(std::int32_t index) { return out_.drafts[static_cast<std::size_t>(index)]; }
  void move_to(std::uint32_t slot, std::size_t from, bool is_last_read);
  bool join_copies(const draft& second);
  void emit_sum(std::uint32_t slot, const entry& sum);
  void emit_constant(std::uint32_t slot, value_class type, std::uint64_t bits);
  std::int32_t emit(const draft& one);
  void emit_data(std::uint64_t word, std::uint32_t c = 0, std::uint32_t a = 0);
  void emit_target(std::int32_t label);
  std::int32_t new_label();
  void bind(std::int32_t label);
  /// Makes the newest operation one that nothing may change any more.
  void seal();
  void forget_accumulators();
  std::int32_t& accumulator_of(value_class type);

  // translate_numeric.cpp
  bool step_numeric(const instruction& in);
  void int_binary(op what, value_class result);
  bool defer_sum(op what);
  void int_compare(op what);
  void int_unary(op what, value_class result);
  void eqz(op what);
  void float_binary(op what, value_class type);
  void float_compare(op what);
  void convert(op what, value_class result);
  void reinterpret(value_class result);
  void extend_unsigned();
  struct operand_pair {
    source b, c;
    bool is_swapped = false;
  };
  operand_pair int_operands(bool commutes, bool takes_left_constant);
  operand_pair float_operands();

  // translate_locals.cpp
  void set_local(std::uint32_t local);
  void tee_local(std::uint32_t local);
  void get_global(std::uint32_t global);
  void set_global(std::uint32_t global);
  void select();

  // translate_memory.cpp
  bool step_memory(const instruction& in);
  void load(op what, std::uint32_t size, value_class result, const instruction& in);
  void store(op what, std::uint32_t size, const instruction& in);
  bool is_sum_address(std::size_t at, const instruction& in);
  void read_address(draft& one, std::size_t at, std::uint64_t end, bool is_sum);
  void slow(op what, std::size_t operands, std::uint32_t index, std::uint64_t second = 0);
  void slow_with_result(op what, std::size_t operands, value_class result, std::uint32_t index);

  // translate_control.cpp
  bool step_control(const instruction& in);
  void begin_block(block_kind kind, const block_type& type);
  void begin_if(const block_type& type);
  void begin_try(const instruction& in);
  void else_block();
  void end_block();
  void end_body();
  void branch(std::uint32_t depth);
  void branch_if(std::uint32_t depth);
  void branch_table(const instruction& in);
  void emit_branch(block& to, bool is_last_read);
  void move_down(std::size_t to, std::size_t count, bool is_last_read);
  void emit_return(bool is_last_read);
  block& block_at(std::uint32_t depth) { return blocks_[blocks_.size() - 1 - depth]; }
  bool is_body(const block& one) const { return &one == blocks_.data(); }
  std::size_t branch_values(const block& one) const;
  void push_results(const block& one);
  void push_params(const block& one);

  // translate_conditions.cpp
  void emit_condition(bool wanted, std::int32_t label, bool is_back);
  bool fuse_condition(bool wanted, bool is_back);
  void fuse_count();
  void become_count(draft& one, op what, const source& limit);

  // translate_calls.cpp
  bool step_call(const instruction& in);
  void call(std::uint32_t function);
  void call_indirect(const instruction& in);
  void tail_call(std::uint32_t function);
  void tail_call_indirect(const instruction& in);
  void throw_tag(std::uint32_t tag);
  void throw_reference();
  void push_call_results(const func_type& type, std::int32_t call);
  draft call_draft(op what, std::size_t arguments);

  module_code& code_;
  const module_data& module_;
  const function_code& function_;
  const translate_options options_;
  const bool has_far_slots_;
  code_cursor in_;

  std::vector<value_class> locals_;
  std::vector<std::uint32_t> pending_locals_; // entries of each local on the operand stack
  std::int64_t pinned_ = -1;
  std::uint32_t temp_base_ = 0;
  std::size_t max_height_ = 0;

  std::vector<entry> stack_;
  std::size_t first_pending_ = 0; // no entry below is pending
  std::vector<block> blocks_;
  bool is_dead_ = false;
  std::uint32_t dead_depth_ = 0;
  bool has_ended_ = false;

  std::int32_t newest_ = -1;                             // R5: -1 behind a label
  std::array<std::int32_t, 3> accumulators_{-1, -1, -1}; // R2
  std::int32_t previous_ = -1;                           // the operation before the newest, with no label between
  std::int32_t displaced_ = -1;                          // what the newest operation put out of its accumulator
  translation out_;
};

/// The integer local that is worth keeping in a register, or -1.
std::int64_t choose_pinned_local(const module_data& module, std::uint32_t function,
                                 std::span<const value_class> locals);

/// Makes the final cells. The function's code is complete but not published.
void assemble(const translation& from, function_code& to);

} // namespace weir::wasm::detail
