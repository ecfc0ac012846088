// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/summary.hpp"

#include <array>
#include <string_view>
#include <unordered_map>

namespace weir::wasm::detail {

namespace {

// Fills the fields that imports and exports share.
template <class Type> void describe(const module_data& module, std::uint32_t index, Type& to) {
  switch (to.kind) {
  case extern_kind::function: to.function = module.function_type(index); break;
  case extern_kind::table: to.table = module.tables[index].type; break;
  case extern_kind::memory: to.memory = module.memories[index]; break;
  case extern_kind::global: to.global = module.globals[index].type; break;
  case extern_kind::tag: to.function = module.types[module.tags[index]]; break;
  }
}

// Custom sections are in `customs` in the order of the file, so the summary walks both lists together.
void add_sections(const module_data& module, module_summary& to) {
  constexpr std::array<const char*, 14> names = {"custom", "type",   "import",     "function", "table",
                                                 "memory", "global", "export",     "start",    "element",
                                                 "code",   "data",   "data count", "tag"};
  auto custom = module.customs.begin();
  for (const section_range& one : module.sections) {
    const bool has_name = one.id == 0 && custom != module.customs.end();
    to.sections.push_back({has_name ? '"' + (custom++)->name + '"' : names[one.id], one.end - one.begin});
  }
}

// The first exported name of each function that has one.
std::unordered_map<std::uint32_t, std::string_view> exported_names(const module_data& module) {
  std::unordered_map<std::uint32_t, std::string_view> names;
  for (const module_export& one : module.exports)
    if (one.kind == extern_kind::function) names.try_emplace(one.index, one.name);
  return names;
}

void add_functions(const module_data& module, module_summary& to) {
  const auto exported = exported_names(module);
  to.functions.reserve(module.bodies.size());
  for (std::uint32_t i = 0; i < module.bodies.size(); ++i) {
    const function_body& body = module.bodies[i];
    function_summary one;
    one.index = module.imported_functions + i;
    one.name = module.function_name(one.index);
    if (const auto at = exported.find(one.index); one.name.empty() && at != exported.end()) one.name = at->second;
    one.size = body.end - body.begin;
    for (const local_run& run : body.locals) one.locals += run.count;
    to.code_size += one.size;
    to.functions.push_back(std::move(one));
  }
}

} // namespace

std::vector<import_type> import_types(const module_data& module) {
  std::vector<import_type> types;
  types.reserve(module.imports.size());
  for (const module_import& one : module.imports) {
    import_type type;
    type.module = one.module;
    type.name = one.name;
    type.kind = one.kind;
    describe(module, one.index, type);
    types.push_back(std::move(type));
  }
  return types;
}

std::vector<export_type> export_types(const module_data& module) {
  std::vector<export_type> types;
  types.reserve(module.exports.size());
  for (const module_export& one : module.exports) {
    export_type type;
    type.name = one.name;
    type.kind = one.kind;
    describe(module, one.index, type);
    types.push_back(std::move(type));
  }
  return types;
}

std::vector<std::string> feature_names(feature_set features) {
  std::vector<std::string> names;
  for (unsigned bit = 0; bit < 32; ++bit)
    if (features.bits() >> bit & 1u) names.emplace_back(to_string(feature{1u << bit}));
  return names;
}

module_summary summarise(const module_data& module) {
  module_summary summary;
  summary.name = module.name;
  summary.size = module.bytes.size();
  summary.imports = import_types(module);
  summary.exports = export_types(module);
  summary.features = module.used;
  add_sections(module, summary);
  add_functions(module, summary);
  for (const data_segment& one : module.data) summary.data_size += one.end - one.begin;
  summary.types = module.types.size();
  summary.tables = module.tables.size();
  summary.memories = module.memories.size();
  summary.globals = module.globals.size();
  summary.tags = module.tags.size();
  summary.element_segments = module.elements.size();
  summary.data_segments = module.data.size();
  summary.imported_functions = module.imported_functions;
  return summary;
}

} // namespace weir::wasm::detail
