// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir::wasm {

/// The type of a WebAssembly value: a number, a vector or a reference.
///
/// `code` is the byte of the binary format for the types that one byte names.
struct value_type {
  std::uint32_t code = 0;
  friend constexpr bool operator==(value_type, value_type) = default;
};

inline constexpr value_type i32{0x7f};
inline constexpr value_type i64{0x7e};
inline constexpr value_type f32{0x7d};
inline constexpr value_type f64{0x7c};
inline constexpr value_type v128{0x7b};
inline constexpr value_type funcref{0x70};
inline constexpr value_type externref{0x6f};
inline constexpr value_type exnref{0x69};

constexpr bool is_reference(value_type type) { return type == funcref || type == externref || type == exnref; }

/// The type's name in the text format, such as `i32`.
std::string to_string(value_type type);

/// What a function takes and returns.
struct func_type {
  std::vector<value_type> params;
  std::vector<value_type> results;
  friend bool operator==(const func_type&, const func_type&) = default;
};

/// The type in the text format's order, such as `(i32, i64) -> f32`.
std::string to_string(const func_type& type);

/// Sizes in pages of 64 KiB for a memory, in elements for a table.
struct limits {
  std::uint64_t min = 0;
  std::optional<std::uint64_t> max;
  friend bool operator==(const limits&, const limits&) = default;
};

/// What a table holds, and how much of it.
struct table_type {
  value_type element = funcref;
  limits size;
};

/// The size of a memory.
struct memory_type {
  limits pages;
};

/// What a global holds, and whether it may change.
struct global_type {
  value_type value = i32;
  bool is_mutable = false;
  friend constexpr bool operator==(global_type, global_type) = default;
};

enum class extern_kind : std::uint8_t { function, table, memory, global, tag };

/// `function`, `table`, `memory`, `global` or `tag`.
const char* to_string(extern_kind kind);

/// The proposals that go beyond the first version of core WebAssembly, one bit each.
enum class feature : std::uint32_t {
  mutable_global = 1u << 0,
  sign_extension = 1u << 1,
  saturating_float = 1u << 2,
  multi_value = 1u << 3,
  bulk_memory = 1u << 4,
  reference_types = 1u << 5,
  extended_const = 1u << 6,
  tail_call = 1u << 7,
  multi_memory = 1u << 8,
  exceptions = 1u << 9,
  // known by name only: a module that needs one of these is refused with that name
  simd = 1u << 16,
  relaxed_simd = 1u << 17,
  threads = 1u << 18,
  function_references = 1u << 19,
  gc = 1u << 20,
  memory64 = 1u << 21,
  legacy_exceptions = 1u << 22,
  custom_page_sizes = 1u << 23,
  wide_arithmetic = 1u << 24,
  stack_switching = 1u << 25,
  custom_descriptors = 1u << 26,
};

/// The feature's name in lower case with dashes, such as `bulk-memory`.
const char* to_string(feature one);

/// A set of features.
class feature_set {
public:
  constexpr feature_set() = default;
  constexpr explicit feature_set(std::uint32_t bits) : bits_{bits} {}
  constexpr void add(feature one) { bits_ |= static_cast<std::uint32_t>(one); }
  constexpr void remove(feature one) { bits_ &= ~static_cast<std::uint32_t>(one); }
  constexpr bool has(feature one) const { return (bits_ & static_cast<std::uint32_t>(one)) != 0; }
  constexpr std::uint32_t bits() const { return bits_; }
  /// Every feature this engine runs.
  static constexpr feature_set all() { return feature_set{(1u << 10) - 1}; }

private:
  std::uint32_t bits_ = 0;
};

/// What a module asks for; of the types, the one of its kind counts.
struct import_type {
  std::string module;
  std::string name;
  extern_kind kind = extern_kind::function;
  func_type function; // of a function or a tag
  table_type table;
  memory_type memory;
  global_type global;
};

/// What a module offers; of the types, the one of its kind counts.
struct export_type {
  std::string name;
  extern_kind kind = extern_kind::function;
  func_type function;
  table_type table;
  memory_type memory;
  global_type global;
};

} // namespace weir::wasm
