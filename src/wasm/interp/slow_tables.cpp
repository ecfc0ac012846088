// SPDX-License-Identifier: Apache-2.0
// Tables and references. Operands are consecutive slots from `c` on; the second cell has the table in `c` and a second
// index in its word. Bulk operations go by chunks as in slow_memory.cpp.
#include "wasm/interp/entry_points.hpp"
#include "wasm/interp/slow.hpp"

#include <algorithm>

namespace weir::wasm::detail {
namespace {

constexpr std::uint64_t chunk_elements = 0x10000 / sizeof(std::uint64_t);

std::uint32_t low(std::uint64_t slot) { return static_cast<std::uint32_t>(slot); }

exit_code next(machine& vm) {
  vm.saved.ip += 2;
  return exit_code::go_on;
}

exit_code again(machine& vm) { return vm.interrupt.load() != 0 ? checkpoint_now(vm) : exit_code::go_on; }

exit_code out_of_bounds(machine& vm) { return vm.trap(trap_code::out_of_bounds_table_access); }

table_object& table_at(const machine& vm, std::uint64_t index) { return *vm.tables[index]; }

std::uint64_t segment_size(const instance_object& instance, std::uint32_t segment) {
  return instance.dropped_elements[segment] ? 0 : instance.element_values[segment].size();
}

} // namespace

exit_code table_get_now(machine& vm) {
  const cell* at = vm.saved.ip;
  const table_object& table = table_at(vm, at[1].c);
  std::uint64_t& slot = vm.saved.fp[at->c];
  if (low(slot) >= table.size) return out_of_bounds(vm);
  slot = table.elements[low(slot)];
  return next(vm);
}

exit_code table_set_now(machine& vm) {
  const cell* at = vm.saved.ip;
  const table_object& table = table_at(vm, at[1].c);
  const std::uint64_t* slots = vm.saved.fp + at->c;
  if (low(slots[0]) >= table.size) return out_of_bounds(vm);
  table.elements[low(slots[0])] = slots[1];
  return next(vm);
}

exit_code table_size_now(machine& vm) {
  const cell* at = vm.saved.ip;
  vm.saved.fp[at->c] = table_at(vm, at[1].c).size;
  return next(vm);
}

exit_code table_grow_now(machine& vm) {
  const cell* at = vm.saved.ip;
  std::uint64_t* slots = vm.saved.fp + at->c;
  slots[0] = low(table_grow(table_at(vm, at[1].c), low(slots[1]), slots[0]));
  return next(vm);
}

exit_code table_fill_now(machine& vm) {
  const cell* at = vm.saved.ip;
  table_object& table = table_at(vm, at[1].c);
  std::uint64_t* slots = vm.saved.fp + at->c;
  const std::uint64_t to = low(slots[0]);
  const std::uint64_t count = low(slots[2]);
  if (to + count > table.size) return out_of_bounds(vm);
  const std::uint64_t now = std::min(count, chunk_elements);
  if (!table_fill(table, to, slots[1], now)) return out_of_bounds(vm);
  if (now == count) return next(vm);
  slots[0] = to + now;
  slots[2] = count - now;
  return again(vm);
}

exit_code table_copy_now(machine& vm) {
  const cell* at = vm.saved.ip;
  table_object& to_table = table_at(vm, at[1].c);
  table_object& from_table = table_at(vm, at[1].word);
  std::uint64_t* slots = vm.saved.fp + at->c;
  const std::uint64_t to = low(slots[0]);
  const std::uint64_t from = low(slots[1]);
  const std::uint64_t count = low(slots[2]);
  if (to + count > to_table.size || from + count > from_table.size) return out_of_bounds(vm);
  const std::uint64_t now = std::min(count, chunk_elements);
  const std::uint64_t skipped = to > from ? count - now : 0;
  if (!table_copy(to_table, from_table, to + skipped, from + skipped, now)) return out_of_bounds(vm);
  if (now == count) return next(vm);
  if (skipped == 0) {
    slots[0] = to + now;
    slots[1] = from + now;
  }
  slots[2] = count - now;
  return again(vm);
}

exit_code table_init_now(machine& vm) {
  const cell* at = vm.saved.ip;
  const std::uint32_t segment = low(at[1].word);
  std::uint64_t* slots = vm.saved.fp + at->c;
  const std::uint64_t to = low(slots[0]);
  const std::uint64_t from = low(slots[1]);
  const std::uint64_t count = low(slots[2]);
  if (to + count > table_at(vm, at[1].c).size || from + count > segment_size(*vm.instance, segment))
    return out_of_bounds(vm);
  const std::uint64_t now = std::min(count, chunk_elements);
  if (!table_init(*vm.instance, at[1].c, segment, to, from, now)) return out_of_bounds(vm);
  if (now == count) return next(vm);
  slots[0] = to + now;
  slots[1] = from + now;
  slots[2] = count - now;
  return again(vm);
}

exit_code elem_drop_now(machine& vm) {
  element_drop(*vm.instance, vm.saved.ip[1].c);
  return next(vm);
}

exit_code ref_func_now(machine& vm) {
  const cell* at = vm.saved.ip;
  vm.saved.fp[at->c] = reinterpret_cast<std::uint64_t>(vm.instance->functions[at[1].c]);
  return next(vm);
}

} // namespace weir::wasm::detail
