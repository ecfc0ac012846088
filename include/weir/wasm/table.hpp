// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/store.hpp>

#include <cstdint>

namespace weir::wasm {

namespace detail {
struct table_object;
} // namespace detail

/// A table of references of a store. A copy names the same table.
///
/// Thread:   the store's.
/// Lifetime: of the store.
class table {
public:
  /// Makes a table of the host's, each element `fill`.
  ///
  /// Errors: errc::limit_exceeded; errc::type_mismatch when `fill` is not of the element type.
  static result<table> create(store& owner, table_type type, value fill);
  /// Makes a table of the host's, each element null.
  static result<table> create(store& owner, table_type type);

  /// The type with the current size as its minimum, as an import check sees it.
  table_type type() const;
  std::uint64_t size() const;
  /// Reads one element.
  ///
  /// Errors: errc::trap with trap_code::out_of_bounds_table_access.
  result<value> get(std::uint64_t index) const;
  /// Writes one element.
  ///
  /// Errors: errc::trap as get(); errc::type_mismatch.
  result<void> set(std::uint64_t index, value element) const;
  /// Grows by `count` elements of value `fill` and returns the old size.
  ///
  /// Errors: errc::limit_exceeded, errc::type_mismatch; the table is unchanged.
  result<std::uint64_t> grow(std::uint64_t count, value fill) const;

  friend bool operator==(table, table) = default;

private:
  friend struct detail::access;
  explicit table(detail::table_object* object) : object_{object} {}
  detail::table_object* object_;
};

} // namespace weir::wasm
