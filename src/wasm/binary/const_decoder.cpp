// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/module_decoder.hpp"

namespace weir::wasm::detail {

const_expression module_decoder::constant(reader& in) {
  const_expression expression;
  while (!in.failed() && const_instruction_at(in, expression)) {
  }
  return expression;
}

// False after the final `end` and after a failure.
bool module_decoder::const_instruction_at(reader& in, const_expression& to) {
  using op = const_instruction::op;
  const std::uint64_t where = in.offset();
  const std::uint8_t byte = in.u8();
  const auto add = [&](op code, std::uint64_t bits) {
    to.push_back({code, bits, where});
    return !in.failed();
  };
  const auto arithmetic = [&](op code) {
    gate_.admit(in, where, feature::extended_const, "arithmetic in a constant expression");
    return add(code, 0);
  };
  switch (static_cast<opcode>(byte)) {
  case opcode::end: return false;
  case opcode::i32_const: return add(op::i32_const, static_cast<std::uint32_t>(in.s32()));
  case opcode::i64_const: return add(op::i64_const, static_cast<std::uint64_t>(in.s64()));
  case opcode::f32_const: return add(op::f32_const, in.fixed_u32());
  case opcode::f64_const: return add(op::f64_const, in.fixed_u64());
  case opcode::global_get: return add(op::global_get, in.u32());
  case opcode::ref_func:
    gate_.admit(in, where, feature::reference_types, "ref.func");
    return add(op::ref_func, in.u32());
  case opcode::ref_null:
    gate_.admit(in, where, feature::reference_types, "ref.null");
    return add(op::ref_null, read_heap_type(in, gate_).code);
  case opcode::i32_add: return arithmetic(op::i32_add);
  case opcode::i32_sub: return arithmetic(op::i32_sub);
  case opcode::i32_mul: return arithmetic(op::i32_mul);
  case opcode::i64_add: return arithmetic(op::i64_add);
  case opcode::i64_sub: return arithmetic(op::i64_sub);
  case opcode::i64_mul: return arithmetic(op::i64_mul);
  default: not_constant(in, where, byte); return false;
  }
}

void module_decoder::not_constant(reader& in, std::uint64_t where, std::uint8_t byte) {
  if (in.failed()) return;
  const bool has_number = byte >= 0xfb && byte <= 0xfe;
  const std::uint32_t number = has_number ? in.u32() : 0;
  const std::size_t index = byte == 0xfc ? 0x100 + std::size_t{number} : byte;
  const bool is_known = (byte < 0xfb || byte == 0xfc) && index < opcode_count && opcode_table[index].text;
  if (is_known)
    in.fail_at(where, errc::invalid, std::string{"constant expression required, not "} + opcode_table[index].text);
  else
    refuse_opcode(in, gate_, where, byte, has_number ? std::optional{number} : std::nullopt);
}

} // namespace weir::wasm::detail
