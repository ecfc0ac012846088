// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests only: sets of at most 32 things and relations between them, as bits.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <weir/check.hpp>

namespace weir::check::detail {

using event_set = std::uint32_t;

class relation {
public:
  static constexpr std::size_t max_size = 32;

  explicit relation(std::size_t size) : size_(size) {
    WEIR_CHECK(size <= max_size, "more events than a relation holds", size);
  }

  static relation identity(std::size_t size, event_set on) {
    relation out(size);
    for (std::size_t at = 0; at < size; ++at) out.rows_[at] = on & event_set{1} << at;
    return out;
  }

  void add(std::size_t from, std::size_t to) { rows_[from] |= event_set{1} << to; }
  [[nodiscard]] bool has(std::size_t from, std::size_t to) const { return (rows_[from] >> to & 1U) != 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  friend relation operator|(relation a, const relation& b) {
    for (std::size_t at = 0; at < a.size(); ++at) a.rows_[at] |= b.rows_[at];
    return a;
  }
  friend relation operator&(relation a, const relation& b) {
    for (std::size_t at = 0; at < a.size(); ++at) a.rows_[at] &= b.rows_[at];
    return a;
  }
  friend relation operator-(relation a, const relation& b) {
    for (std::size_t at = 0; at < a.size(); ++at) a.rows_[at] &= ~b.rows_[at];
    return a;
  }
  /// First a, then b.
  friend relation operator*(const relation& a, const relation& b) {
    relation out(a.size());
    for (std::size_t from = 0; from < a.size(); ++from)
      for (event_set left = a.rows_[from]; left != 0; left &= left - 1)
        out.rows_[from] |= b.rows_[static_cast<std::size_t>(std::countr_zero(left))];
    return out;
  }
  [[nodiscard]] relation inverse() const {
    relation out(size());
    for (std::size_t from = 0; from < size(); ++from)
      for (event_set left = rows_[from]; left != 0; left &= left - 1)
        out.add(static_cast<std::size_t>(std::countr_zero(left)), from);
    return out;
  }
  [[nodiscard]] relation closure() const {
    relation out = *this;
    for (std::size_t via = 0; via < size(); ++via)
      for (std::size_t from = 0; from < size(); ++from)
        if (out.has(from, via)) out.rows_[from] |= out.rows_[via];
    return out;
  }
  [[nodiscard]] relation or_same() const { return *this | identity(size(), ~event_set{0}); }
  [[nodiscard]] bool is_irreflexive() const {
    for (std::size_t at = 0; at < size(); ++at)
      if (has(at, at)) return false;
    return true;
  }
  [[nodiscard]] bool is_acyclic() const { return closure().is_irreflexive(); }

private:
  std::size_t size_;
  std::array<event_set, max_size> rows_{};
};

} // namespace weir::check::detail
