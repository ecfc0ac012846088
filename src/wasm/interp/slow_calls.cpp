// SPDX-License-Identifier: Apache-2.0
// Calls that need more than the handlers do: the first call of a function, stack growth, other instances, host
// functions.
//
// A call into another instance pushes a second record, whose cell is `restore`, so that the callee's return comes by
// there. A tail call into another instance pushes that record only when the newest one is not such a record already:
// then the callee's return gives back the instance of the first caller anyway, and a loop of tail calls through several
// instances needs no stack.
#include "wasm/interp/slow.hpp"

#include "wasm/code/module_code.hpp"
#include "wasm/interp/entry_points.hpp"

#include <algorithm>

namespace weir::wasm::detail {
namespace {

const func_object* function_object(std::uint64_t bits) { return to_pointer<const func_object>(bits); }

/// Makes the saved frame that of the callee; false when the stack is full.
bool push_call(machine& vm, const func_object& callee, std::uint64_t base) {
  if (!vm.reserve_record()) return false;
  *vm.saved.records++ = {vm.saved.ip, vm.saved.fp};
  if (callee.instance != vm.instance) {
    if (!vm.reserve_record()) {
      --vm.saved.records;
      return false;
    }
    vm.callers.push_back(vm.instance);
    *vm.saved.records++ = {vm.restore, vm.saved.fp};
    vm.set_instance(callee.instance);
  }
  vm.saved.fp += base;
  vm.saved.ip = callee.code->entry.load(std::memory_order_acquire);
  return true;
}

exit_code call_object(machine& vm, func_object& callee) {
  const std::uint64_t base = vm.saved.ip->c;
  if (callee.host != nullptr) return call_host(vm, callee, vm.saved.fp + base, false);
  return push_call(vm, callee, base) ? exit_code::go_on : vm.trap(trap_code::call_stack_exhausted);
}

exit_code tail_call_object(machine& vm, func_object& callee) {
  const cell& at = *vm.saved.ip;
  std::copy_n(vm.saved.fp + at.c, at.a, vm.saved.fp);
  if (callee.host != nullptr) return call_host(vm, callee, vm.saved.fp, true);
  if (callee.instance != vm.instance) {
    if (vm.saved.records[-1].return_to != vm.restore) {
      if (!vm.reserve_record()) return vm.trap(trap_code::call_stack_exhausted);
      vm.callers.push_back(vm.instance);
      *vm.saved.records++ = {vm.restore, vm.saved.fp};
    }
    vm.set_instance(callee.instance);
  }
  vm.saved.ip = callee.code->entry.load(std::memory_order_acquire);
  return exit_code::go_on;
}

/// The function that an indirect call names, or null after a trap.
func_object* indirect_callee(machine& vm) {
  const cell* at = vm.saved.ip;
  const auto index = static_cast<std::uint32_t>(vm.saved.fp[at[1].a]);
  const table_object& table = *vm.tables[at[1].c];
  if (index >= table.size) return vm.trap(trap_code::undefined_element), nullptr;
  const func_object* callee = function_object(table.elements[index]);
  if (callee == nullptr) return vm.trap(trap_code::uninitialized_element), nullptr;
  if (callee->type_id != at[1].word) return vm.trap(trap_code::indirect_call_type_mismatch), nullptr;
  return const_cast<func_object*>(callee);
}

/// Makes room for the frame whose first cell is `saved.ip`.
bool open_frame(machine& vm) { return vm.reserve_values(vm.saved.ip->c); }

exit_code begin_body(machine& vm, std::size_t cells) {
  vm.saved.local = vm.saved.fp[vm.saved.ip->b];
  vm.saved.ip += cells;
  return vm.interrupt.load() != 0 ? checkpoint_now(vm) : (vm.refresh_limit(), exit_code::go_on);
}

} // namespace

exit_code translate_now(machine& vm) {
  auto& function = *to_pointer<function_code>(vm.saved.ip[1].word);
  if (auto done = function.module->translate(function); !done) return vm.fail(std::move(done).error());
  vm.saved.ip = function.entry.load(std::memory_order_acquire);
  return exit_code::go_on;
}

exit_code enter_now(machine& vm) {
  if (!open_frame(vm)) return vm.trap(trap_code::call_stack_exhausted);
  return begin_body(vm, 1);
}

exit_code enter_clear_now(machine& vm) {
  if (!open_frame(vm)) return vm.trap(trap_code::call_stack_exhausted);
  const cell* at = vm.saved.ip;
  std::fill_n(vm.saved.fp + at->a, 2 * at[1].word, std::uint64_t{0});
  return begin_body(vm, 2);
}

exit_code call_now(machine& vm) {
  if (!vm.reserve_record()) return vm.trap(trap_code::call_stack_exhausted);
  const cell* at = vm.saved.ip;
  *vm.saved.records++ = {at, vm.saved.fp};
  vm.saved.fp += at->c;
  vm.saved.ip = to_pointer<const function_code>(at[1].word)->entry.load(std::memory_order_acquire);
  return exit_code::go_on;
}

exit_code call_import_now(machine& vm) { return call_object(vm, *vm.instance->functions[vm.saved.ip[1].c]); }

exit_code call_indirect_now(machine& vm) {
  func_object* callee = indirect_callee(vm);
  return callee == nullptr ? exit_code::failed : call_object(vm, *callee);
}

exit_code tail_call_import_now(machine& vm) { return tail_call_object(vm, *vm.instance->functions[vm.saved.ip[1].c]); }

exit_code tail_call_indirect_now(machine& vm) {
  func_object* callee = indirect_callee(vm);
  return callee == nullptr ? exit_code::failed : tail_call_object(vm, *callee);
}

exit_code start_now(machine& vm) { return call_object(vm, *vm.callee); }

exit_code halt_now(machine&) { return exit_code::done; }

exit_code return_now(machine& vm) {
  const call_record& record = *--vm.saved.records;
  vm.saved.ip = record.return_to;
  vm.saved.fp = record.frame;
  vm.saved.local = vm.saved.fp[vm.saved.ip->b];
  vm.saved.ip += 2;
  return exit_code::go_on;
}

// The return that led here took `restore` for a call's cell and stepped over it, so this is the cell behind it.
exit_code restore_now(machine& vm) {
  vm.set_instance(vm.callers.back());
  vm.callers.pop_back();
  return return_now(vm);
}

} // namespace weir::wasm::detail
