// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a thread that knows nothing of a store's life ends the store's guests.
//
// States: a control starts live and is cancelled once, for good. The flag is set before the list is walked, and an
// activation is put on the list before the flag is read, so each activation is asked by the walk, by add(), or by
// renew().
//
// R1  `calls_` is touched with `lock_` held. The store's thread adds and removes; cancel() only reads.
// R2  An activation leaves the list before it is destroyed, so a walk never meets a dead one; the store destroys its
//     activations before itself, so a control that outlives its store has an empty list.
// R3  An activation starts each call with a clean interrupt word. renew() runs after that and repeats the request.
//
// O1  cancelled_ is stored before the walk asks; renew() reads it after the word was cleared. Both are seq_cst: either
// the read
//     sees the flag, or the request comes after the clearing.
#include "base/mutex.hpp"
#include "wasm/interp/activation.hpp"

#include <weir/detail/atomic.hpp>

#include <algorithm>
#include <mutex>
#include <vector>

namespace weir::wasm::detail {

class interrupt_control {
public:
  void cancel() noexcept {
    cancelled_.store(true); // O1
    const std::scoped_lock guard{lock_};
    for (activation* call : calls_) call->ask(interrupt::cancel);
  }
  bool is_cancelled() const noexcept { return cancelled_.load(); }

  void add(activation& call) {
    const std::scoped_lock guard{lock_};
    calls_.push_back(&call);
  }
  void remove(activation& call) noexcept {
    const std::scoped_lock guard{lock_};
    const auto found = std::find(calls_.rbegin(), calls_.rend(), &call);
    *found = calls_.back();
    calls_.pop_back();
  }
  /// Repeats a cancellation for a call that has just begun.
  void renew(activation& call) noexcept {
    if (is_cancelled()) call.ask(interrupt::cancel); // O1
  }

private:
  weir::detail::atomic<bool> cancelled_{false};
  rt::mutex lock_;
  std::vector<activation*> calls_;
};

} // namespace weir::wasm::detail
