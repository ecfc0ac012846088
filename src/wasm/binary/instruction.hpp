// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the instructions of a body that has passed validation: no bounds, no checks of any kind.
#include "wasm/binary/module_data.hpp"
#include "wasm/binary/opcodes.hpp"

#include <cstdint>
#include <cstring>

namespace weir::wasm::detail {

/// A cursor over trusted bytes.
class code_cursor {
public:
  code_cursor() = default;
  explicit code_cursor(const std::uint8_t* at) : at_{at} {}

  const std::uint8_t* position() const { return at_; }
  std::uint8_t u8() { return *at_++; }
  std::uint8_t peek() const { return *at_; }
  std::uint32_t u32() { return *at_ < 0x80 ? *at_++ : static_cast<std::uint32_t>(long_unsigned()); }
  std::uint64_t u64() { return *at_ < 0x80 ? *at_++ : long_unsigned(); }
  std::int32_t s32() { return static_cast<std::int32_t>(s64()); }
  std::int64_t s33() { return s64(); }
  std::int64_t s64() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t byte;
    do {
      byte = *at_++;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      shift += 7;
    } while (byte & 0x80);
    if (shift >= 64) return static_cast<std::int64_t>(value);
    return static_cast<std::int64_t>(value << (64 - shift)) >> (64 - shift);
  }
  std::uint32_t fixed_u32() { return fixed<std::uint32_t>(); }
  std::uint64_t fixed_u64() { return fixed<std::uint64_t>(); }
  value_type type() { return wide_type(u8()); }
  opcode op() {
    const std::uint8_t byte = u8();
    return static_cast<opcode>(byte == 0xfc ? 0x100 + u32() : byte);
  }

  /// Of a type whose first byte was `first`: 0x63 announces the long form `(ref null HEAP_TYPE)`, whose second byte is
  /// the short form of the same type.
  value_type wide_type(std::uint8_t first) { return value_type{first == 0x63 ? u8() : first}; }

private:
  std::uint64_t long_unsigned() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t byte;
    do {
      byte = *at_++;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      shift += 7;
    } while (byte & 0x80);
    return value;
  }
  template <class Word> Word fixed() {
    Word word;
    std::memcpy(&word, at_, sizeof word);
    at_ += sizeof word;
    return word;
  }

  const std::uint8_t* at_ = nullptr;
};

/// The type of a block: none to none, none to one value, or a function type of the module.
struct block_type {
  enum class form : std::uint8_t { empty, value, function };
  form kind = form::empty;
  std::uint32_t index = 0; // form::function: type index
  value_type value{};      // form::value: the result

  std::size_t param_count(const module_data& module) const {
    return kind == form::function ? module.types[index].params.size() : 0;
  }
  std::size_t result_count(const module_data& module) const {
    return kind == form::function ? module.types[index].results.size() : kind == form::value ? 1 : 0;
  }
  value_type param(const module_data& module, std::size_t i) const { return module.types[index].params[i]; }
  value_type result(const module_data& module, std::size_t i) const {
    return kind == form::function ? module.types[index].results[i] : value;
  }
};

inline block_type read_block_type(code_cursor& in) {
  const std::uint8_t first = in.peek();
  if (first == 0x40) return in.u8(), block_type{};
  if (first >= 0x41 && first < 0x80) return {block_type::form::value, 0, in.type()};
  return {block_type::form::function, static_cast<std::uint32_t>(in.s33()), {}};
}

/// One clause of try_table. The label counts from the try_table's own outside: 0 is the block around it.
struct catch_clause {
  enum class form : std::uint8_t { tag, tag_and_reference, all, all_and_reference };
  form kind = form::all;
  std::uint32_t tag = 0;
  std::uint32_t label = 0;
  bool has_tag() const { return kind == form::tag || kind == form::tag_and_reference; }
  bool has_reference() const { return kind == form::tag_and_reference || kind == form::all_and_reference; }
};

inline catch_clause read_catch_clause(code_cursor& in) {
  catch_clause clause;
  clause.kind = static_cast<catch_clause::form>(in.u8());
  if (clause.has_tag()) clause.tag = in.u32();
  clause.label = in.u32();
  return clause;
}

/// An instruction with its immediates.
struct instruction {
  opcode op = opcode::nop;
  std::uint32_t index = 0; // the first index: label, function, type, local, global, table, memory, tag, data, element;
                           // of copies the destination; of ref.null the type's code
  std::uint32_t second =
      0; // the second index: table of call_indirect and table.init, memory of memory.init, source of copies
  std::uint32_t align = 0; // memory_argument: binary logarithm
  std::uint64_t bits = 0;  // constants: the value, an i32 zero-extended; memory_argument: the offset
  block_type block;        // block, try_table
  std::uint32_t count = 0; // label_table: labels without the default; try_table: clauses; value_types: types
  code_cursor list;        // at the first of them; the default label follows the last label
};

namespace detail_instruction {

inline void read_memory_argument(code_cursor& in, instruction& out) {
  const std::uint32_t flags = in.u32();
  out.align = flags & ~0x40u;
  out.index = flags & 0x40u ? in.u32() : 0;
  out.bits = in.u64();
}

inline void read_list(code_cursor& in, instruction& out, immediate_kind kind) {
  out.count = in.u32();
  out.list = in;
  for (std::uint32_t i = 0; i < out.count; ++i) {
    if (kind == immediate_kind::label_table)
      in.u32();
    else if (kind == immediate_kind::try_table)
      read_catch_clause(in);
    else
      out.index = in.type().code; // select has one type
  }
  if (kind == immediate_kind::label_table) in.u32();
}

} // namespace detail_instruction

/// Reads one instruction and leaves the cursor behind all of its immediates.
inline instruction read_instruction(code_cursor& in) {
  instruction out;
  out.op = in.op();
  const immediate_kind kind = info(out.op).immediate;
  switch (kind) {
  case immediate_kind::none: break;
  case immediate_kind::block: out.block = read_block_type(in); break;
  case immediate_kind::try_table:
    out.block = read_block_type(in);
    detail_instruction::read_list(in, out, kind);
    break;
  case immediate_kind::label_table:
  case immediate_kind::value_types: detail_instruction::read_list(in, out, kind); break;
  case immediate_kind::memory_argument: detail_instruction::read_memory_argument(in, out); break;
  case immediate_kind::i32: out.bits = static_cast<std::uint32_t>(in.s32()); break;
  case immediate_kind::i64: out.bits = static_cast<std::uint64_t>(in.s64()); break;
  case immediate_kind::f32: out.bits = in.fixed_u32(); break;
  case immediate_kind::f64: out.bits = in.fixed_u64(); break;
  case immediate_kind::heap_type: out.index = in.u8(); break;
  case immediate_kind::type_and_table:
  case immediate_kind::data_and_memory:
  case immediate_kind::memory_and_memory:
  case immediate_kind::element_and_table:
  case immediate_kind::table_and_table:
    out.index = in.u32();
    out.second = in.u32();
    break;
  default: out.index = in.u32(); break;
  }
  return out;
}

/// Moves the cursor behind one instruction.
inline void skip_instruction(code_cursor& in) { read_instruction(in); }

/// A cursor at the first instruction of a function's body; the body ends at `module.body(function).end`.
inline code_cursor body_cursor(const module_data& module, std::uint32_t function) {
  return code_cursor{reinterpret_cast<const std::uint8_t*>(module.bytes.data()) + module.body(function).begin};
}

} // namespace weir::wasm::detail
