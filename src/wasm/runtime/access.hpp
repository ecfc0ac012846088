// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one place that turns public handles into the objects they name and back.
#include "wasm/runtime/compiled_module.hpp"
#include "wasm/runtime/guest_call.hpp"
#include "wasm/runtime/store_data.hpp"

#include <weir/wasm/wasm.hpp>

#include <memory>
#include <optional>
#include <string_view>

namespace weir::wasm::detail {

struct access {
  static const std::shared_ptr<engine_data>& of(const engine& handle) { return handle.data_; }
  static const std::shared_ptr<const compiled_module>& of(const module& handle) { return handle.data_; }
  static store_data& of(const store& handle) { return *handle.data_; }
  static func_object& of(const func& handle) { return *handle.object_; }
  static memory_object& of(const memory& handle) { return *handle.object_; }
  static table_object& of(const table& handle) { return *handle.object_; }
  static global_object& of(const global& handle) { return *handle.object_; }
  static tag_object& of(const tag& handle) { return *handle.object_; }
  static instance_object& of(const instance& handle) { return *handle.object_; }

  static engine make(std::shared_ptr<engine_data> data) { return engine{std::move(data)}; }
  static module make(std::shared_ptr<const compiled_module> data) { return module{std::move(data)}; }
  static interrupt_handle make(std::shared_ptr<interrupt_control> control) {
    return interrupt_handle{std::move(control)};
  }
  static func make(func_object& object) { return func{&object}; }
  static memory make(memory_object& object) { return memory{&object}; }
  static table make(table_object& object) { return table{&object}; }
  static global make(global_object& object) { return global{&object}; }
  static tag make(tag_object& object) { return tag{&object}; }
  static instance make(instance_object& object) { return instance{&object}; }

  /// A caller whose store handle does not own; it is good while the call is.
  static caller make_caller(guest_call& call) {
    return caller{store{std::shared_ptr<store_data>{std::shared_ptr<void>{}, &call.store()}}, call};
  }
  static guest_call& call_of(const caller& from) { return static_cast<guest_call&>(*from.activation_); }

  static store_data* store_of(const extern_value& item) {
    return std::visit([](const auto& handle) { return of(handle).store; }, item);
  }

  static extern_value export_of(const instance_object& from, const module_export& item) {
    switch (item.kind) {
    case extern_kind::function: return make(*from.functions[item.index]);
    case extern_kind::table: return make(*from.tables[item.index]);
    case extern_kind::memory: return make(*from.memories[item.index]);
    case extern_kind::global: return make(*from.globals[item.index]);
    case extern_kind::tag: return make(*from.tags[item.index]);
    }
    __builtin_unreachable();
  }

  /// The export of that name and kind; `from` may be null.
  template <class Handle> static std::optional<Handle> get(const instance_object* from, std::string_view name) {
    if (from == nullptr) return std::nullopt;
    const module_export* item = from->compiled->find_export(name);
    if (item == nullptr) return std::nullopt;
    const extern_value found = export_of(*from, *item);
    if (const auto* handle = std::get_if<Handle>(&found)) return *handle;
    return std::nullopt;
  }
};

} // namespace weir::wasm::detail
