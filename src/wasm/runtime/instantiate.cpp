// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/instantiate.hpp"

#include "wasm/runtime/access.hpp"
#include "wasm/runtime/const_eval.hpp"
#include "wasm/runtime/imports.hpp"
#include "wasm/runtime/values.hpp"

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace weir::wasm::detail {

std::span<const std::byte> data_bytes(const instance_object& instance, std::uint32_t segment) {
  if (instance.dropped_data[segment]) return {};
  const module_data& module = *instance.compiled->data;
  return module.slice(module.data[segment].begin, module.data[segment].end);
}

void data_drop(instance_object& instance, std::uint32_t segment) { instance.dropped_data[segment] = true; }

exception_object* make_exception(store_data& store, tag_object& tag, const std::uint64_t* values, std::size_t count) {
  return &store.add_exception(tag, {values, count});
}

func_object* start_of(const instance_object& instance) {
  const auto& start = instance.compiled->data->start;
  return start ? instance.functions[*start] : nullptr;
}

namespace {

result<void> check_limits(const store_data& store, const module_data& module) {
  std::uint64_t pages = 0;
  std::uint64_t elements = 0;
  for (std::size_t i = module.imported_memories; i < module.memories.size(); ++i) pages += module.memories[i].pages.min;
  for (std::size_t i = module.imported_tables; i < module.tables.size(); ++i)
    elements += module.tables[i].type.size.min;
  std::optional<std::string> lack = store.lacks_room_for(pages * page_bytes, elements);
  if (!lack && store.usage().instances >= store.limits().max_instances)
    lack = "the store has " + std::to_string(store.usage().instances) +
           " instances, as many as store_limits::max_instances";
  if (lack) return std::unexpected(error{.code = errc::limit_exceeded, .message = std::move(*lack)});
  return {};
}

void add_import(instance_object& instance, const extern_value& item) {
  switch (kind_of(item)) {
  case extern_kind::function: instance.functions.push_back(&access::of(std::get<func>(item))); break;
  case extern_kind::table: instance.tables.push_back(&access::of(std::get<table>(item))); break;
  case extern_kind::memory: instance.memories.push_back(&access::of(std::get<memory>(item))); break;
  case extern_kind::global: instance.globals.push_back(&access::of(std::get<global>(item))); break;
  case extern_kind::tag: instance.tags.push_back(&access::of(std::get<tag>(item))); break;
  }
}

void add_functions(store_data& store, instance_object& instance, const compiled_module& module) {
  const module_data& data = *module.data;
  instance.functions.reserve(data.functions.size());
  for (std::size_t i = data.imported_functions; i < data.functions.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    func_object& made = store.add_function();
    made.type = &data.function_type(index);
    made.type_id = data.function_type_id(index);
    made.index = index;
    made.instance = &instance;
    made.code = &module.code->function(index);
    instance.functions.push_back(&made);
  }
}

// Memories first, since they alone may lack room in spite of the limits; then globals in their order, each of which may
// name the ones before it; then tables, whose initial elements may name globals.
result<void> add_own(store_data& store, instance_object& instance, const compiled_module& module) {
  const module_data& data = *module.data;
  add_functions(store, instance, module);
  for (std::size_t i = data.imported_memories; i < data.memories.size(); ++i) {
    auto made = store.add_memory(data.memories[i]);
    if (!made) return std::unexpected(std::move(made).error());
    instance.memories.push_back(*made);
  }
  for (std::size_t i = data.imported_globals; i < data.globals.size(); ++i)
    instance.globals.push_back(&store.add_global(data.globals[i].type, evaluate(data.globals[i].init, instance)));
  for (std::size_t i = data.imported_tables; i < data.tables.size(); ++i) {
    auto made = store.add_table(data.tables[i].type, evaluate(data.tables[i].init, instance));
    if (!made) return std::unexpected(std::move(made).error());
    instance.tables.push_back(*made);
  }
  for (std::size_t i = data.imported_tags; i < data.tags.size(); ++i)
    instance.tags.push_back(&store.add_tag(&data.types[data.tags[i]], data.type_ids[data.tags[i]]));
  return {};
}

void add_segments(instance_object& instance, const module_data& module) {
  instance.dropped_elements.resize(module.elements.size());
  instance.dropped_data.resize(module.data.size());
  instance.element_values.resize(module.elements.size());
  for (std::size_t i = 0; i < module.elements.size(); ++i) {
    const element_segment& segment = module.elements[i];
    if (segment.mode == segment_mode::declarative) {
      instance.dropped_elements[i] = true;
      continue;
    }
    std::vector<std::uint64_t>& values = instance.element_values[i];
    values.reserve(segment.size());
    for (const std::uint32_t function : segment.functions) values.push_back(reference_to(instance.functions[function]));
    for (const const_expression& expression : segment.expressions) values.push_back(evaluate(expression, instance));
  }
}

result<void> write_elements(instance_object& instance, const module_data& module) {
  for (std::size_t i = 0; i < module.elements.size(); ++i) {
    const element_segment& segment = module.elements[i];
    if (segment.mode != segment_mode::active) continue;
    const auto index = static_cast<std::uint32_t>(i);
    const std::uint64_t at = evaluate(segment.offset, instance);
    if (!table_init(instance, segment.table, index, at, 0, segment.size()))
      return std::unexpected(make_trap(trap_code::out_of_bounds_table_access));
    element_drop(instance, index);
  }
  return {};
}

result<void> write_data(instance_object& instance, const module_data& module) {
  for (std::size_t i = 0; i < module.data.size(); ++i) {
    const data_segment& segment = module.data[i];
    if (segment.mode != segment_mode::active) continue;
    const memory_object& memory = *instance.memories[segment.memory];
    const std::uint64_t at = evaluate(segment.offset, instance);
    const std::uint64_t count = segment.end - segment.begin;
    if (count > memory.size || at > memory.size - count)
      return std::unexpected(make_trap(trap_code::out_of_bounds_memory_access));
    if (count != 0) std::memcpy(memory.base + at, module.bytes.data() + segment.begin, count);
    data_drop(instance, static_cast<std::uint32_t>(i));
  }
  return {};
}

} // namespace

result<instance_object*> make_instance(store_data& store, std::shared_ptr<const compiled_module> module,
                                       std::span<const extern_value> imports) {
  const module_data& data = *module->data;
  if (auto checked = check_imports(data, imports); !checked) return std::unexpected(std::move(checked).error());
  if (auto checked = check_limits(store, data); !checked) return std::unexpected(std::move(checked).error());
  const compiled_module& blueprint = *module;
  instance_object& instance = store.add_instance(std::move(module));
  for (const extern_value& item : imports) add_import(instance, item);
  result<void> step = add_own(store, instance, blueprint);
  if (step) {
    add_segments(instance, data);
    step = write_elements(instance, data);
  }
  if (step) step = write_data(instance, data);
  if (!step) return std::unexpected(std::move(step).error());
  return &instance;
}

} // namespace weir::wasm::detail
