// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/error.hpp>
#include <weir/wasm/store.hpp>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::wasm {

class func;
class memory;

namespace detail {
class activation;
} // namespace detail

/// The guest that called a host function, as the host function sees it.
///
/// Thread:   the one that runs the host function.
/// Lifetime: until the host function returns; for a host coroutine, until it ends.
class caller {
public:
  caller(caller&&) noexcept = default;
  caller& operator=(caller&&) = delete;
  caller(const caller&) = delete;
  caller& operator=(const caller&) = delete;

  /// The store of the guest, good for calls back into guests.
  store& owner() noexcept { return store_; }
  /// The pointer given to store::set_user_data().
  void* user_data() const noexcept { return store_.user_data(); }
  /// An exported memory of the calling instance. None when the host called the function itself.
  std::optional<memory> get_memory(std::string_view name = "memory") const;
  /// An exported function of the calling instance. None when the host called the function itself.
  std::optional<func> get_func(std::string_view name) const;
  /// The guest functions on the stack, innermost first.
  std::vector<stack_frame> backtrace() const;

private:
  friend struct detail::access;
  caller(store owner, detail::activation& call) : store_{std::move(owner)}, activation_{&call} {}
  store store_; // does not own
  detail::activation* activation_;
};

} // namespace weir::wasm
