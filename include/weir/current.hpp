// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which runtime the calling thread works for, as a value.
#include <weir/runtime.hpp>

#include <optional>

namespace weir {

/// A counted reference to a runtime. It does not keep the runtime open: what is spawned after that is closed is stopped.
///
/// Thread: any. Lifetime: outlives the runtime; snapshot() still reads the last counts then.
class runtime_handle {
public:
  explicit runtime_handle(rt::runtime_core& core) noexcept;
  explicit runtime_handle(const runtime& of) noexcept : runtime_handle(of.core()) {}
  runtime_handle(const runtime_handle& other) noexcept;
  runtime_handle(runtime_handle&& other) noexcept : core_(std::exchange(other.core_, nullptr)) {}
  runtime_handle& operator=(runtime_handle other) noexcept {
    std::swap(core_, other.core_);
    return *this;
  }
  ~runtime_handle();

  /// As runtime::spawn().
  template <class T>
  join_handle<T> spawn(task<T> body, spawn_options options = {},
                       std::source_location site = std::source_location::current()) const {
    return detail::spawn_on(*core_, std::move(body), options, site);
  }
  /// As runtime::spawn_fiber().
  template <class F>
  auto spawn_fiber(F function, spawn_options options = {},
                   std::source_location site = std::source_location::current()) const {
    return detail::spawn_fiber_on(*core_, std::move(function), options, site);
  }
  /// As runtime::spawn_blocking().
  template <class F>
  auto spawn_blocking(F function, spawn_options options = {},
                      std::source_location site = std::source_location::current()) const {
    return detail::spawn_blocking_on(*core_, std::move(function), options, site);
  }
  /// As runtime::block_on().
  ///
  /// Suspends: blocks the thread. Cancels: as runtime::block_on().
  template <class T> T block_on(task<T> body, std::source_location site = std::source_location::current()) const {
    return detail::block_on_core(*core_, std::move(body), site);
  }
  /// As runtime::enter().
  entered enter() const noexcept { return entered(*core_); }
  /// As runtime::snapshot().
  metrics snapshot() const noexcept;

  friend bool operator==(const runtime_handle&, const runtime_handle&) noexcept = default;

private:
  rt::runtime_core* core_;
};

/// The runtime that the calling thread has entered last, or else whose task it runs.
///
/// Errors: throws std::system_error with errc::no_runtime.
runtime_handle current();
/// As current(); empty when there is none.
std::optional<runtime_handle> try_current() noexcept;

} // namespace weir
