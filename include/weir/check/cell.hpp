// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plain data of a model, checked for data races: two accesses from different threads, one of them a write, that
// happens-before does not order.

#include <source_location>
#include <utility>

#include <weir/check/detail/hooks.hpp>

namespace weir::check {

/// A variable that several threads use and that something else has to protect.
template <class T> class cell {
  using where_t = std::source_location;

public:
  cell() = default;
  explicit cell(T value, where_t where = where_t::current()) : value_(std::move(value)) {
    detail::note_write(base_, where);
  }
  cell(const cell&) = delete;
  cell& operator=(const cell&) = delete;
  /// Destroying counts as a write.
  ~cell() { detail::note_write(base_, where_t::current()); }

  [[nodiscard]] T get(where_t where = where_t::current()) const {
    detail::note_read(base_, where);
    return value_;
  }
  void set(T value, where_t where = where_t::current()) {
    detail::note_write(base_, where);
    value_ = std::move(value);
  }
  /// Access in place for as long as the expression lasts.
  [[nodiscard]] T& write(where_t where = where_t::current()) {
    detail::note_write(base_, where);
    return value_;
  }
  [[nodiscard]] const T& read(where_t where = where_t::current()) const {
    detail::note_read(base_, where);
    return value_;
  }

private:
  T value_{};
  mutable detail::cell_base base_;
};

} // namespace weir::check
