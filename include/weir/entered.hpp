// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace weir {

namespace rt {
class runtime_core;
struct thread_context;
} // namespace rt

/// While it lives, the calling thread's spawn(), spawn_fiber(), block_on() and current() mean one runtime. It gives no
/// permit.
///
/// Entries nest and end in the opposite order. One stays on its thread and must not live across a suspension.
///
/// Errors:   the destructor of one that is not the innermost ends the program; leave() says so instead.
/// Lifetime: keeps the runtime's memory, not its threads.
class [[nodiscard]] entered {
public:
  explicit entered(rt::runtime_core& core) noexcept;
  entered(const entered&) = delete;
  entered& operator=(const entered&) = delete;
  ~entered();

  /// Leaves before the destructor does.
  ///
  /// Errors: throws std::system_error with errc::left_out_of_order when another entry is inside this one; nothing
  /// changes then.
  void leave();

private:
  bool try_leave() noexcept;

  rt::runtime_core* core_;            // null: has left
  rt::runtime_core* outer_core_;      // what the thread meant before
  entered* outer_;                    // the entry around this one
  rt::thread_context* context_;       // the thread's own, or mine_
  rt::thread_context* outer_context_; // if it is mine_
  alignas(void*) std::byte mine_[14 * sizeof(void*)];
};

} // namespace weir
