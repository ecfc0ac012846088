// SPDX-License-Identifier: Apache-2.0
#pragma once

// The instruction set as data: what the validator, the translator and the printers know about an opcode without a
// switch.
#include "wasm/binary/opcode_list.hpp"

#include <weir/wasm/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::wasm::detail {

/// An instruction. The value is the byte of the binary format, or 0x100 plus the second number for the 0xfc group.
enum class opcode : std::uint16_t {
#define WEIR_WASM_X(name, code, text, immediate, signature, feature) name = code,
  WEIR_WASM_OPCODES(WEIR_WASM_X)
#undef WEIR_WASM_X
};

/// What follows the opcode in the binary format, in the order of the format.
enum class immediate_kind : std::uint8_t {
  none,
  block,             // block type
  label,             // u32
  label_table,       // count, count labels, default label
  function,          // u32
  type,              // u32
  type_and_table,    // type u32, table u32
  value_types,       // count, count value types
  try_table,         // block type, count, count catch clauses
  tag,               // u32
  local,             // u32
  global,            // u32
  table,             // u32
  memory_argument,   // alignment with a flag for "memory index follows", [memory u32], offset u64
  memory,            // u32
  i32,               // s32
  i64,               // s64
  f32,               // 4 bytes
  f64,               // 8 bytes
  heap_type,         // s33
  data,              // u32
  element,           // u32
  data_and_memory,   // data u32, memory u32
  memory_and_memory, // destination u32, source u32
  element_and_table, // element u32, table u32
  table_and_table,   // destination u32, source u32
};

// clang-format off
/// The effect of an instruction on the operand stack; opcode_list.hpp explains the names.
enum class stack_signature : std::uint8_t {
  special, none,
  _i, _l, _f, _d,
  i_i, i_l, i_f, i_d, l_i, l_l, l_f, l_d, f_i, f_l, f_f, f_d, d_i, d_l, d_f, d_d,
  ii_i, ll_i, ff_i, dd_i, ll_l, ff_f, dd_d,
  ii_, il_, if_, id_, iii_,
};
// clang-format on

/// Stands where an instruction of the first version of WebAssembly has no feature to name.
struct no_feature {};
inline constexpr no_feature version_1;

constexpr feature_set needs(no_feature) { return {}; }
constexpr feature_set needs(feature one) { return feature_set{static_cast<std::uint32_t>(one)}; }

struct opcode_info {
  const char* text = nullptr; // null for a code that names nothing
  immediate_kind immediate = immediate_kind::none;
  stack_signature signature = stack_signature::special;
  feature_set needed{}; // none or one
};

inline constexpr std::size_t opcode_count = 0x112; // all values of `opcode` are less

consteval std::array<opcode_info, opcode_count> make_opcode_table() {
  std::array<opcode_info, opcode_count> table{};
  using enum feature;
#define WEIR_WASM_X(name, code, text, immediate, signature, needed)                                                    \
  table[code] = opcode_info{text, immediate_kind::immediate, stack_signature::signature, needs(needed)};
  WEIR_WASM_OPCODES(WEIR_WASM_X)
#undef WEIR_WASM_X
  return table;
}

inline constexpr std::array<opcode_info, opcode_count> opcode_table = make_opcode_table();

constexpr const opcode_info& info(opcode op) { return opcode_table[static_cast<std::size_t>(op)]; }

/// The instruction's name in the text format, such as `i32.add`.
constexpr const char* to_string(opcode op) { return info(op).text; }

/// Of a load or store: the binary logarithm of the bytes it accesses, which is also the largest legal alignment.
constexpr std::uint32_t access_size_log2(opcode op) {
  constexpr std::array<std::uint8_t, 23> sizes = {2, 3, 2, 3, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, // loads
                                                  2, 3, 2, 3, 0, 1, 0, 1, 2};               // stores
  return sizes[static_cast<std::size_t>(op) - static_cast<std::size_t>(opcode::i32_load)];
}

} // namespace weir::wasm::detail
