// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/extern.hpp>
#include <weir/wasm/module.hpp>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::wasm {

namespace detail {
struct instance_object;
} // namespace detail

/// A module brought to life in a store. A copy names the same instance.
///
/// Thread:   the store's.
/// Lifetime: of the store.
class instance {
public:
  /// The export of that name; none when there is none, or one of another kind.
  std::optional<extern_value> get(std::string_view name) const;
  std::optional<func> get_func(std::string_view name) const;
  std::optional<memory> get_memory(std::string_view name) const;
  std::optional<table> get_table(std::string_view name) const;
  std::optional<global> get_global(std::string_view name) const;
  std::optional<tag> get_tag(std::string_view name) const;

  /// All exports, in the module's order.
  std::vector<std::pair<std::string_view, extern_value>> exports() const;

  friend bool operator==(instance, instance) = default;

private:
  friend struct detail::access;
  explicit instance(detail::instance_object* object) : object_{object} {}
  detail::instance_object* object_;
};

} // namespace weir::wasm
