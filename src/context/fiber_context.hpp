// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "context/context.hpp"
#include "context/fiber.hpp"

namespace weir::rt {

/// A context on a stack of its own.
class fiber_context final : public context {
public:
  /// As the constructor of fiber.
  fiber_context(stack_pool& pool, void (*entry)(void*), void* argument)
      : context(fiber_), fiber_(pool, entry, argument) {}

  /// The exception behind outcome::failed, once.
  std::exception_ptr take_error() noexcept { return fiber_.take_error(); }
  std::span<std::byte> stack() const noexcept { return fiber_.stack(); }

private:
  outcome end_of_coroutine() const noexcept override { return outcome::returned; } // never asked
  outcome unwind() noexcept override { return fiber_.cancel(); }
  void release() noexcept override { fiber_.close(); }

  fiber fiber_;
};

} // namespace weir::rt
