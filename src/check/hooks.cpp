// SPDX-License-Identifier: Apache-2.0
#include <weir/check/detail/hooks.hpp>

#include "check/checker.hpp"

namespace weir::check::detail {

static_assert(most_threads == max_threads);

namespace {

// Memory of one thread: before, after and between executions.
std::uint64_t perform_plainly(const atomic_base& object, const operation& op) {
  auto& value = const_cast<atomic_base&>(object).stored;
  const std::uint64_t before = value;
  if (op.kind == operation_kind::store) value = op.operand;
  if (writes_after_reading(op, before)) value = modified(op, before);
  return before;
}

} // namespace

void construct(atomic_base& object, const std::source_location& where) noexcept {
  if (checker* const running = checker::current()) running->construct(object, where);
}

void destroy(atomic_base& object, const std::source_location& where) noexcept {
  if (checker* const running = checker::current()) running->destroy(object, where);
}

void set_name(const atomic_base& object, std::string_view name) {
  if (checker* const running = checker::current()) running->set_name(object, name);
}

std::uint64_t perform(const atomic_base& object, operation op, const std::source_location& where) {
  if (checker* const running = checker::current()) return running->access(object, op, where);
  return perform_plainly(object, op);
}

bool fails_for_no_reason() {
  checker* const running = checker::current();
  return running != nullptr && running->take_weak_failure();
}

void perform_fence(memory_order order, const std::source_location& where) {
  if (checker* const running = checker::current()) running->fence(order, where);
}

unsigned running_thread() noexcept {
  checker* const running = checker::current();
  return running != nullptr ? running->self() : 0;
}

void note_read(cell_base& cell, const std::source_location& where) {
  if (checker* const running = checker::current()) running->read_cell(cell, where);
}

void note_write(cell_base& cell, const std::source_location& where) {
  if (checker* const running = checker::current()) running->write_cell(cell, where);
}

} // namespace weir::check::detail
