// SPDX-License-Identifier: Apache-2.0
#include <weir/wasm/instance.hpp>

#include "wasm/runtime/access.hpp"

namespace weir::wasm {

using detail::access;

std::optional<extern_value> instance::get(std::string_view name) const {
  const detail::module_export* item = object_->compiled->find_export(name);
  if (item == nullptr) return std::nullopt;
  return access::export_of(*object_, *item);
}

std::optional<func> instance::get_func(std::string_view name) const { return access::get<func>(object_, name); }
std::optional<memory> instance::get_memory(std::string_view name) const { return access::get<memory>(object_, name); }
std::optional<table> instance::get_table(std::string_view name) const { return access::get<table>(object_, name); }
std::optional<global> instance::get_global(std::string_view name) const { return access::get<global>(object_, name); }
std::optional<tag> instance::get_tag(std::string_view name) const { return access::get<tag>(object_, name); }

std::vector<std::pair<std::string_view, extern_value>> instance::exports() const {
  std::vector<std::pair<std::string_view, extern_value>> out;
  for (const detail::module_export& item : object_->compiled->data->exports)
    out.emplace_back(item.name, access::export_of(*object_, item));
  return out;
}

} // namespace weir::wasm
