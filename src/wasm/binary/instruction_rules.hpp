// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the validator needs of each instruction, eight bytes a row.
#include "wasm/binary/opcodes.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace weir::wasm::detail {

/// How an instruction is validated.
enum class rule_kind : std::uint8_t {
  illegal, // not an instruction, or one known by name alone
  // By the row alone; what the immediate is comes second.
  unary,
  binary,
  nothing,
  const_i32,
  const_i64,
  const_f32,
  const_f64,
  load,
  store,
  memory_use,
  // By a function.
  local,
  control,
  special,
  bulk,
};

struct instruction_rule {
  rule_kind kind = rule_kind::illegal;
  std::uint8_t operands = 0;
  std::array<std::uint8_t, 3> operand{};
  std::uint8_t result = 0; // 0: none
  std::uint8_t align = 0;  // loads and stores: the largest, as a binary logarithm
  std::uint8_t needed = 0; // number of the feature's bit plus one; 0: none
};

namespace detail_rules {

consteval instruction_rule with_effect(std::initializer_list<std::uint8_t> operands, std::uint8_t result) {
  instruction_rule rule;
  for (std::uint8_t one : operands) rule.operand[rule.operands++] = one;
  rule.result = result;
  return rule;
}

consteval instruction_rule effect_of(stack_signature signature) {
  constexpr std::uint8_t i = 0x7f, l = 0x7e, f = 0x7d, d = 0x7c;
  switch (signature) {
  case stack_signature::special:
  case stack_signature::none: return {};
  case stack_signature::_i: return with_effect({}, i);
  case stack_signature::_l: return with_effect({}, l);
  case stack_signature::_f: return with_effect({}, f);
  case stack_signature::_d: return with_effect({}, d);
  case stack_signature::i_i: return with_effect({i}, i);
  case stack_signature::i_l: return with_effect({i}, l);
  case stack_signature::i_f: return with_effect({i}, f);
  case stack_signature::i_d: return with_effect({i}, d);
  case stack_signature::l_i: return with_effect({l}, i);
  case stack_signature::l_l: return with_effect({l}, l);
  case stack_signature::l_f: return with_effect({l}, f);
  case stack_signature::l_d: return with_effect({l}, d);
  case stack_signature::f_i: return with_effect({f}, i);
  case stack_signature::f_l: return with_effect({f}, l);
  case stack_signature::f_f: return with_effect({f}, f);
  case stack_signature::f_d: return with_effect({f}, d);
  case stack_signature::d_i: return with_effect({d}, i);
  case stack_signature::d_l: return with_effect({d}, l);
  case stack_signature::d_f: return with_effect({d}, f);
  case stack_signature::d_d: return with_effect({d}, d);
  case stack_signature::ii_i: return with_effect({i, i}, i);
  case stack_signature::ll_i: return with_effect({l, l}, i);
  case stack_signature::ff_i: return with_effect({f, f}, i);
  case stack_signature::dd_i: return with_effect({d, d}, i);
  case stack_signature::ll_l: return with_effect({l, l}, l);
  case stack_signature::ff_f: return with_effect({f, f}, f);
  case stack_signature::dd_d: return with_effect({d, d}, d);
  case stack_signature::ii_: return with_effect({i, i}, 0);
  case stack_signature::il_: return with_effect({i, l}, 0);
  case stack_signature::if_: return with_effect({i, f}, 0);
  case stack_signature::id_: return with_effect({i, d}, 0);
  case stack_signature::iii_: return with_effect({i, i, i}, 0);
  }
  return {};
}

consteval rule_kind kind_of(opcode op, const opcode_info& row) {
  switch (row.immediate) {
  case immediate_kind::local: return rule_kind::local;
  case immediate_kind::memory_argument: return op >= opcode::i32_store ? rule_kind::store : rule_kind::load;
  case immediate_kind::memory: return op == opcode::memory_fill ? rule_kind::bulk : rule_kind::memory_use;
  case immediate_kind::i32: return rule_kind::const_i32;
  case immediate_kind::i64: return rule_kind::const_i64;
  case immediate_kind::f32: return rule_kind::const_f32;
  case immediate_kind::f64: return rule_kind::const_f64;
  default: break;
  }
  if (op < opcode::drop) return op == opcode::nop ? rule_kind::nothing : rule_kind::control;
  if (op == opcode::try_table) return rule_kind::control;
  if (op >= opcode::memory_init || op == opcode::table_get || op == opcode::table_set) return rule_kind::bulk;
  if (row.signature == stack_signature::special) return rule_kind::special;
  return effect_of(row.signature).operands == 1 ? rule_kind::unary : rule_kind::binary;
}

consteval std::array<instruction_rule, opcode_count> make() {
  std::array<instruction_rule, opcode_count> rules{};
  for (std::size_t code = 0; code < opcode_count; ++code) {
    const opcode_info& row = opcode_table[code];
    if (!row.text) continue;
    const auto op = static_cast<opcode>(code);
    instruction_rule rule = effect_of(row.signature);
    rule.kind = kind_of(op, row);
    if (row.immediate == immediate_kind::memory_argument) rule.align = static_cast<std::uint8_t>(access_size_log2(op));
    if (row.needed.bits() != 0) rule.needed = static_cast<std::uint8_t>(std::countr_zero(row.needed.bits()) + 1);
    rules[code] = rule;
  }
  return rules;
}

} // namespace detail_rules

inline constexpr std::array<instruction_rule, opcode_count> instruction_rules = detail_rules::make();

} // namespace weir::wasm::detail
