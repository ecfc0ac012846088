// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a model thread asks of the memory: one operation on one location, a fence, or a step of the threads themselves.

#include <atomic>
#include <cstdint>

namespace weir::check::detail {

using std::memory_order;

// The strength of an event, as independent bits.
inline constexpr std::uint8_t weak = 0;
inline constexpr std::uint8_t acquires = 1;
inline constexpr std::uint8_t releases = 2;
inline constexpr std::uint8_t sequential = 4;
inline constexpr std::uint8_t plain = 8;

/// The strength of a read (or a fence's acquire side) with this order. `consume` counts as `acquire`.
[[nodiscard]] constexpr std::uint8_t read_strength(memory_order order) noexcept {
  switch (order) {
  case memory_order::relaxed:
  case memory_order::release: return weak;
  case memory_order::seq_cst: return acquires | sequential;
  default: return acquires;
  }
}

/// The strength of a write (or a fence's release side) with this order.
[[nodiscard]] constexpr std::uint8_t write_strength(memory_order order) noexcept {
  switch (order) {
  case memory_order::release:
  case memory_order::acq_rel: return releases;
  case memory_order::seq_cst: return releases | sequential;
  default: return weak;
  }
}

enum class operation_kind : std::uint8_t {
  load,
  store,
  exchange,
  add,
  subtract,
  bit_and,
  bit_or,
  bit_xor,
  compare_exchange,
  fence,
  choose, // one of `operand` values, each explored
  spawn,  // starts thread `location`
  join,   // waits for the end of thread `location`, which has ended
  end,    // the last event of a thread
  mark,   // a place in the thread that something else refers to
};

struct operation {
  operation_kind kind = operation_kind::load;
  bool is_plain = false; // takes part in coherence only; never synchronises
  std::uint8_t bytes = 8;
  memory_order order = memory_order::seq_cst;
  memory_order failure = memory_order::seq_cst;
  std::int32_t location = 0;
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;
};

[[nodiscard]] constexpr std::uint64_t width_mask(std::uint8_t bytes) noexcept {
  return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8U * bytes)) - 1;
}

[[nodiscard]] constexpr bool is_read_modify_write(operation_kind kind) noexcept {
  return kind >= operation_kind::exchange && kind <= operation_kind::compare_exchange;
}

/// Whether the read part of an operation that read `value` is followed by a write.
[[nodiscard]] constexpr bool writes_after_reading(const operation& op, std::uint64_t value) noexcept {
  return is_read_modify_write(op.kind) && (op.kind != operation_kind::compare_exchange || value == op.expected);
}

/// What the write part of a read-modify-write stores after its read part read `value`.
[[nodiscard]] constexpr std::uint64_t modified(const operation& op, std::uint64_t value) noexcept {
  const std::uint64_t mask = width_mask(op.bytes);
  switch (op.kind) {
  case operation_kind::add: return (value + op.operand) & mask;
  case operation_kind::subtract: return (value - op.operand) & mask;
  case operation_kind::bit_and: return value & op.operand;
  case operation_kind::bit_or: return (value | op.operand) & mask;
  case operation_kind::bit_xor: return (value ^ op.operand) & mask;
  default: return op.operand;
  }
}

} // namespace weir::check::detail
