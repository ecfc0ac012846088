// SPDX-License-Identifier: Apache-2.0
// The symbolic operand stack.
#include "wasm/code/translator.hpp"

#include <algorithm>

namespace weir::wasm::detail {
namespace {

// Deeper pending entries are written to their slots: a scan of all pending entries stays short whatever the body does.
constexpr std::size_t most_pending = 256;

bool depends_on_local(const entry& one) { return one.kind == entry_kind::local || one.kind == entry_kind::sum; }

} // namespace

std::uint32_t translator::slot_at(std::size_t at) {
  max_height_ = std::max(max_height_, at + 1);
  return temp_base_ + static_cast<std::uint32_t>(at);
}

void translator::push_constant(value_class type, std::uint64_t bits) {
  stack_.push_back({entry_kind::constant, type, false, -1, bits, 0});
  limit_pending();
}

void translator::push_local(std::uint32_t local) {
  stack_.push_back({entry_kind::local, locals_[local], false, -1, local, 0});
  ++pending_locals_[local];
  limit_pending();
}

void translator::push_temp(value_class type, std::int32_t definition) {
  slot_at(height());
  stack_.push_back({entry_kind::temp, type, false, definition, 0, 0});
}

void translator::pop(std::size_t count) { drop_to(height() - count); }

void translator::drop_to(std::size_t to) {
  while (height() > to) {
    if (depends_on_local(stack_.back())) --pending_locals_[stack_.back().bits];
    stack_.pop_back();
  }
  first_pending_ = std::min(first_pending_, to);
}

void translator::limit_pending() {
  slot_at(height());
  if (height() - first_pending_ > most_pending) materialise_all();
}

source translator::local_source(std::uint32_t local, value_class type) {
  if (static_cast<std::int64_t>(local) == pinned_) return {is_float(type) ? operand::slot : operand::local, local, 0};
  const std::int32_t held = options_.use_accumulator ? accumulator_of(type) : -1;
  const bool is_held = held >= 0 && draft_at(held).can_move && draft_at(held).a == local;
  return {is_held ? operand::accumulator : operand::slot, local, 0};
}

// R4: a sum needs an operation of its own, so those that take no sum make it a temporary before they ask.
source translator::source_of(std::size_t at, bool is_last_read) {
  const entry& one = stack_[at];
  if (one.kind == entry_kind::constant) return {operand::constant, 0, one.bits};
  if (one.kind == entry_kind::local) return local_source(static_cast<std::uint32_t>(one.bits), one.type);
  const std::int32_t held = options_.use_accumulator ? accumulator_of(one.type) : -1;
  if (held < 0 || one.definition != held) return {operand::slot, slot_at(at), 0};
  draft& producer = draft_at(held);
  if (is_last_read && !one.is_kept && producer.can_stay) producer.to = target::accumulator; // R3
  return {operand::accumulator, slot_at(at), 0};
}

void translator::materialise(std::size_t at) {
  const entry one = stack_[at];
  if (one.kind == entry_kind::temp) return;
  if (one.kind == entry_kind::sum)
    emit_sum(slot_at(at), one);
  else
    move_to(slot_at(at), at, true);
  if (depends_on_local(one)) --pending_locals_[one.bits];
  stack_[at] = {entry_kind::temp, one.type, false, newest_, 0, 0};
}

void translator::settle(std::size_t at) {
  if (stack_[at].kind == entry_kind::sum) materialise(at);
}

void translator::materialise_top(std::size_t count) {
  for (std::size_t at = std::max(height() - count, first_pending_); at < height(); ++at) materialise(at);
  if (count >= height() - first_pending_) first_pending_ = height();
}

bool translator::has_pending_top(std::size_t count) const {
  return std::any_of(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end(),
                     [](const entry& one) { return one.kind != entry_kind::temp; });
}

void translator::keep_top(std::size_t count) {
  for (std::size_t at = height() - count; at < height(); ++at) stack_[at].is_kept = true;
}

} // namespace weir::wasm::detail
