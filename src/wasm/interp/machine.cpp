// SPDX-License-Identifier: Apache-2.0
#include "wasm/interp/machine.hpp"

#include "wasm/code/module_code.hpp"
#include "wasm/interp/entry_points.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace weir::wasm::detail {
namespace {

constexpr std::size_t first_value_capacity = 512; // 4 KiB
constexpr std::size_t first_record_capacity = 64;
constexpr std::size_t most_frames_in_error = 100;

std::uint32_t mode_bits(const activation_options& options) {
  return (options.yields_everywhere ? interrupt_bits::always_yield : 0u) |
         (options.moves_stack_everywhere ? interrupt_bits::always_move : 0u);
}

} // namespace

machine::machine(activation& its_owner, store_data& its_store, const activation_options& its_options)
    : owner{its_owner}, store{its_store}, options{its_options} {
  value_capacity = std::min(first_value_capacity, std::max<std::size_t>(options.max_value_slots, 1));
  values = std::make_unique<std::uint64_t[]>(value_capacity);
  record_capacity = first_record_capacity;
  records = std::make_unique<call_record[]>(record_capacity);
  record_limit = records.get() + std::min(record_capacity, options.max_call_depth);
  start[0].word = start_handler();
  start[2].word = halt_handler();
  restore[2].word = restore_handler();
  memory = &no_memory;
  saved.vm = this;
  reset_interrupt();
}

void machine::raise(std::uint32_t bits) noexcept {
  interrupt.fetch_or(bits);
  stack_limit.store(0); // O1
}

void machine::reset_interrupt() noexcept {
  interrupt.store(mode_bits(options));
  refresh_limit();
}

void machine::refresh_limit() noexcept {
  stack_limit.store(reinterpret_cast<std::uintptr_t>(values.get() + value_capacity));
  if (interrupt.load() != 0) stack_limit.store(0); // O1
}

void machine::set_instance(instance_object* next) noexcept {
  instance = next;
  const bool is_there = next != nullptr;
  globals = is_there ? next->globals.data() : nullptr;
  tables = is_there ? next->tables.data() : nullptr;
  memory = is_there && !next->memories.empty() ? next->memories[0] : &no_memory;
}

bool machine::reserve_values(std::size_t slots) {
  const std::size_t needed = static_cast<std::size_t>(saved.fp - values.get()) + slots;
  if (needed <= value_capacity) return true;
  if (needed > options.max_value_slots) return false;
  return move_values(std::min(std::max(needed, 2 * value_capacity), options.max_value_slots));
}

bool machine::move_values(std::size_t capacity) {
  std::unique_ptr<std::uint64_t[]> moved{new (std::nothrow) std::uint64_t[capacity]()};
  if (moved == nullptr) return false;
  std::memcpy(moved.get(), values.get(), value_capacity * sizeof(std::uint64_t));
  const auto rebase = [&](std::uint64_t*& at) { at = moved.get() + (at - values.get()); };
  rebase(saved.fp);
  for (call_record* record = records.get(); record != saved.records; ++record) rebase(record->frame);
  if (host_slots != nullptr) rebase(host_slots);
  values = std::move(moved);
  value_capacity = capacity;
  refresh_limit();
  return true;
}

bool machine::reserve_record() {
  const auto used = static_cast<std::size_t>(saved.records - records.get());
  if (used >= options.max_call_depth) return false;
  if (used < record_capacity) return true;
  const std::size_t capacity = std::min(2 * record_capacity, options.max_call_depth);
  std::unique_ptr<call_record[]> moved{new (std::nothrow) call_record[capacity]};
  if (moved == nullptr) return false;
  std::copy_n(records.get(), used, moved.get());
  records = std::move(moved);
  record_capacity = capacity;
  record_limit = records.get() + capacity;
  saved.records = records.get() + used;
  return true;
}

exit_code machine::fail(error why) {
  failure = std::move(why);
  return exit_code::failed;
}

exit_code machine::end(errc code, const char* message, trap_code why) {
  error what;
  what.code = code;
  what.trap = why;
  what.message = message;
  what.backtrace = backtrace(most_frames_in_error);
  return fail(std::move(what));
}

exit_code machine::trap(trap_code why) { return end(errc::trap, to_string(why), why); }
exit_code machine::interrupted() { return end(errc::interrupted, "the guest was interrupted", trap_code::none); }
exit_code machine::uncaught() {
  return end(errc::uncaught_exception, "an exception left the function that the host called", trap_code::none);
}

exit_code checkpoint_now(machine& vm) {
  const std::uint32_t bits = vm.interrupt.load();
  if ((bits & interrupt_bits::cancel) != 0) return vm.interrupted();
  if ((bits & interrupt_bits::always_move) != 0 && !vm.move_values(vm.value_capacity))
    return vm.trap(trap_code::call_stack_exhausted);
  vm.interrupt.fetch_and(~interrupt_bits::yield);
  vm.refresh_limit();
  return (bits & (interrupt_bits::yield | interrupt_bits::always_yield)) != 0 ? exit_code::checkpoint
                                                                              : exit_code::go_on;
}

} // namespace weir::wasm::detail
