// SPDX-License-Identifier: Apache-2.0
#pragma once

// An activation as the runtime drives it, with what a host function left for its driver.
#include "wasm/interp/activation.hpp"

#include <weir/detail/preempt.hpp>
#include <weir/task.hpp>
#include <weir/wasm/detail/host_function.hpp>

#include <exception>
#include <optional>
#include <span>
#include <utility>

namespace weir::wasm::detail {

class store_data;

/// Every activation that host functions of the runtime see is one of these.
class guest_call final : public activation, public weir::detail::preemptible {
public:
  using activation::activation;

  void ask_to_yield() noexcept override { ask(interrupt::yield); }

  /// The coroutine that a host function which suspends leaves behind.
  std::optional<task<host_values>> pending;
  /// The C++ exception that a host function threw. It goes to whoever called the guest.
  std::exception_ptr thrown;
};

/// Borrows a call from the store's pool. A call that did not run to its end is destroyed, not pooled.
class call_lease {
public:
  explicit call_lease(store_data& store);
  call_lease(const call_lease&) = delete;
  call_lease& operator=(const call_lease&) = delete;
  ~call_lease();

  /// Starts the call of `function`.
  void begin(func_object& function, std::span<const std::uint64_t> arguments);
  /// Runs up to the next stop, as the one user of the store on this thread.
  run_status run();
  /// Why the call failed. Rethrows what a host function threw.
  error take_failure();
  /// The coroutine that the call waits for.
  task<host_values> take_pending();
  /// Ends that wait.
  void resume(host_values outcome);
  guest_call& operator*() const { return *call_; }
  guest_call* operator->() const { return call_; }

private:
  store_data* store_;
  guest_call* call_;
  bool is_idle_ = true;
};

} // namespace weir::wasm::detail
