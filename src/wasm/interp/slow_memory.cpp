// SPDX-License-Identifier: Apache-2.0
// Memory operations that leave the registers. Their operands are consecutive slots from `c` on; the second cell has the
// memory in `c` and a second index, or an offset, in its word.
//
// The bulk operations check the whole range, then do at most one chunk, note in the slots what is left, and start their
// own cell again until nothing is. Between chunks is a checkpoint. A memory never shrinks, so what was in bounds stays
// so.
#include "wasm/interp/entry_points.hpp"
#include "wasm/interp/slow.hpp"

#include "wasm/code/op.hpp"

#include <algorithm>
#include <cstring>

namespace weir::wasm::detail {
namespace {

constexpr std::uint64_t chunk_bytes = 0x10000;
constexpr std::uint64_t page_shift = 16;

memory_object& memory_at(const machine& vm, std::uint64_t index) { return *vm.instance->memories[index]; }
std::uint32_t low(std::uint64_t slot) { return static_cast<std::uint32_t>(slot); }

exit_code next(machine& vm) {
  vm.saved.ip += 2;
  return exit_code::go_on;
}

exit_code again(machine& vm) { return vm.interrupt.load() != 0 ? checkpoint_now(vm) : exit_code::go_on; }

exit_code out_of_bounds(machine& vm) { return vm.trap(trap_code::out_of_bounds_memory_access); }

template <class Stored, class Extended> std::uint64_t load_as(const std::byte* from) {
  Stored value;
  std::memcpy(&value, from, sizeof value);
  const auto wide = static_cast<Extended>(value); // NOLINT(bugprone-signed-char-misuse): extends the sign
  if constexpr (sizeof(Extended) == 4) return static_cast<std::uint32_t>(wide);
  return static_cast<std::uint64_t>(wide);
}

std::uint64_t load_bits(op one, const std::byte* from) {
  switch (one) {
  case op::load_u8: return load_as<std::uint8_t, std::uint64_t>(from);
  case op::load_u16: return load_as<std::uint16_t, std::uint64_t>(from);
  case op::load_u32:
  case op::load_f32: return load_as<std::uint32_t, std::uint64_t>(from);
  case op::load_i32_s8: return load_as<std::int8_t, std::int32_t>(from);
  case op::load_i32_s16: return load_as<std::int16_t, std::int32_t>(from);
  case op::load_i64_s8: return load_as<std::int8_t, std::int64_t>(from);
  case op::load_i64_s16: return load_as<std::int16_t, std::int64_t>(from);
  case op::load_i64_s32: return load_as<std::int32_t, std::int64_t>(from);
  default: return load_as<std::uint64_t, std::uint64_t>(from);
  }
}

/// The place of an access of `size` bytes, or null when it is out of bounds.
std::byte* far_place(machine& vm, std::size_t size) {
  const cell* at = vm.saved.ip;
  const memory_object& memory = memory_at(vm, at[1].c);
  const std::uint64_t start = std::uint64_t{low(vm.saved.fp[at->c])} + at[1].word;
  return start + size > memory.size ? nullptr : memory.base + start;
}

} // namespace

exit_code memory_size_now(machine& vm) {
  const cell* at = vm.saved.ip;
  vm.saved.fp[at->c] = memory_at(vm, at[1].c).size >> page_shift;
  return next(vm);
}

exit_code memory_grow_now(machine& vm) {
  const cell* at = vm.saved.ip;
  std::uint64_t& slot = vm.saved.fp[at->c];
  slot = low(memory_grow(memory_at(vm, at[1].c), low(slot)));
  return next(vm);
}

// The direction of the copy is that of memmove: the end that would be overwritten goes first.
exit_code memory_copy_now(machine& vm) {
  const cell* at = vm.saved.ip;
  const memory_object& to_memory = memory_at(vm, at[1].c);
  const memory_object& from_memory = memory_at(vm, at[1].word);
  std::uint64_t* slots = vm.saved.fp + at->c;
  const std::uint64_t to = low(slots[0]);
  const std::uint64_t from = low(slots[1]);
  const std::uint64_t count = low(slots[2]);
  if (to + count > to_memory.size || from + count > from_memory.size) return out_of_bounds(vm);
  const std::uint64_t now = std::min(count, chunk_bytes);
  if (now == 0) return next(vm);
  const std::uint64_t skipped = to > from ? count - now : 0;
  std::memmove(to_memory.base + to + skipped, from_memory.base + from + skipped, now);
  if (now == count) return next(vm);
  if (skipped == 0) {
    slots[0] = to + now;
    slots[1] = from + now;
  }
  slots[2] = count - now;
  return again(vm);
}

exit_code memory_fill_now(machine& vm) {
  const cell* at = vm.saved.ip;
  const memory_object& memory = memory_at(vm, at[1].c);
  std::uint64_t* slots = vm.saved.fp + at->c;
  const std::uint64_t to = low(slots[0]);
  const std::uint64_t count = low(slots[2]);
  if (to + count > memory.size) return out_of_bounds(vm);
  const std::uint64_t now = std::min(count, chunk_bytes);
  if (now == 0) return next(vm);
  std::memset(memory.base + to, static_cast<int>(slots[1] & 0xff), now);
  if (now == count) return next(vm);
  slots[0] = to + now;
  slots[2] = count - now;
  return again(vm);
}

exit_code memory_init_now(machine& vm) {
  const cell* at = vm.saved.ip;
  const memory_object& memory = memory_at(vm, at[1].c);
  const std::span<const std::byte> bytes = data_bytes(*vm.instance, low(at[1].word));
  std::uint64_t* slots = vm.saved.fp + at->c;
  const std::uint64_t to = low(slots[0]);
  const std::uint64_t from = low(slots[1]);
  const std::uint64_t count = low(slots[2]);
  if (to + count > memory.size || from + count > bytes.size()) return out_of_bounds(vm);
  const std::uint64_t now = std::min(count, chunk_bytes);
  if (now == 0) return next(vm);
  std::memcpy(memory.base + to, bytes.data() + from, now);
  if (now == count) return next(vm);
  slots[0] = to + now;
  slots[1] = from + now;
  slots[2] = count - now;
  return again(vm);
}

exit_code data_drop_now(machine& vm) {
  data_drop(*vm.instance, vm.saved.ip[1].c);
  return next(vm);
}

exit_code far_load_now(machine& vm) {
  const cell* at = vm.saved.ip;
  const std::byte* place = far_place(vm, at->a);
  if (place == nullptr) return out_of_bounds(vm);
  vm.saved.fp[at->c] = load_bits(static_cast<op>(at->b), place);
  return next(vm);
}

exit_code far_store_now(machine& vm) {
  const cell* at = vm.saved.ip;
  std::byte* place = far_place(vm, at->a);
  if (place == nullptr) return out_of_bounds(vm);
  std::memcpy(place, &vm.saved.fp[at->c + 1], at->a);
  return next(vm);
}

} // namespace weir::wasm::detail
