// SPDX-License-Identifier: Apache-2.0
#include <weir/wasm/types.hpp>

#include <cstddef>

namespace weir::wasm {

std::string to_string(value_type type) {
  switch (type.code) {
  case i32.code: return "i32";
  case i64.code: return "i64";
  case f32.code: return "f32";
  case f64.code: return "f64";
  case v128.code: return "v128";
  case funcref.code: return "funcref";
  case externref.code: return "externref";
  case exnref.code: return "exnref";
  default: return "type " + std::to_string(type.code);
  }
}

namespace {

std::string join(const std::vector<value_type>& types) {
  std::string text;
  for (value_type one : types) {
    if (!text.empty()) text += ", ";
    text += to_string(one);
  }
  return text;
}

} // namespace

std::string to_string(const func_type& type) {
  const std::string results = join(type.results);
  return "(" + join(type.params) + ") -> " + (type.results.size() == 1 ? results : "(" + results + ")");
}

const char* to_string(extern_kind kind) {
  switch (kind) {
  case extern_kind::function: return "function";
  case extern_kind::table: return "table";
  case extern_kind::memory: return "memory";
  case extern_kind::global: return "global";
  case extern_kind::tag: return "tag";
  }
  return "unknown";
}

const char* to_string(feature one) {
  switch (one) {
  case feature::mutable_global: return "mutable-global";
  case feature::sign_extension: return "sign-extension";
  case feature::saturating_float: return "saturating-float";
  case feature::multi_value: return "multi-value";
  case feature::bulk_memory: return "bulk-memory";
  case feature::reference_types: return "reference-types";
  case feature::extended_const: return "extended-const";
  case feature::tail_call: return "tail-call";
  case feature::multi_memory: return "multi-memory";
  case feature::exceptions: return "exceptions";
  case feature::simd: return "simd";
  case feature::relaxed_simd: return "relaxed-simd";
  case feature::threads: return "threads";
  case feature::function_references: return "function-references";
  case feature::gc: return "gc";
  case feature::memory64: return "memory64";
  case feature::legacy_exceptions: return "legacy-exceptions";
  case feature::custom_page_sizes: return "custom-page-sizes";
  case feature::wide_arithmetic: return "wide-arithmetic";
  case feature::stack_switching: return "stack-switching";
  case feature::custom_descriptors: return "custom-descriptors";
  }
  return "unknown";
}

} // namespace weir::wasm
