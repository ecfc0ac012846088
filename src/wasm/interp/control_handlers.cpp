// SPDX-License-Identifier: Apache-2.0
// Calls, returns and branches without a comparison.
//
// A call's first cell has the pinned slot of the calling function in `b` and the slot of the arguments in `c`; the
// second cell says whom to call. The return reads `b` again to reload the pinned local. A function begins with `enter`,
// which makes sure that the frame fits; as raising an interrupt takes the limit away, that is the checkpoint of calls
// as well.
#include "wasm/code/function_code.hpp"
#include "wasm/interp/operands.hpp"
#include "wasm/interp/slow.hpp"

namespace weir::wasm::detail {
namespace {

WEIR_WASM_INLINE bool is_past_limit(const machine* vm, const std::uint64_t* fp, std::uint32_t slots) {
  return reinterpret_cast<std::uintptr_t>(fp + slots) > vm->stack_limit.load(std::memory_order_relaxed);
}

WEIR_HANDLER enter(WEIR_REGISTERS) {
  WEIR_OPEN;
  if (WEIR_WASM_UNLIKELY(is_past_limit(vm, fp, ip->c))) WEIR_JUMP(slow<&enter_now>);
  local = fp[ip->b];
  ++ip;
  WEIR_NEXT();
}

/// Clears pairs of slots from `a`; there is always room for one more.
WEIR_HANDLER enter_clear(WEIR_REGISTERS) {
  WEIR_OPEN;
  if (WEIR_WASM_UNLIKELY(is_past_limit(vm, fp, ip->c))) WEIR_JUMP(slow<&enter_clear_now>);
  typedef std::uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));
  auto* at = reinterpret_cast<pair*>(fp + ip->a);
  auto* const end = at + ip[1].word;
  do {
    *at++ = pair{0, 0};
#if defined(__clang__)
    asm volatile(""); // keeps the loop from becoming a call of memset, which would save all registers
#endif
  } while (at != end);
  local = fp[ip->b];
  ip += 2;
  WEIR_NEXT();
}

WEIR_HANDLER jump(WEIR_REGISTERS) {
  WEIR_OPEN;
  ip = to_pointer<const cell>(ip[1].word);
  WEIR_NEXT();
}

WEIR_HANDLER jump_back(WEIR_REGISTERS) {
  WEIR_OPEN;
  ip = to_pointer<const cell>(ip[1].word);
  WEIR_CHECKPOINT();
  WEIR_NEXT();
}

template <bool Wanted, operand B> WEIR_HANDLER branch(WEIR_REGISTERS) {
  WEIR_OPEN;
  const auto condition = static_cast<std::uint32_t>(read_int<B>(ip->b, 0, fp, acc, local));
  const auto* target_cell = to_pointer<const cell>(ip[1].word);
  ip += 2;
  if ((condition != 0) == Wanted) ip = target_cell;
  WEIR_NEXT();
}

template <bool Wanted, operand B> WEIR_HANDLER branch_loop(WEIR_REGISTERS) {
  WEIR_OPEN;
  if ((static_cast<std::uint32_t>(read_int<B>(ip->b, 0, fp, acc, local)) != 0) == Wanted) {
    ip = to_pointer<const cell>(ip[1].word);
    WEIR_CHECKPOINT();
  } else {
    ip += 2;
  }
  WEIR_NEXT();
}

/// The targets follow; the last one is the default.
template <bool HasBackEdge, operand B> WEIR_HANDLER branch_table(WEIR_REGISTERS) {
  WEIR_OPEN;
  const auto index = static_cast<std::uint32_t>(read_int<B>(ip->b, 0, fp, acc, local));
  const std::uint32_t last = ip->c;
  ip = to_pointer<const cell>(ip[1 + std::uint64_t{index < last ? index : last}].word);
  if constexpr (HasBackEdge) WEIR_CHECKPOINT();
  WEIR_NEXT();
}

/// Back to the caller; the results are in place.
#define WEIR_RETURN()                                                                                                  \
  do {                                                                                                                 \
    --records;                                                                                                         \
    ip = records->return_to;                                                                                           \
    fp = records->frame;                                                                                               \
    local = fp[ip->b];                                                                                                 \
    ip += 2;                                                                                                           \
  } while (false)

WEIR_HANDLER ret(WEIR_REGISTERS) {
  WEIR_OPEN;
  WEIR_RETURN();
  WEIR_NEXT();
}

template <operand B> WEIR_HANDLER ret_int(WEIR_REGISTERS) {
  WEIR_OPEN;
  acc = read_int<B>(ip->b, ip->c, fp, acc, local);
  fp[0] = acc;
  WEIR_RETURN();
  WEIR_NEXT();
}

WEIR_HANDLER ret_u32(WEIR_REGISTERS) {
  WEIR_OPEN;
  acc = ip->c;
  fp[0] = acc;
  WEIR_RETURN();
  WEIR_NEXT();
}

template <class Float, operand B> WEIR_HANDLER ret_float(WEIR_REGISTERS) {
  WEIR_OPEN;
  const Float value = read_float<Float, B>(ip->b, 0, fp, acc_f32, acc_f64);
  fp[0] = bits_of(value);
  if constexpr (sizeof(Float) == 4)
    acc_f32 = value;
  else
    acc_f64 = value;
  WEIR_RETURN();
  WEIR_NEXT();
}

/// Moves `a` results from slot `c` on down to the start of the frame.
WEIR_HANDLER ret_many(WEIR_REGISTERS) {
  WEIR_OPEN;
  const std::uint64_t* from = fp + ip->c;
  std::uint64_t* to = fp;
  for (const std::uint64_t* const end = from + ip->a; from != end;) {
    *to++ = *from++;
#if defined(__clang__)
    asm volatile(""); // keeps the loop from becoming a call of memmove
#endif
  }
  WEIR_RETURN();
  WEIR_NEXT();
}

WEIR_HANDLER call(WEIR_REGISTERS) {
  WEIR_OPEN;
  const auto* callee = to_pointer<const function_code>(ip[1].word);
  if (WEIR_WASM_UNLIKELY(records == vm->record_limit)) WEIR_JUMP(slow<&call_now>);
  *records++ = {ip, fp};
  fp += ip->c;
  ip = callee->entry.load(std::memory_order_acquire);
  WEIR_NEXT();
}

/// The index is in slot `a` of the second cell, the table in its `c`, the type in its word.
template <operand B> WEIR_HANDLER call_indirect(WEIR_REGISTERS) {
  WEIR_OPEN;
  const auto index = static_cast<std::uint32_t>(read_int<B>(ip[1].a, 0, fp, acc, local));
  const table_object* table = vm->tables[ip[1].c];
  if (WEIR_WASM_UNLIKELY(index >= table->size)) WEIR_JUMP(slow<&call_indirect_now>);
  const auto* callee = to_pointer<const func_object>(table->elements[index]);
  if (WEIR_WASM_UNLIKELY(callee == nullptr || callee->type_id != ip[1].word || callee->instance != vm->instance))
    WEIR_JUMP(slow<&call_indirect_now>);
  if (WEIR_WASM_UNLIKELY(records == vm->record_limit)) WEIR_JUMP(slow<&call_indirect_now>);
  *records++ = {ip, fp};
  fp += ip->c;
  ip = callee->code->entry.load(std::memory_order_acquire);
  WEIR_NEXT();
}

/// Moves `a` arguments from slot `c` on to the start of the frame. The record of the current call stays.
WEIR_HANDLER tail_call(WEIR_REGISTERS) {
  WEIR_OPEN;
  const std::uint64_t* from = fp + ip->c;
  std::uint64_t* to = fp;
  for (const std::uint64_t* const end = from + ip->a; from != end;) {
    *to++ = *from++;
#if defined(__clang__)
    asm volatile("");
#endif
  }
  ip = to_pointer<const function_code>(ip[1].word)->entry.load(std::memory_order_acquire);
  WEIR_NEXT();
}

template <bool Wanted> constexpr handler_row branch_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B != operand::constant && C == operand::slot && D == target::slot) return &branch<Wanted, B>;
    return nullptr;
  });
}
template <bool Wanted> constexpr handler_row loop_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B != operand::constant && C == operand::slot && D == target::slot) return &branch_loop<Wanted, B>;
    return nullptr;
  });
}
template <bool HasBackEdge> constexpr handler_row table_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B != operand::constant && C == operand::slot && D == target::slot)
      return &branch_table<HasBackEdge, B>;
    return nullptr;
  });
}
constexpr handler_row ret_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (C == operand::slot && D == target::slot) return &ret_int<B>;
    return nullptr;
  });
}
template <class Float> constexpr handler_row ret_float_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_float_operand(B) && C == operand::slot && D == target::slot) return &ret_float<Float, B>;
    return nullptr;
  });
}
constexpr handler_row indirect_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B != operand::constant && C == operand::slot && D == target::slot) return &call_indirect<B>;
    return nullptr;
  });
}

constexpr handler_row rows[] = {
    uniform_row(&enter),
    uniform_row(&enter_clear),
    uniform_row(&jump),
    uniform_row(&jump_back),
    branch_row<true>(),
    branch_row<false>(),
    loop_row<true>(),
    loop_row<false>(),
    table_row<false>(),
    table_row<true>(),
    uniform_row(&ret),
    ret_row(),
    uniform_row(&ret_u32),
    ret_float_row<float>(),
    ret_float_row<double>(),
    uniform_row(&ret_many),
    uniform_row(&call),
    uniform_row(&slow<&call_import_now>),
    indirect_row(),
    uniform_row(&tail_call),
    uniform_row(&slow<&tail_call_import_now>),
    uniform_row(&slow<&tail_call_indirect_now>),
    uniform_row(&slow<&trap_now<trap_code::unreachable>>),
    uniform_row(&slow<&throw_tag_now>),
    uniform_row(&slow<&throw_reference_now>),
};

} // namespace

const handler_group control_handlers{op::enter, rows};

} // namespace weir::wasm::detail
