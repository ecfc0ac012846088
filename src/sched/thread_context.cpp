// SPDX-License-Identifier: Apache-2.0
#include "sched/thread_context.hpp"

#include <utility>

namespace weir::rt {
namespace {

WEIR_THREAD_LOCAL thread_context* current = nullptr;

} // namespace

thread_context* current_context() noexcept {
  asm volatile("" ::: "memory"); // not pure: two calls may be on different threads
  return current;
}

thread_context* set_current_context(thread_context* context) noexcept {
  asm volatile("" ::: "memory");
  return std::exchange(current, context);
}

} // namespace weir::rt
