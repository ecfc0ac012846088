// SPDX-License-Identifier: Apache-2.0
// Entered contexts. On a worker the entry changes the worker's context in place, because the worker writes to that one;
// on any other thread it puts a context of its own before the present one.
#include <weir/entered.hpp>

#include "sched/runtime_core.hpp"

#include <weir/check.hpp>
#include <weir/current.hpp>

#include <new>

namespace weir {

static_assert(sizeof(rt::thread_context) <= 14 * sizeof(void*) && alignof(rt::thread_context) <= alignof(void*));

entered::entered(rt::runtime_core& core) noexcept : core_(&core), outer_context_(nullptr) {
  core.hold();
  rt::thread_context* present = rt::current_context();
  if (present != nullptr && present->on != nullptr) {
    context_ = present;
  } else {
    context_ = new (mine_) rt::thread_context(present != nullptr ? *present : rt::thread_context{});
    outer_context_ = rt::set_current_context(context_);
  }
  outer_ = context_->innermost;
  outer_core_ = context_->core;
  context_->innermost = this;
  context_->core = core_;
}

bool entered::try_leave() noexcept {
  if (core_ == nullptr) return true;
  if (context_->innermost != this || rt::current_context() != context_) return false;
  context_->innermost = outer_;
  context_->core = outer_core_;
  if (static_cast<void*>(context_) == static_cast<void*>(mine_)) rt::set_current_context(outer_context_);
  std::exchange(core_, nullptr)->release();
  return true;
}

void entered::leave() {
  if (!try_leave()) throw std::system_error(errc::left_out_of_order, "weir::entered::leave");
}

entered::~entered() {
  WEIR_CHECK(try_leave(), "an entered context ends on its own thread, after those that were entered inside it");
}

std::optional<runtime_handle> try_current() noexcept {
  rt::thread_context* context = rt::current_context();
  if (context == nullptr || context->core == nullptr) return std::nullopt;
  return runtime_handle(*context->core);
}

runtime_handle current() { return runtime_handle(detail::current_core()); }

runtime_handle::runtime_handle(rt::runtime_core& core) noexcept : core_(&core) { core.hold(); }
runtime_handle::runtime_handle(const runtime_handle& other) noexcept : core_(other.core_) {
  if (core_ != nullptr) core_->hold();
}
runtime_handle::~runtime_handle() {
  if (core_ != nullptr) core_->release();
}
metrics runtime_handle::snapshot() const noexcept { return core_->snapshot(); }

} // namespace weir
