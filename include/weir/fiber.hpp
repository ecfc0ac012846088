// SPDX-License-Identifier: Apache-2.0
#pragma once

// What code on a fiber may meet. Fibers are made by a runtime (weir::runtime::spawn_fiber); weir::this_fiber has their
// yield and checkpoint.
//
// A fiber may change threads at every call that suspends. Code on a fiber must not keep the address of a thread-local
// across such a call; `errno` and std::uncaught_exceptions() travel with the fiber, but a compiler may keep the
// *address* of errno, so read it before the next call that suspends.

namespace weir {

/// Thrown at the point where a cancelled fiber is suspended, and at every later one until the stack has been unwound,
/// so that destructors run. `catch (...)` on a fiber must rethrow; it can tell this type apart:
///
///   catch (const weir::fiber_cancelled&) { throw; }
///   catch (...) { report(); }
///
/// It is no std::exception, so a handler of those does not stop it.
class fiber_cancelled final {
public:
  fiber_cancelled(const fiber_cancelled&) noexcept = default;
  fiber_cancelled& operator=(const fiber_cancelled&) noexcept = default;

private:
  friend struct fiber_cancelled_access;
  fiber_cancelled() noexcept = default;
};

} // namespace weir
