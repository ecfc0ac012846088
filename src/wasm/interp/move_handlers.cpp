// SPDX-License-Identifier: Apache-2.0
// Copies between slots, constants, select and globals.
#include "wasm/interp/operands.hpp"

namespace weir::wasm::detail {
namespace {

/// Any 64 bits; a constant is sign-extended.
template <operand B, target D> WEIR_HANDLER mov(WEIR_REGISTERS) {
  WEIR_OPEN;
  WEIR_RESULT_INT(D, read_int<B>(ip->b, ip->c, fp, acc, local));
  ++ip;
  WEIR_NEXT();
}

template <target D> WEIR_HANDLER mov_u32(WEIR_REGISTERS) {
  WEIR_OPEN;
  WEIR_RESULT_INT(D, std::uint64_t{ip->c});
  ++ip;
  WEIR_NEXT();
}

template <target D> WEIR_HANDLER mov_64(WEIR_REGISTERS) {
  WEIR_OPEN;
  WEIR_RESULT_INT(D, std::uint64_t{ip[1].word});
  ip += 2;
  WEIR_NEXT();
}

/// Two copies: `b` to `a`, then the low slot of `c` to the high one, which may be that of the pinned local.
template <target D> WEIR_HANDLER mov_pair(WEIR_REGISTERS) {
  WEIR_OPEN;
  fp[ip->a] = fp[ip->b];
  acc = fp[ip->low()];
  fp[ip->high()] = acc;
  if constexpr (D == target::local) local = acc;
  ++ip;
  WEIR_NEXT();
}

/// Between slots whose numbers need more than 16 bits. Leaves the accumulator alone.
WEIR_HANDLER mov_far(WEIR_REGISTERS) {
  WEIR_OPEN;
  fp[ip->c] = fp[ip[1].c];
  ip += 2;
  WEIR_NEXT();
}

/// Moves as many slots as the second cell's word says down to slot `c`, from the second cell's `c` on.
WEIR_HANDLER mov_many(WEIR_REGISTERS) {
  WEIR_OPEN;
  std::uint64_t* to = fp + ip->c;
  const std::uint64_t* from = fp + ip[1].c;
  for (const std::uint64_t* const end = from + ip[1].word; from != end;) {
    *to++ = *from++;
#if defined(__clang__)
    asm volatile(""); // keeps the loop from becoming a call of memmove
#endif
  }
  ip += 2;
  WEIR_NEXT();
}

template <operand B, target D> WEIR_HANDLER select_int(WEIR_REGISTERS) {
  WEIR_OPEN;
  const auto condition = static_cast<std::uint32_t>(read_int<B>(ip->b, 0, fp, acc, local));
  const std::uint64_t first = fp[ip->low()];
  const std::uint64_t second = fp[ip->high()];
  WEIR_RESULT_INT(D, condition != 0 ? first : second);
  ++ip;
  WEIR_NEXT();
}

template <class Float, operand B, target D> WEIR_HANDLER select_float(WEIR_REGISTERS) {
  WEIR_OPEN;
  const auto condition = static_cast<std::uint32_t>(read_int<B>(ip->b, 0, fp, acc, local));
  const std::uint32_t chosen = condition != 0 ? ip->low() : ip->high();
  WEIR_RESULT_FLOAT(Float, D, (read_float<Float, operand::slot>(chosen, 0, fp, acc_f32, acc_f64)));
  ++ip;
  WEIR_NEXT();
}

template <target D> WEIR_HANDLER global_get(WEIR_REGISTERS) {
  WEIR_OPEN;
  WEIR_RESULT_INT(D, vm->globals[ip->c]->value);
  ++ip;
  WEIR_NEXT();
}

template <class Float, target D> WEIR_HANDLER global_get_float(WEIR_REGISTERS) {
  WEIR_OPEN;
  WEIR_RESULT_FLOAT(Float, D, (read_float<Float, operand::slot>(0, 0, &vm->globals[ip->c]->value, acc_f32, acc_f64)));
  ++ip;
  WEIR_NEXT();
}

template <operand B> WEIR_HANDLER global_set(WEIR_REGISTERS) {
  WEIR_OPEN;
  vm->globals[ip->c]->value = read_int<B>(ip->b, 0, fp, acc, local);
  ++ip;
  WEIR_NEXT();
}

template <class Float, operand B> WEIR_HANDLER global_set_float(WEIR_REGISTERS) {
  WEIR_OPEN;
  vm->globals[ip->c]->value = bits_of(read_float<Float, B>(ip->b, 0, fp, acc_f32, acc_f64));
  ++ip;
  WEIR_NEXT();
}

constexpr handler_row mov_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (C == operand::slot && D != target::accumulator) return &mov<B, D>;
    return nullptr;
  });
}
constexpr handler_row mov_u32_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B == operand::slot && C == operand::slot && D != target::accumulator) return &mov_u32<D>;
    return nullptr;
  });
}
constexpr handler_row mov_64_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B == operand::slot && C == operand::slot && D != target::accumulator) return &mov_64<D>;
    return nullptr;
  });
}
constexpr handler_row mov_pair_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B == operand::slot && C == operand::slot && D != target::accumulator) return &mov_pair<D>;
    return nullptr;
  });
}
constexpr handler_row select_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B != operand::constant && C == operand::slot) return &select_int<B, D>;
    return nullptr;
  });
}
template <class Float> constexpr handler_row select_float_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B != operand::constant && C == operand::slot && D != target::local) return &select_float<Float, B, D>;
    return nullptr;
  });
}
constexpr handler_row global_get_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B == operand::slot && C == operand::slot) return &global_get<D>;
    return nullptr;
  });
}
template <class Float> constexpr handler_row global_get_float_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B == operand::slot && C == operand::slot && D != target::local) return &global_get_float<Float, D>;
    return nullptr;
  });
}
constexpr handler_row global_set_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (B != operand::constant && C == operand::slot && D == target::slot) return &global_set<B>;
    return nullptr;
  });
}
template <class Float> constexpr handler_row global_set_float_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_float_operand(B) && C == operand::slot && D == target::slot) return &global_set_float<Float, B>;
    return nullptr;
  });
}

constexpr handler_row rows[] = {
    mov_row(),
    mov_u32_row(),
    mov_64_row(),
    mov_pair_row(),
    uniform_row(&mov_far),
    uniform_row(&mov_many),
    select_row(),
    global_get_row(),
    global_set_row(),
    select_float_row<float>(),
    select_float_row<double>(),
    global_get_float_row<float>(),
    global_get_float_row<double>(),
    global_set_float_row<float>(),
    global_set_float_row<double>(),
};

} // namespace

const handler_group move_handlers{op::mov, rows};

} // namespace weir::wasm::detail
