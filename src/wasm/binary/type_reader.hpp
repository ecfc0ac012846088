// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of the format that the decoder and the body validator share: value types, and what to say about features
// and instructions that a module may not use.
#include "wasm/binary/module_data.hpp"
#include "wasm/binary/opcodes.hpp"
#include "wasm/binary/reader.hpp"

#include <weir/wasm/types.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::wasm::detail {

/// What a module may use and what it has used so far.
class feature_gate {
public:
  explicit feature_gate(feature_set allowed) : allowed_{allowed.bits() & feature_set::all().bits()} {}

  /// Notes the use of `one`; fails the reader with errc::unsupported_feature at `where` when that is not allowed.
  bool admit(reader& in, std::uint64_t where, feature one, std::string_view what) {
    const auto bit = static_cast<std::uint32_t>(one);
    used_ |= bit;
    if ((bit & ~allowed_) == 0) [[likely]]
      return true;
    refuse(in, where, one, what);
    return false;
  }

  feature_set allowed() const { return feature_set{allowed_}; }
  feature_set used() const { return feature_set{used_ & allowed_}; }

private:
  [[gnu::cold]] void refuse(reader& in, std::uint64_t where, feature one, std::string_view what);

  std::uint32_t allowed_;
  std::uint32_t used_ = 0;
};

/// Reads a value type.
value_type read_value_type(reader& in, feature_gate& gate);
/// Reads the type of a table's or an element segment's elements.
value_type read_reference_type(reader& in, feature_gate& gate);
/// Reads the immediate of ref.null and gives the type of its result.
value_type read_heap_type(reader& in, feature_gate& gate);

/// Fails the reader for an instruction that is not in opcode_table: an instruction of a proposal that is known by name
/// alone, or nothing at all. `number` is the second number of a prefixed instruction.
[[gnu::cold]] void refuse_opcode(reader& in, feature_gate& gate, std::uint64_t where, std::uint8_t byte,
                                 std::optional<std::uint32_t> number);

/// "ff" for 0xff.
std::string hex(std::uint8_t byte);
/// "unknown function 7".
std::string unknown(const char* what, std::uint64_t index);

} // namespace weir::wasm::detail
