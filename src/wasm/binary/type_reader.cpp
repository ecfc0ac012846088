// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/type_reader.hpp"

namespace weir::wasm::detail {

void feature_gate::refuse(reader& in, std::uint64_t where, feature one, std::string_view what) {
  const bool is_known = (static_cast<std::uint32_t>(one) & feature_set::all().bits()) != 0;
  std::string message = std::string{to_string(one)} + ": " + std::string{what} +
                        (is_known ? " needs a feature that is switched off" : " needs a feature that is not supported");
  in.fail_at(where, errc::unsupported_feature, std::move(message));
  in.note_lacking(one);
}

std::string hex(std::uint8_t byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  return {digits[byte >> 4], digits[byte & 15]};
}

std::string unknown(const char* what, std::uint64_t index) {
  return std::string{"unknown "} + what + " " + std::to_string(index);
}

namespace {

constexpr std::uint8_t nullable_prefix = 0x63;
constexpr std::uint8_t non_null_prefix = 0x64;

// A type by its one-byte code; nothing when the byte names no type of any proposal.
struct named_type {
  value_type type;
  std::optional<feature> needed;
  const char* text;
};

std::optional<named_type> heap_type_of(std::uint8_t byte) {
  switch (byte) {
  case 0x70: return named_type{funcref, std::nullopt, "funcref"};
  case 0x6f: return named_type{externref, feature::reference_types, "externref"};
  case 0x69: return named_type{exnref, feature::exceptions, "exnref"};
  case 0x6e: return named_type{{}, feature::gc, "anyref"};
  case 0x6d: return named_type{{}, feature::gc, "eqref"};
  case 0x6c: return named_type{{}, feature::gc, "i31ref"};
  case 0x6b: return named_type{{}, feature::gc, "structref"};
  case 0x6a: return named_type{{}, feature::gc, "arrayref"};
  case 0x71: return named_type{{}, feature::gc, "nullref"};
  case 0x72: return named_type{{}, feature::gc, "nullexternref"};
  case 0x73: return named_type{{}, feature::gc, "nullfuncref"};
  case 0x74: return named_type{{}, feature::gc, "nullexnref"};
  case 0x68: return named_type{{}, feature::stack_switching, "contref"};
  case 0x75: return named_type{{}, feature::stack_switching, "nullcontref"};
  case 0x62: return named_type{{}, feature::custom_descriptors, "an exact type"};
  case 0x65: return named_type{{}, feature::threads, "a shared type"};
  default: return std::nullopt;
  }
}

value_type admitted(reader& in, feature_gate& gate, std::uint64_t where, const named_type& named) {
  if (named.needed && !gate.admit(in, where, *named.needed, named.text)) return {};
  return named.type;
}

// After the byte that says whether the reference may be null, or after ref.null.
value_type heap_type(reader& in, feature_gate& gate, const char* malformed) {
  const std::uint64_t where = in.offset();
  const std::uint8_t byte = in.peek();
  if (const auto named = heap_type_of(byte)) {
    in.u8();
    return admitted(in, gate, where, *named);
  }
  if (in.s33() < 0)
    in.fail_at(where, errc::malformed, malformed);
  else
    gate.admit(in, where, feature::function_references, "a reference to a type of the module");
  return {};
}

value_type reference_type(reader& in, feature_gate& gate, const char* malformed) {
  const std::uint64_t where = in.offset();
  const std::uint8_t byte = in.u8();
  if (byte == nullable_prefix) return heap_type(in, gate, malformed);
  if (byte == non_null_prefix) {
    const value_type type = heap_type(in, gate, malformed);
    if (!in.failed()) gate.admit(in, where, feature::function_references, "a reference that is never null");
    return type;
  }
  const auto named = heap_type_of(byte);
  if (!named) {
    if (!in.failed()) in.fail_at(where, errc::malformed, malformed);
    return {};
  }
  return admitted(in, gate, where, *named);
}

} // namespace

value_type read_value_type(reader& in, feature_gate& gate) {
  const std::uint8_t byte = in.peek();
  if (byte <= 0x7f && byte >= 0x7c) return value_type{in.u8()};
  if (byte == v128.code) {
    gate.admit(in, in.offset(), feature::simd, "v128");
    return {};
  }
  if (byte == funcref.code) gate.admit(in, in.offset(), feature::reference_types, "funcref as a value");
  return reference_type(in, gate, "malformed value type");
}

value_type read_reference_type(reader& in, feature_gate& gate) {
  return reference_type(in, gate, "malformed reference type");
}

value_type read_heap_type(reader& in, feature_gate& gate) { return heap_type(in, gate, "malformed heap type"); }

namespace {

std::optional<feature> feature_of(std::uint8_t byte, std::optional<std::uint32_t> number) {
  constexpr std::uint32_t last_simd = 0xff, last_relaxed_simd = 0x113, last_gc = 0x1e, last_descriptor = 0x26;
  switch (byte) {
  case 0xfb:
    return number <= last_gc           ? std::optional{feature::gc}
           : number <= last_descriptor ? std::optional{feature::custom_descriptors}
                                       : std::nullopt;
  case 0xfc: return number >= 0x13u && number <= 0x16u ? std::optional{feature::wide_arithmetic} : std::nullopt;
  case 0xfd:
    return number <= last_simd           ? std::optional{feature::simd}
           : number <= last_relaxed_simd ? std::optional{feature::relaxed_simd}
                                         : std::nullopt;
  case 0xfe: return number <= 0x4eu ? std::optional{feature::threads} : std::nullopt;
  default: return byte >= 0xe0 && byte <= 0xe6 ? std::optional{feature::stack_switching} : std::nullopt;
  }
}

} // namespace

void refuse_opcode(reader& in, feature_gate& gate, std::uint64_t where, std::uint8_t byte,
                   std::optional<std::uint32_t> number) {
  if (in.failed()) return;
  std::string code = hex(byte);
  if (number) code += " " + (*number < 0x100 ? hex(static_cast<std::uint8_t>(*number)) : std::to_string(*number));
  if (const auto needed = feature_of(byte, number)) {
    gate.admit(in, where, *needed, "instruction " + code);
    return;
  }
  in.fail_at(where, errc::malformed, "illegal opcode " + code);
}

} // namespace weir::wasm::detail
