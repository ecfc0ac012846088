// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/body_validator.hpp"
#include "wasm/binary/instruction.hpp"

#include <algorithm>

namespace weir::wasm::detail {

namespace {

// A result type of one value needs an address; this is the byte `i` at index `i`.
constexpr std::array<std::uint8_t, 128> make_single_codes() {
  std::array<std::uint8_t, 128> codes{};
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(i);
  return codes;
}
constexpr std::array<std::uint8_t, 128> single_codes = make_single_codes();

type_codes single(value_type type) { return {&single_codes[type.code], 1}; }

bool are_equal(type_codes a, type_codes b) { return std::equal(a.data, a.data + a.size, b.data, b.data + b.size); }

} // namespace

void body_validator::control(opcode op) {
  switch (op) {
  case opcode::block:
  case opcode::loop: enter(op, block_type()); break;
  case opcode::if_: {
    const open_block block = block_type();
    pop(i32);
    enter(op, block);
    break;
  }
  case opcode::else_: begin_else(); break;
  case opcode::end: end(); break;
  case opcode::br: branch(); break;
  case opcode::br_if: branch_if(); break;
  case opcode::br_table: branch_table(); break;
  case opcode::return_:
    pop(stack_.block(stack_.depth() - 1).end_types());
    set_unreachable();
    break;
  case opcode::call:
  case opcode::return_call: call(op); break;
  case opcode::call_indirect:
  case opcode::return_call_indirect: call_indirect(op); break;
  case opcode::try_table: try_table(); break;
  case opcode::throw_: throw_tag(); break;
  case opcode::throw_ref:
    pop(exnref);
    set_unreachable();
    break;
  default: set_unreachable(); break; // unreachable
  }
}

open_block body_validator::block_type() {
  constexpr std::uint8_t empty = 0x40;
  const std::uint8_t first = in_.peek();
  if (first == empty) return in_.u8(), open_block{};
  if (first >= 0x41 && first <= 0x7f) {
    const value_type type = read_value_type(in_, gate_);
    return {single(type).data, 0, 1};
  }
  const std::int64_t index = in_.s33();
  if (in_.failed()) return {};
  if (index < 0) return in_.fail_at(where_, errc::malformed, "malformed block type"), open_block{};
  if (static_cast<std::uint64_t>(index) >= module_.types.size())
    return invalid(unknown("type", static_cast<std::uint64_t>(index))), open_block{};
  const flat_type& flat = module_.flat_types[static_cast<std::size_t>(index)];
  gate_.admit(in_, where_, feature::multi_value, "a block with a function type");
  return {module_.flat_codes.data() + flat.begin, static_cast<std::uint16_t>(flat.params),
          static_cast<std::uint16_t>(flat.results)};
}

void body_validator::enter(opcode kind, open_block block) {
  if (in_.failed()) return;
  pop(block.start_types());
  block.kind = kind;
  stack_.open(block);
  if (block.params != 0) push(block.start_types());
}

// The results are on top of the block's stack, and nothing else.
void body_validator::leave_block() {
  const type_codes out = stack_.innermost().end_types();
  std::uint8_t* const top = stack_.top();
  if (stack_.pop(out) && stack_.size() == 0) [[likely]]
    return;
  stack_.set_top(top);
  invalid("type mismatch: block requires " + to_string(out) + " but stack has " +
          to_string(stack_.visible(stack_.size())));
}

void body_validator::begin_else() {
  open_block& block = stack_.innermost();
  if (block.kind != opcode::if_)
    return in_.fail_at(where_, errc::malformed, "END opcode expected, not else outside if");
  leave_block();
  block.kind = opcode::else_;
  block.is_unreachable = false;
  if (block.params != 0) push(block.start_types());
}

void body_validator::end() {
  leave_block();
  const open_block block = stack_.innermost();
  if (block.kind == opcode::if_ && !are_equal(block.start_types(), block.end_types()))
    return invalid("type mismatch: if without else requires " + to_string(block.end_types()) + " but stack has " +
                   to_string(block.start_types()));
  stack_.close();
  if (stack_.depth() == 0) {
    if (!in_.at_end()) in_.fail(errc::malformed, "section size mismatch: more bytes after the end of the function");
    return;
  }
  if (block.results == 1)
    stack_.push(block.end_types().data[0]);
  else if (block.results != 0)
    push(block.end_types());
}

const open_block* body_validator::label() {
  const std::uint32_t index = in_.u32();
  if (index < stack_.depth()) [[likely]]
    return &stack_.block(index);
  invalid(unknown("label", index));
  return nullptr;
}

void body_validator::branch() {
  const open_block* target = label();
  if (!target) return;
  pop(target->label_types());
  set_unreachable();
}

void body_validator::branch_if() {
  const open_block* target = label();
  if (!target) return;
  pop(i32);
  const type_codes types = target->label_types();
  if (types.size == 0) return;
  pop(types);
  if (!in_.failed()) push(types);
}

void body_validator::branch_table() {
  const std::uint32_t count = in_.count();
  pop(i32);
  std::uint32_t arity = 0;
  const open_block* last = nullptr;
  for (std::uint64_t i = 0; i <= count && !in_.failed(); ++i) {
    const open_block* target = label();
    if (!target) return;
    if (target == last) continue;
    last = target;
    const type_codes types = target->label_types();
    if (i == 0) arity = types.size;
    if (types.size != arity)
      return invalid("type mismatch: labels of br_table carry " + std::to_string(arity) + " and " +
                     std::to_string(types.size) + " values");
    if (!stack_.matches(types)) return mismatch(types);
  }
  if (!in_.failed()) set_unreachable();
}

void body_validator::call(opcode op) {
  const std::uint32_t index = in_.u32();
  if (index >= module_.functions.size()) [[unlikely]]
    return invalid(unknown("function", index));
  finish_call(module_.functions[index], op == opcode::return_call);
}

void body_validator::call_indirect(opcode op) {
  const std::uint32_t type = in_.u32();
  const table_decl* table = table_index();
  if (!table) return;
  if (table->type.element != funcref)
    return invalid("type mismatch: instruction requires a table of funcref but table has " +
                   wasm::to_string(table->type.element));
  if (type >= module_.types.size()) return invalid(unknown("type", type));
  pop(i32);
  finish_call(type, op == opcode::return_call_indirect);
}

void body_validator::finish_call(std::uint32_t type, bool is_tail) {
  pop(params(type));
  const type_codes out = results(type);
  if (!is_tail) {
    if (out.size == 1) return stack_.push(out.data[0]);
    return out.size == 0 || in_.failed() ? void() : push(out);
  }
  const type_codes mine = stack_.block(stack_.depth() - 1).end_types();
  if (!are_equal(out, mine))
    return invalid("type mismatch: current function requires result type " + to_string(mine) + " but callee returns " +
                   to_string(out));
  if (!in_.failed()) set_unreachable();
}

void body_validator::try_table() {
  const open_block block = block_type();
  const std::uint32_t count = in_.count(2);
  for (std::uint32_t i = 0; i < count && !in_.failed(); ++i) catch_clause_at();
  enter(opcode::try_table, block);
}

// Checks that what the clause catches is what its label takes. Labels count from outside the try_table, which is not
// open yet.
void body_validator::catch_clause_at() {
  const std::uint8_t kind = in_.u8();
  if (kind > 3) return in_.fail_at(where_, errc::malformed, "malformed catch clause");
  const catch_clause clause{static_cast<catch_clause::form>(kind), 0, 0};
  std::vector<std::uint8_t> caught;
  if (clause.has_tag()) {
    const std::uint32_t tag = in_.u32();
    if (tag >= module_.tags.size()) return invalid(unknown("tag", tag));
    const type_codes values = params(module_.tags[tag]);
    caught.assign(values.data, values.data + values.size);
  }
  if (clause.has_reference()) caught.push_back(static_cast<std::uint8_t>(exnref.code));
  const open_block* target = label();
  if (!target) return;
  const type_codes given{caught.data(), static_cast<std::uint32_t>(caught.size())};
  if (!are_equal(given, target->label_types()))
    invalid("type mismatch: catch handler gives " + to_string(given) + " but its label takes " +
            to_string(target->label_types()));
}

void body_validator::throw_tag() {
  const std::uint32_t tag = in_.u32();
  if (tag >= module_.tags.size()) return invalid(unknown("tag", tag));
  pop(params(module_.tags[tag]));
  if (!in_.failed()) set_unreachable();
}

} // namespace weir::wasm::detail
