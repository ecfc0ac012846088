// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/store.hpp>

namespace weir::wasm {

namespace detail {
struct global_object;
} // namespace detail

/// A global variable of a store. A copy names the same variable.
///
/// Thread:   the store's.
/// Lifetime: of the store.
class global {
public:
  /// Makes a global of the host's.
  ///
  /// Errors: errc::type_mismatch when `initial` is of another type.
  static result<global> create(store& owner, global_type type, value initial);

  global_type type() const;
  value get() const;
  /// Writes a mutable global.
  ///
  /// Errors: errc::type_mismatch for a value of another type or an immutable global.
  result<void> set(value next) const;

  friend bool operator==(global, global) = default;

private:
  friend struct detail::access;
  explicit global(detail::global_object* object) : object_{object} {}
  detail::global_object* object_;
};

} // namespace weir::wasm
