// SPDX-License-Identifier: Apache-2.0
// The handlers that are a call of C++ each, and the way from an operation to its handler.
#include "wasm/code/handlers.hpp"
#include "wasm/interp/entry_points.hpp"
#include "wasm/interp/operands.hpp"
#include "wasm/interp/slow.hpp"

namespace weir::wasm::detail {
namespace {

#define WEIR_WASM_X(name) uniform_row(&slow<&name##_now>),
constexpr handler_row rows[] = {WEIR_WASM_SLOW_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X

using directory = std::array<const handler_row*, op_count>;

directory make_directory() {
  directory result{};
  for (const handler_group* group :
       {&i32_binary_handlers,   &i64_binary_handlers,       &divide_handlers,       &i32_compare_handlers,
        &i64_compare_handlers,  &float_compare_handlers,    &i32_branch_handlers,   &i64_branch_handlers,
        &float_branch_handlers, &float_branch_not_handlers, &int_unary_handlers,    &float_binary_handlers,
        &float_unary_handlers,  &int_to_float_handlers,     &float_to_int_handlers, &saturate_handlers,
        &load_handlers,         &float_load_handlers,       &store_handlers,        &float_store_handlers,
        &load_sum_handlers,     &float_load_sum_handlers,   &store_sum_handlers,    &float_store_sum_handlers,
        &count_handlers,        &control_handlers,          &move_handlers,         &slow_handlers}) {
    auto at = static_cast<std::size_t>(group->first);
    for (const handler_row& row : group->rows) result[at++] = &row;
  }
  return result;
}

} // namespace

const handler_group slow_handlers{op::memory_size, rows};

std::uintptr_t find_handler(op one, std::size_t which) {
  static const directory all = make_directory();
  const handler_row* row = all[static_cast<std::size_t>(one)];
  return row == nullptr ? 0 : reinterpret_cast<std::uintptr_t>((*row)[which]);
}

std::uintptr_t translate_handler() { return reinterpret_cast<std::uintptr_t>(&slow<&translate_now>); }
std::uintptr_t start_handler() { return reinterpret_cast<std::uintptr_t>(&slow<&start_now>); }
std::uintptr_t halt_handler() { return reinterpret_cast<std::uintptr_t>(&slow<&halt_now>); }
std::uintptr_t restore_handler() { return reinterpret_cast<std::uintptr_t>(&slow<&restore_now>); }

#if WEIR_WASM_TAIL_DISPATCH
exit_code run_handlers(machine& vm) {
  const registers& now = vm.saved;
  return handler_at(now.ip)(now.records, &vm, vm.memory->base, vm.memory->size, now.ip, now.fp, now.acc, now.local,
                            now.acc_f32, now.acc_f64);
}
#else
exit_code run_handlers(machine& vm) {
  registers now = vm.saved;
  now.vm = &vm;
  now.mem = vm.memory->base;
  now.mem_size = vm.memory->size;
  for (;;) {
    const exit_code code = handler_at(now.ip)(now);
    if (code != exit_code::go_on) return code;
  }
}
#endif

} // namespace weir::wasm::detail
