// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace weir::wasi {

/// Ends what guests wait for: a read of an empty pipe, a sleep, a poll. A cheap shared handle; all copies are one
/// token.
///
/// A cancelled wait ends its guest with `wasm::errc::interrupted`. A guest that computes is not reached by this but by
/// `wasm::store::interrupts()`; whoever stops a guest uses both.
class cancel_token {
public:
  /// Makes a new token. Errors: throws std::system_error when the process has no descriptor left.
  cancel_token();

  /// Cancels for good. Thread: any, and signal handlers; more than once is as once.
  void cancel() const noexcept;
  bool is_cancelled() const noexcept;

  /// A descriptor of the host that is readable from cancel() on, for use with poll().
  int descriptor() const noexcept;

private:
  struct state;
  std::shared_ptr<state> state_;
};

} // namespace weir::wasi
