// SPDX-License-Identifier: Apache-2.0
#include "inspect/description.hpp"

#include "support/units.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace weir::cli {
namespace {

using wasm::detail::function_summary;
using wasm::detail::module_summary;

std::string describe_limits(const wasm::limits& size, const char* unit) {
  if (!size.max) return fmt::format("{} {} or more", size.min, unit);
  if (*size.max == size.min) return fmt::format("{} {}", size.min, unit);
  return fmt::format("{} to {} {}", size.min, *size.max, unit);
}

template <class Type> std::string describe(const Type& type) {
  switch (type.kind) {
  case wasm::extern_kind::function: return "function " + wasm::to_string(type.function);
  case wasm::extern_kind::table:
    return fmt::format("table of {}, {}", wasm::to_string(type.table.element),
                       describe_limits(type.table.size, "elements"));
  case wasm::extern_kind::memory: return "memory, " + describe_limits(type.memory.pages, "pages");
  case wasm::extern_kind::global:
    return fmt::format("global {}{}", type.global.is_mutable ? "mutable " : "", wasm::to_string(type.global.value));
  case wasm::extern_kind::tag: return "tag " + wasm::to_string(type.function);
  }
  return {};
}

/// Names of templates can be longer than a screen.
std::string shortened(const std::string& name) {
  constexpr std::size_t most = 100;
  return name.size() <= most ? name : name.substr(0, most - 3) + "...";
}

std::string feature_list(wasm::feature_set features) {
  std::string text;
  for (const std::string& name : wasm::detail::feature_names(features)) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none beyond the first version" : text;
}

std::vector<const function_summary*> largest(const module_summary& module, std::size_t most) {
  std::vector<const function_summary*> sorted;
  sorted.reserve(module.functions.size());
  for (const function_summary& one : module.functions) sorted.push_back(&one);
  std::ranges::sort(sorted, [](const auto* a, const auto* b) {
    return a->size != b->size ? a->size > b->size : a->index < b->index;
  });
  sorted.resize(std::min(sorted.size(), most));
  return sorted;
}

std::string describe_functions(const module_summary& module, std::size_t most) {
  std::string text = fmt::format("functions: {} defined, {} imported, {} of code\n", module.functions.size(),
                                 module.imported_functions, format_size(module.code_size));
  const auto shown = largest(module, most);
  if (shown.size() < module.functions.size())
    text += fmt::format("  the {} largest (--functions lists all):\n", shown.size());
  for (const function_summary* one : shown)
    text += fmt::format("  {:>10}  {:>5} locals  #{}{}{}\n", format_size(one->size), one->locals, one->index,
                        one->name.empty() ? "" : " ", shortened(one->name));
  return text;
}

template <class Type> nlohmann::json type_json(const Type& type) {
  return {{"name", type.name}, {"kind", wasm::to_string(type.kind)}, {"type", describe(type)}};
}

} // namespace

std::string describe_type(const wasm::import_type& type) { return describe(type); }
std::string describe_type(const wasm::export_type& type) { return describe(type); }

std::string describe_module(const std::string& path, const module_summary& module, std::size_t most_functions) {
  std::string text = fmt::format("{}: core module{}{}, {}\n", path, module.name.empty() ? "" : " ", module.name,
                                 format_size(module.size));
  text += fmt::format("features: {}\n", feature_list(module.features));
  text += fmt::format("imports: {}\n", module.imports.size());
  for (const auto& one : module.imports) text += fmt::format("  {}.{}: {}\n", one.module, one.name, describe(one));
  text += fmt::format("exports: {}\n", module.exports.size());
  for (const auto& one : module.exports) text += fmt::format("  {}: {}\n", one.name, describe(one));
  text += "sections:\n";
  for (const auto& one : module.sections) text += fmt::format("  {:>10}  {}\n", format_size(one.size), one.name);
  text += fmt::format("data: {} segments, {}\n", module.data_segments, format_size(module.data_size));
  return text + describe_functions(module, most_functions);
}

std::string describe_component(const std::string& path, std::size_t bytes, const std::vector<inner_module>& modules) {
  std::string text = fmt::format("{}: component, {}\n", path, format_size(bytes));
  text += fmt::format("core modules: {} (--extract-core DIR writes them)\n", modules.size());
  for (const inner_module& one : modules) {
    text += fmt::format("  {}: {}", one.place.path, format_size(one.place.end - one.place.begin));
    if (one.contents)
      text += fmt::format("{}{}, {} functions, features: {}\n", one.contents->name.empty() ? "" : ", ",
                          one.contents->name, one.contents->functions.size(), feature_list(one.contents->features));
    else
      text += fmt::format(", {}\n", one.contents.error().to_string());
  }
  return text;
}

nlohmann::json module_json(const module_summary& module) {
  nlohmann::json all{{"kind", "core module"},
                     {"name", module.name},
                     {"bytes", module.size},
                     {"features", wasm::detail::feature_names(module.features)},
                     {"code_bytes", module.code_size},
                     {"data_bytes", module.data_size},
                     {"types", module.types},
                     {"tables", module.tables},
                     {"memories", module.memories},
                     {"globals", module.globals},
                     {"tags", module.tags},
                     {"element_segments", module.element_segments},
                     {"data_segments", module.data_segments},
                     {"imported_functions", module.imported_functions},
                     {"imports", nlohmann::json::array()},
                     {"exports", nlohmann::json::array()},
                     {"sections", nlohmann::json::array()},
                     {"functions", nlohmann::json::array()}};
  for (const auto& one : module.imports) {
    nlohmann::json item = type_json(one);
    item["module"] = one.module;
    all["imports"].push_back(std::move(item));
  }
  for (const auto& one : module.exports) all["exports"].push_back(type_json(one));
  for (const auto& one : module.sections) all["sections"].push_back({{"name", one.name}, {"bytes", one.size}});
  for (const auto& one : module.functions)
    all["functions"].push_back({{"index", one.index}, {"name", one.name}, {"bytes", one.size}, {"locals", one.locals}});
  return all;
}

nlohmann::json component_json(std::size_t bytes, const std::vector<inner_module>& modules) {
  nlohmann::json all{{"kind", "component"}, {"bytes", bytes}, {"core_modules", nlohmann::json::array()}};
  for (const inner_module& one : modules) {
    nlohmann::json item =
        one.contents ? module_json(*one.contents) : nlohmann::json{{"error", one.contents.error().to_string()}};
    item["path"] = one.place.path;
    item["offset"] = one.place.begin;
    item["bytes"] = one.place.end - one.place.begin;
    all["core_modules"].push_back(std::move(item));
  }
  return all;
}

} // namespace weir::cli
