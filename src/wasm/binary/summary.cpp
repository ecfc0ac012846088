// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/summary.hpp"

#include <algorithm>
#include <array>

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

std::string section_name(const module_data& module, const section_range& section) {
  constexpr std::array<const char*, 14> names = {"custom", "type",   "import",     "function", "table",
                                                 "memory", "global", "export",     "start",    "element",
                                                 "code",   "data",   "data count", "tag"};
  if (section.id != 0) return names[section.id];
  const auto at = std::ranges::find(module.customs, section.end, &custom_section::end);
  return at == module.customs.end() ? names[0] : '"' + at->name + '"';
}

std::string function_name(const module_data& module, std::uint32_t index) {
  if (const std::string_view name = module.function_name(index); !name.empty()) return std::string{name};
  for (const module_export& one : module.exports)
    if (one.kind == extern_kind::function && one.index == index) return one.name;
  return {};
}

void add_functions(const module_data& module, module_summary& to) {
  to.functions.reserve(module.bodies.size());
  for (std::uint32_t i = 0; i < module.bodies.size(); ++i) {
    const function_body& body = module.bodies[i];
    function_summary one;
    one.index = module.imported_functions + i;
    one.name = function_name(module, one.index);
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
  for (const section_range& one : module.sections)
    summary.sections.push_back({section_name(module, one), one.end - one.begin});
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
