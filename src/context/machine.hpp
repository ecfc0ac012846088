// SPDX-License-Identifier: Apache-2.0
#pragma once

// The switch between two stacks of one thread: what the processor needs and nothing that C++ needs
// (src/context/fiber.hpp adds exception state, errno and the sanitizers).
//
// x86-64: the switch is inline assembly that names every register it does not keep as clobbered, so the compiler saves
// what is live and no more. The stack pointer, the frame pointer and rbx, which the compiler may use as a base pointer
// and refuses as a clobber, are kept by hand. It ends in an indirect jump: a switch that returned would find the return
// predictor of the other stack. The compiler can copy the code; its label is local to each copy. Floating-point control
// words (MXCSR, x87) belong to a stack and are loaded only when they differ. With a shadow stack (CET) returns on the
// other stack would fault, so such a process needs the portable switch.
//
// Portable: ucontext, which enters the kernel for the signal mask on each switch.
//
// Not kept by either: thread-local storage, the signal mask (x86-64), x87 and MMX contents (the calling convention
// wants them empty).
#include <weir/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

#if WEIR_PORTABLE_CONTEXT
#include "os/user_context.hpp"
#endif

namespace weir::rt {

#if WEIR_PORTABLE_CONTEXT

using machine_state = os::user_context;

inline void prepare_machine(machine_state& fresh, std::span<std::byte> stack, void (*entry)(machine_state*)) noexcept {
  os::prepare_user_context(fresh, stack, entry);
}

inline void switch_machine(machine_state& from, machine_state& to) noexcept { os::switch_user_context(from, to); }

#else

/// Where a stack that does not run goes on. The assembly below knows the offsets of the first four members.
struct machine_state {
  void* stack_pointer = nullptr;
  void* frame_pointer = nullptr;
  void* base_pointer = nullptr;
  void (*resume_at)(machine_state*) = nullptr;
  std::uint32_t mxcsr = 0;
  std::uint16_t x87_control = 0;
};

static_assert(offsetof(machine_state, frame_pointer) == 8 && offsetof(machine_state, base_pointer) == 16 &&
              offsetof(machine_state, resume_at) == 24);

WEIR_ALWAYS_INLINE void read_float_control(machine_state& into) noexcept {
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(into.mxcsr), "=m"(into.x87_control));
}

/// Makes `fresh` a stack that starts in `entry(&fresh)` at the first switch to it. `entry` must not return.
inline void prepare_machine(machine_state& fresh, std::span<std::byte> stack, void (*entry)(machine_state*)) noexcept {
  std::byte* const end = stack.data() + stack.size();
  std::byte* const top = end - reinterpret_cast<std::uintptr_t>(end) % 16;
  // A function expects a return address on a stack that is aligned without it; zero ends the walk of a debugger.
  auto* return_address = reinterpret_cast<void**>(top) - 1;
  *return_address = nullptr;
  fresh.stack_pointer = static_cast<void*>(return_address);
  fresh.frame_pointer = nullptr;
  fresh.base_pointer = nullptr;
  fresh.resume_at = entry;
  read_float_control(fresh);
}

#if defined(__CET__) && (__CET__ & 1)
#define WEIR_LANDING_PAD "endbr64\n\t"
#else
#define WEIR_LANDING_PAD ""
#endif

#if defined(__AVX512F__)
#define WEIR_WIDE_CLOBBERS                                                                                             \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",        \
      "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define WEIR_WIDE_CLOBBERS
#endif

/// Leaves the running stack in `from` and goes on in `to`; returns when something switches back to `from`.
WEIR_ALWAYS_INLINE void switch_machine(machine_state& from, machine_state& to) noexcept {
  read_float_control(from);
  if (from.mxcsr != to.mxcsr) {
    asm volatile("ldmxcsr %0" : : "m"(to.mxcsr));
  }
  if (from.x87_control != to.x87_control) {
    asm volatile("fldcw %0" : : "m"(to.x87_control));
  }
  machine_state* leaving = &from;
  machine_state* entering = &to; // in rdi, where a function finds its first argument
  // Nothing is pushed: below the stack pointer lies the red zone of the function this is inlined into.
  asm volatile("leaq 1f(%%rip), %%rax\n\t"
               "movq %%rsp, 0(%%rsi)\n\t"
               "movq %%rbp, 8(%%rsi)\n\t"
               "movq %%rbx, 16(%%rsi)\n\t"
               "movq %%rax, 24(%%rsi)\n\t"
               "movq 0(%%rdi), %%rsp\n\t"
               "movq 8(%%rdi), %%rbp\n\t"
               "movq 16(%%rdi), %%rbx\n\t"
               "jmpq *24(%%rdi)\n"
               "1:\n\t" WEIR_LANDING_PAD
               : "+S"(leaving), "+D"(entering)
               :
               : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2",
                 "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                 "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)", "cc",
                 "memory" WEIR_WIDE_CLOBBERS);
}

#undef WEIR_LANDING_PAD
#undef WEIR_WIDE_CLOBBERS

#endif

} // namespace weir::rt
