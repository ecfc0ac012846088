// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/store.hpp>

namespace weir::wasm {

namespace detail {
struct tag_object;
} // namespace detail

/// A tag of exceptions of a store. A copy names the same tag.
///
/// Thread:   the store's.
/// Lifetime: of the store.
class tag {
public:
  /// Makes a tag whose exceptions carry the parameters of `type`, which has no results.
  static tag create(store& owner, func_type type);

  func_type type() const;

  friend bool operator==(tag, tag) = default;

private:
  friend struct detail::access;
  explicit tag(detail::tag_object* object) : object_{object} {}
  detail::tag_object* object_;
};

} // namespace weir::wasm
