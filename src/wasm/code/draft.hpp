// SPDX-License-Identifier: Apache-2.0
#pragma once

// The translator's data: cells in the making, the symbolic operand stack, open blocks.
#include "wasm/binary/instruction.hpp"
#include "wasm/code/cell.hpp"
#include "wasm/code/op.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::wasm::detail {

/// Which fields of a draft are slots, and what happens to them.
namespace slot_role {
inline constexpr std::uint8_t a_written = 1;
inline constexpr std::uint8_t a_read = 2;
inline constexpr std::uint8_t b_read = 4;
inline constexpr std::uint8_t c_read = 8;
inline constexpr std::uint8_t d_read = 16; // `c` and `d` share the cell's third field
inline constexpr std::uint8_t d_written = 32;
} // namespace slot_role

/// A cell before slots are known to fit it and targets have addresses.
struct draft {
  op what = op::data;
  operand b_kind = operand::slot;
  operand c_kind = operand::slot;
  target to = target::slot;
  value_class result = value_class::i32;
  bool has_result = false; // leaves it in the accumulator of that class
  bool can_move = false;   // the destination `a` may be changed to a local
  bool can_stay = false;   // the result may stay in the accumulator alone
  std::uint8_t roles = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
  std::uint64_t word = 0;
  std::int32_t label = -1; // whose address becomes the word
};

/// An operation that leaves a result in `slot` and may have it elsewhere.
inline draft value_draft(op what, value_class result, std::uint32_t slot) {
  draft one;
  one.what = what;
  one.roles = slot_role::a_written;
  one.a = slot;
  one.result = result;
  one.has_result = one.can_move = one.can_stay = true;
  return one;
}

/// Where an operand comes from.
struct source {
  operand kind = operand::slot;
  std::uint32_t slot = 0;
  std::uint64_t bits = 0; // of a constant
};

inline void read_b(draft& one, const source& from) {
  one.b_kind = from.kind;
  one.b = from.kind == operand::constant ? static_cast<std::uint16_t>(from.bits) : from.slot;
  if (from.kind == operand::slot) one.roles |= slot_role::b_read;
}

inline void read_c(draft& one, const source& from) {
  one.c_kind = from.kind;
  one.c = from.kind == operand::constant ? static_cast<std::uint32_t>(from.bits) : from.slot;
  if (from.kind == operand::slot) one.roles |= slot_role::c_read;
}

struct draft_clause {
  catch_clause clause;
  std::int32_t label = -1;
  std::uint32_t slot = 0;
};

struct draft_range {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<draft_clause> clauses;
};

enum class entry_kind : std::uint8_t { temp, constant, local, sum };

/// A value on the symbolic operand stack.
struct entry {
  entry_kind kind = entry_kind::temp;
  value_class type = value_class::i32;
  bool is_kept = false;         // must be in its slot although it may be in the accumulator too
  std::int32_t definition = -1; // of a temp: the draft that computes it, or -1
  std::uint64_t bits = 0;       // the constant, or the local's index
  std::uint32_t addend = 0;     // of a sum: what is added to the i32 local

  bool reads_local(std::uint64_t local) const {
    return (kind == entry_kind::local || kind == entry_kind::sum) && bits == local;
  }
};

enum class block_kind : std::uint8_t { body, plain, loop, then_arm, else_arm, guarded };

struct block {
  block_kind kind = block_kind::plain;
  bool is_label_used = false;
  std::size_t height = 0; // of the operand stack below the parameters
  block_type type;
  std::int32_t label = -1;
  std::int32_t else_label = -1;
  std::size_t range = 0; // of a guarded block, in translation::ranges
};

} // namespace weir::wasm::detail
