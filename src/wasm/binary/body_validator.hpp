// SPDX-License-Identifier: Apache-2.0
#pragma once

// One pass over a function body with a stack of types. What most instructions do is a row of a table
// (instruction_rules.hpp); the others have a function each. Nothing is allocated per instruction, and one validator
// serves all bodies of a module.
#include "wasm/binary/module_data.hpp"
#include "wasm/binary/operand_stack.hpp"
#include "wasm/binary/reader.hpp"
#include "wasm/binary/type_reader.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weir::wasm::detail {

struct instruction_rule;

class body_validator {
public:
  body_validator(const module_data& module, feature_gate& gate, failure_sink& sink);

  /// Validates the body of a function that is not imported; false once the sink has failed.
  bool check(std::uint32_t function);

private:
  // body_validator.cpp: the loop, and the instructions whose operands alone matter
  void instruction_at();
  void missing_end(std::uint64_t body_end);
  const instruction_rule* rule_at(std::uint8_t byte);
  void effect_slowly(const instruction_rule& rule);
  void memory_argument(const instruction_rule& rule);
  void special(opcode op);
  void local(opcode op);
  void global(opcode op);
  void select();
  void select_typed();
  void references(opcode op);
  std::uint32_t memory_index();

  // control_validator.cpp: blocks, branches, calls, exceptions
  void control(opcode op);
  open_block block_type();
  void enter(opcode kind, open_block block);
  void begin_else();
  void end();
  void leave_block();
  void branch();
  void branch_if();
  void branch_table();
  void call(opcode op);
  void call_indirect(opcode op);
  void finish_call(std::uint32_t type, bool is_tail);
  void try_table();
  void catch_clause_at();
  void throw_tag();
  const open_block* label();

  // bulk_validator.cpp: tables, segments and copies
  void bulk(opcode op);
  const table_decl* table_index();
  const element_segment* element_index();
  void check_data(std::uint32_t index);
  void memory_init();
  void table_access(opcode op);
  void table_copy();
  void table_init();

  // shared
  type_codes params(std::uint32_t type) const {
    const flat_type& flat = module_.flat_types[type];
    return {module_.flat_codes.data() + flat.begin, flat.params};
  }
  type_codes results(std::uint32_t type) const {
    const flat_type& flat = module_.flat_types[type];
    return {module_.flat_codes.data() + flat.begin + flat.params, flat.results};
  }
  void set_unreachable() {
    stack_.drop_all();
    stack_.innermost().is_unreachable = true;
  }
  void pop(type_codes types) {
    if (!stack_.pop(types)) [[unlikely]]
      mismatch(types);
  }
  void pop(std::uint8_t code) {
    if (!stack_.pop(code)) [[unlikely]]
      mismatch({&code, 1});
  }
  void pop(value_type type) { pop(static_cast<std::uint8_t>(type.code)); }
  void push(value_type type) { stack_.push(static_cast<std::uint8_t>(type.code)); }
  void push(type_codes types);
  [[gnu::cold, gnu::noinline]] void mismatch(type_codes wanted);
  [[gnu::cold, gnu::noinline]] void invalid(std::string message);

  const module_data& module_;
  feature_gate& gate_;
  failure_sink& sink_;
  reader in_;
  std::uint64_t where_ = 0; // byte offset of the instruction being validated
  operand_stack stack_;
  std::vector<std::uint8_t> locals_; // parameters first
  std::uint32_t function_ = 0;
};

} // namespace weir::wasm::detail
