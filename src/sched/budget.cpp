// SPDX-License-Identifier: Apache-2.0
#include <weir/budget.hpp>

#include "sched/thread_context.hpp"

namespace weir {

std::uint32_t remaining_budget() noexcept {
  rt::thread_context* context = rt::current_context();
  return context != nullptr && context->task != nullptr ? context->steps_left : steps_per_poll;
}

namespace detail {

bool spend_step() noexcept {
  rt::thread_context* context = rt::current_context();
  if (context == nullptr || context->task == nullptr) return true;
  if (context->steps_left == 0) return false;
  --context->steps_left;
  return true;
}

} // namespace detail
} // namespace weir
