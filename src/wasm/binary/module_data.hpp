// SPDX-License-Identifier: Apache-2.0
#pragma once

// A decoded module. Written by the decoder alone and never changed after validation, so any number of threads read it.
#include <weir/wasm/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::wasm::detail {

/// One instruction of a constant expression.
struct const_instruction {
  enum class op : std::uint8_t {
    i32_const,
    i64_const,
    f32_const,
    f64_const, // `bits` is the value
    global_get,
    ref_func, // `bits` is the index
    ref_null, // `bits` is the value_type's code
    i32_add,
    i32_sub,
    i32_mul,
    i64_add,
    i64_sub,
    i64_mul,
  };
  op code = op::i32_const;
  std::uint64_t bits = 0;
  std::uint64_t declared_at = 0; // byte offset in the file
};

/// A constant expression in postfix order; nearly all have one instruction.
using const_expression = std::vector<const_instruction>;

struct module_import {
  std::string module;
  std::string name;
  extern_kind kind = extern_kind::function;
  std::uint32_t index = 0; // in the index space of `kind`
  std::uint64_t offset = 0;
};

struct module_export {
  std::string name;
  extern_kind kind = extern_kind::function;
  std::uint32_t index = 0;
  std::uint64_t declared_at = 0;
};

/// A run of locals of one type, as the code section groups them.
struct local_run {
  std::uint32_t count = 0;
  value_type type;
};

/// A function body; `begin` and `end` are byte offsets in the file and enclose the instructions after the local
/// declarations, the final `end` included.
struct function_body {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::vector<local_run> locals;
};

struct table_decl {
  table_type type;
  const_expression init; // empty: null
  std::uint64_t declared_at = 0;
};

struct global_decl {
  global_type type;
  const_expression init; // empty for an import
  std::uint64_t declared_at = 0;
};

enum class segment_mode : std::uint8_t { active, passive, declarative };

struct element_segment {
  segment_mode mode = segment_mode::passive;
  std::uint32_t table = 0;
  const_expression offset;
  value_type type = funcref;
  std::vector<std::uint32_t> functions;      // when `expressions` is empty
  std::vector<const_expression> expressions; // else one each
  std::uint64_t declared_at = 0;
  std::size_t size() const { return expressions.empty() ? functions.size() : expressions.size(); }
};

struct data_segment {
  segment_mode mode = segment_mode::passive;
  std::uint32_t memory = 0;
  const_expression offset;
  std::uint64_t begin = 0; // byte offsets of the contents in the file
  std::uint64_t end = 0;
  std::uint64_t declared_at = 0;
};

/// A section of the file without its id and size.
struct section_range {
  std::uint8_t id = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// A function type as bytes: the codes of the parameters, then those of the results, in module_data::flat_codes.
struct flat_type {
  std::uint32_t begin = 0;
  std::uint32_t params = 0;
  std::uint32_t results = 0;
};

struct custom_section {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct module_data {
  std::vector<std::byte> bytes; // the whole file; offsets index it
  std::string name;             // from the name section, else what the caller called it

  std::vector<func_type> types;
  std::vector<std::uint32_t> type_ids; // engine-wide identity of each type: equal ids, equal types
  std::vector<flat_type> flat_types;   // the same types for quick comparison of stacks
  std::vector<std::uint8_t> flat_codes;

  std::vector<module_import> imports;
  std::vector<module_export> exports;

  // Index spaces; the first of each are the imported ones.
  std::vector<std::uint32_t> functions; // type index of each
  std::vector<table_decl> tables;
  std::vector<memory_type> memories;
  std::vector<global_decl> globals;
  std::vector<std::uint32_t> tags; // type index of each
  std::uint32_t imported_functions = 0;
  std::uint32_t imported_tables = 0;
  std::uint32_t imported_memories = 0;
  std::uint32_t imported_globals = 0;
  std::uint32_t imported_tags = 0;

  std::vector<function_body> bodies; // of functions[imported_functions + i]
  std::vector<element_segment> elements;
  std::vector<data_segment> data;
  std::optional<std::uint32_t> data_count;
  std::optional<std::uint32_t> start;
  std::uint64_t start_declared_at = 0;
  std::vector<bool> declared_functions; // may be named by ref.func inside a body

  std::vector<custom_section> customs;
  std::vector<std::pair<std::uint32_t, std::string>> function_names; // sorted by index
  std::vector<section_range> sections;                               // in the order of the file, custom ones included
  feature_set allowed;                                               // what the module may use
  feature_set used; // what it does use; complete once all bodies have been validated

  const func_type& function_type(std::uint32_t function) const { return types[functions[function]]; }
  std::uint32_t function_type_id(std::uint32_t function) const { return type_ids[functions[function]]; }
  const function_body& body(std::uint32_t function) const { return bodies[function - imported_functions]; }
  /// The function's name from the name section, or nothing.
  std::string_view function_name(std::uint32_t function) const {
    const auto at =
        std::ranges::lower_bound(function_names, function, {}, &std::pair<std::uint32_t, std::string>::first);
    return at != function_names.end() && at->first == function ? std::string_view{at->second} : std::string_view{};
  }
  std::span<const std::byte> slice(std::uint64_t begin, std::uint64_t end) const {
    return std::span{bytes}.subspan(begin, end - begin);
  }
};

} // namespace weir::wasm::detail
