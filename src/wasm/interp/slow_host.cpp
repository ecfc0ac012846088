// SPDX-License-Identifier: Apache-2.0
// Host functions: arguments and results are slots; the registers are saved while the host runs, so it may grow
// memories, look at the stack, or leave everything where it is and go on later.
#include "wasm/interp/slow.hpp"

#include <bit>

namespace weir::wasm::detail {

exit_code call_host(machine& vm, func_object& callee, std::uint64_t* slots, bool is_tail) {
  vm.host = &callee;
  vm.host_slots = slots;
  vm.host_is_tail = is_tail;
  switch (callee.host(callee, vm.owner, slots)) {
  case host_status::done: return finish_host(vm);
  case host_status::suspend: return exit_code::suspended;
  case host_status::raise:
    vm.host = nullptr;
    vm.host_slots = nullptr;
    return is_tail ? unwind_from_caller(vm) : unwind(vm);
  case host_status::fail: break;
  }
  return exit_code::failed;
}

exit_code finish_host(machine& vm) {
  const std::uint64_t first = *vm.host_slots;
  vm.host = nullptr;
  vm.host_slots = nullptr;
  vm.saved.acc = first;
  vm.saved.acc_f32 = std::bit_cast<float>(static_cast<std::uint32_t>(first));
  vm.saved.acc_f64 = std::bit_cast<double>(first);
  if (vm.host_is_tail) return return_now(vm);
  vm.saved.local = vm.saved.fp[vm.saved.ip->b];
  vm.saved.ip += 2;
  return exit_code::go_on;
}

} // namespace weir::wasm::detail
