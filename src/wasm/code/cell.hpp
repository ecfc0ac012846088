// SPDX-License-Identifier: Apache-2.0
#pragma once

// The unit of translated code. A cell is an operation with up to three operands; some operations take a second cell,
// which holds a branch target, a 64-bit constant or further operands. Code is shared by all instances of a module, so
// no cell names an instance, a memory, a table or a global: handlers reach those through the state of the running
// activation.
#include <cstddef>
#include <cstdint>

namespace weir::wasm::detail {

struct cell {
  std::uintptr_t word = 0; // the handler; in a second cell a target, a constant or the address of a function's code
  std::uint16_t a = 0;     // usually the destination slot
  std::uint16_t b = 0;     // usually the first operand's slot
  std::uint32_t c = 0;     // the second operand's slot or an immediate

  std::uint16_t low() const { return static_cast<std::uint16_t>(c); }
  std::uint16_t high() const { return static_cast<std::uint16_t>(c >> 16); }
};
static_assert(sizeof(cell) == 16 && sizeof(std::uintptr_t) == 8);

/// The pointer that a word of a cell or a slot holds.
template <class T> [[gnu::always_inline]] inline T* to_pointer(std::uint64_t word) {
  return __builtin_bit_cast(T*, word);
}

/// Where an operation finds an operand. Float operations have `slot`, `constant` and `accumulator` alone.
enum class operand : std::uint8_t {
  slot,        // of the frame
  constant,    // in the cell
  accumulator, // the result of an earlier operation, still in a register
  local,       // the function's pinned local, in a register
};

/// Where an operation leaves its result. Every result is in the accumulator of its class as well.
enum class target : std::uint8_t {
  slot,
  accumulator, // nowhere else: one later operation takes it from there
  local,       // the pinned local's register and its slot
};

/// Which accumulator a value travels in.
enum class value_class : std::uint8_t { i32, i64, f32, f64 }; // references are i64

constexpr bool is_float(value_class one) { return one >= value_class::f32; }

/// The handlers of one operation by where its operands are: index with variant().
inline constexpr std::size_t variant_count = 48;
constexpr std::size_t variant(operand b, operand c, target d) {
  return static_cast<std::size_t>(b) + 4 * static_cast<std::size_t>(c) + 16 * static_cast<std::size_t>(d);
}

} // namespace weir::wasm::detail
