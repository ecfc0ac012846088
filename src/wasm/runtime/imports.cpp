// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/imports.hpp"

#include "wasm/runtime/access.hpp"

#include <cstddef>

namespace weir::wasm::detail {

std::string quoted(std::string_view module_name, std::string_view name) {
  return '"' + std::string{module_name} + "\".\"" + std::string{name} + '"';
}

error unknown_import(const module_import& wanted) {
  return error{.code = errc::unlinkable,
               .message = "unknown import " + quoted(wanted.module, wanted.name) + ": the linker has no such " +
                          to_string(wanted.kind)};
}

namespace {

// The current size stands for the minimum: what exists is at least as large as it is.
bool fits_limits(std::uint64_t size, const std::optional<std::uint64_t>& max, const limits& wanted) {
  return size >= wanted.min && (!wanted.max || (max && *max <= *wanted.max));
}

std::string text_of(std::uint64_t min, const std::optional<std::uint64_t>& max) {
  return std::to_string(min) + (max ? " " + std::to_string(*max) : "");
}

std::string text_of(const global_type& type) {
  return type.is_mutable ? "(mut " + to_string(type.value) + ")" : to_string(type.value);
}

std::string text_of(const extern_value& item) {
  switch (kind_of(item)) {
  case extern_kind::function: return "function " + to_string(std::get<func>(item).type());
  case extern_kind::table: {
    const table_type type = std::get<table>(item).type();
    return "table " + text_of(type.size.min, type.size.max) + " " + to_string(type.element);
  }
  case extern_kind::memory: {
    const memory_type type = std::get<memory>(item).type();
    return "memory " + text_of(type.pages.min, type.pages.max);
  }
  case extern_kind::global: return "global " + text_of(std::get<global>(item).type());
  case extern_kind::tag: return "tag " + to_string(std::get<tag>(item).type());
  }
  return {};
}

std::string text_of(const module_data& module, const module_import& wanted) {
  switch (wanted.kind) {
  case extern_kind::function: return "function " + to_string(module.types[module.functions[wanted.index]]);
  case extern_kind::table: {
    const table_type& type = module.tables[wanted.index].type;
    return "table " + text_of(type.size.min, type.size.max) + " " + to_string(type.element);
  }
  case extern_kind::memory: {
    const memory_type& type = module.memories[wanted.index];
    return "memory " + text_of(type.pages.min, type.pages.max);
  }
  case extern_kind::global: return "global " + text_of(module.globals[wanted.index].type);
  case extern_kind::tag: return "tag " + to_string(module.types[module.tags[wanted.index]]);
  }
  return {};
}

bool fits(const module_data& module, const module_import& wanted, const extern_value& item) {
  if (kind_of(item) != wanted.kind) return false;
  switch (wanted.kind) {
  case extern_kind::function: return access::of(std::get<func>(item)).type_id == module.function_type_id(wanted.index);
  case extern_kind::table: {
    const table_type& type = module.tables[wanted.index].type;
    const table_object& table = access::of(std::get<wasm::table>(item));
    return table.type.element == type.element && fits_limits(table.size, table.type.size.max, type.size);
  }
  case extern_kind::memory: {
    const memory_object& memory = access::of(std::get<wasm::memory>(item));
    return fits_limits(memory.size / page_bytes, memory.type.pages.max, module.memories[wanted.index].pages);
  }
  case extern_kind::global: return access::of(std::get<global>(item)).type == module.globals[wanted.index].type;
  case extern_kind::tag: return access::of(std::get<tag>(item)).type_id == module.type_ids[module.tags[wanted.index]];
  }
  return false;
}

} // namespace

result<void> check_imports(const module_data& module, std::span<const extern_value> items) {
  for (std::size_t i = 0; i < module.imports.size(); ++i) {
    const module_import& wanted = module.imports[i];
    if (fits(module, wanted, items[i])) continue;
    return std::unexpected(error{.code = errc::unlinkable,
                                 .message = "incompatible import type for " + quoted(wanted.module, wanted.name) +
                                            ": the module wants " + text_of(module, wanted) + ", the linker has " +
                                            text_of(items[i])});
  }
  return {};
}

} // namespace weir::wasm::detail
