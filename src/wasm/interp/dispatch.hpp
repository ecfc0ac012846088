// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a handler is declared and how it goes to the next one. Handlers are written once and built in one of two ways:
//
// - By tail calls (clang): a handler's parameters are the interpreter's registers, and each jump is a `musttail` call,
// so the native
//   stack does not grow. `preserve_none` makes all of them live in machine registers; AddressSanitizer cannot combine
//   it with locals in memory, so there the plain convention serves, with some registers on the stack.
// - By a loop (other compilers, or WEIR_WASM_LOOP_DISPATCH): a handler gets one structure with the registers and
// returns to a loop.
//
// A handler reads `WEIR_HANDLER name(WEIR_REGISTERS) { WEIR_OPEN; ...; WEIR_NEXT(); }` and uses the names of
// `registers`' members.
#include "wasm/interp/entry_points.hpp"
#include "wasm/interp/machine.hpp"

#include <weir/config.hpp>

#include <array>

#if defined(__clang__) && !defined(WEIR_WASM_LOOP_DISPATCH)
#define WEIR_WASM_TAIL_DISPATCH 1
#else
#define WEIR_WASM_TAIL_DISPATCH 0
#endif

#if WEIR_WASM_TAIL_DISPATCH && !WEIR_HAS_ASAN && __has_attribute(preserve_none)
#define WEIR_CONVENTION __attribute__((preserve_none))
#else
#define WEIR_CONVENTION
#endif

#define WEIR_WASM_INLINE [[gnu::always_inline]] inline
#define WEIR_WASM_UNLIKELY(condition) (__builtin_expect(!!(condition), 0))

#if WEIR_WASM_TAIL_DISPATCH
// The order puts what shifts and divisions want (rcx, rdx) last, and what handlers use as a base early.
#define WEIR_REGISTERS                                                                                                 \
  [[maybe_unused]] call_record *records, [[maybe_unused]] machine *vm, [[maybe_unused]] std::byte *mem,                \
      [[maybe_unused]] std::uint64_t mem_size, [[maybe_unused]] const cell *ip, [[maybe_unused]] std::uint64_t *fp,    \
      [[maybe_unused]] std::uint64_t acc, [[maybe_unused]] std::uint64_t local, [[maybe_unused]] float acc_f32,        \
      [[maybe_unused]] double acc_f64
#define WEIR_PASS records, vm, mem, mem_size, ip, fp, acc, local, acc_f32, acc_f64
#define WEIR_OPEN
#define WEIR_NEXT() [[clang::musttail]] return handler_at(ip)(WEIR_PASS)
#define WEIR_JUMP(...) [[clang::musttail]] return __VA_ARGS__(WEIR_PASS)
#else
#define WEIR_REGISTERS registers& saved_registers
#define WEIR_OPEN                                                                                                      \
  [[maybe_unused]] auto& [ip, fp, mem, mem_size, vm, records, acc, local, acc_f32, acc_f64] = saved_registers
#define WEIR_NEXT() return exit_code::go_on
#define WEIR_JUMP(...) return __VA_ARGS__(saved_registers)
#endif
#define WEIR_HANDLER WEIR_CONVENTION exit_code
#define WEIR_COLD_HANDLER [[gnu::cold, gnu::noinline]] WEIR_CONVENTION exit_code

namespace weir::wasm::detail {

// The attribute must stand before the type.
typedef WEIR_CONVENTION exit_code (*handler)(WEIR_REGISTERS); // NOLINT(modernize-use-using)

WEIR_WASM_INLINE handler handler_at(const cell* ip) { return __builtin_bit_cast(handler, ip->word); }

/// The handlers of one operation, by variant().
using handler_row = std::array<handler, variant_count>;

/// Saves the registers, calls a function, and goes on with what it left in the saved registers.
template <exit_code (*Function)(machine&)> WEIR_COLD_HANDLER slow(WEIR_REGISTERS) {
  WEIR_OPEN;
  vm->saved = registers{ip, fp, mem, mem_size, vm, records, acc, local, acc_f32, acc_f64};
  const exit_code code = Function(*vm);
  if (code != exit_code::go_on) return code;
  const registers& now = vm->saved;
  ip = now.ip;
  fp = now.fp;
  records = now.records;
  acc = now.acc;
  local = now.local;
  acc_f32 = now.acc_f32;
  acc_f64 = now.acc_f64;
  mem = vm->memory->base;
  mem_size = vm->memory->size;
  WEIR_NEXT();
}

template <trap_code Why> exit_code trap_now(machine& vm) { return vm.trap(Why); }

} // namespace weir::wasm::detail
