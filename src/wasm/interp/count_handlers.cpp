// SPDX-License-Identifier: Apache-2.0
// Counted loops: adds the 16-bit constant `b` to the local in `a`, compares it with `c`, and branches.
#include "wasm/interp/int_operations.hpp"
#include "wasm/interp/operands.hpp"

namespace weir::wasm::detail {
namespace {

/// The local after the addition. `B` says whether it is the pinned one.
template <operand B> WEIR_WASM_INLINE std::uint64_t counted(const cell* ip, std::uint64_t* fp, std::uint64_t& local) {
  const auto step = static_cast<std::uint32_t>(static_cast<std::int16_t>(ip->b));
  const auto sum = static_cast<std::uint32_t>(B == operand::local ? local : fp[ip->a]) + step;
  fp[ip->a] = sum;
  if constexpr (B == operand::local) local = sum;
  return sum;
}

template <class Op, operand B, operand C> WEIR_HANDLER count_forward(WEIR_REGISTERS) {
  WEIR_OPEN;
  const std::uint64_t sum = counted<B>(ip, fp, local);
  const std::uint64_t limit = read_int<C>(ip->low(), ip->c, fp, acc, local);
  const auto* target_cell = to_pointer<const cell>(ip[1].word);
  ip += 2;
  if (Op::apply(sum, limit) != 0) ip = target_cell;
  WEIR_NEXT();
}

template <class Op, operand B, operand C> WEIR_HANDLER count_back(WEIR_REGISTERS) {
  WEIR_OPEN;
  const std::uint64_t sum = counted<B>(ip, fp, local);
  const std::uint64_t limit = read_int<C>(ip->low(), ip->c, fp, acc, local);
  if (Op::apply(sum, limit) != 0) {
    ip = to_pointer<const cell>(ip[1].word);
    WEIR_CHECKPOINT();
  } else {
    ip += 2;
  }
  WEIR_NEXT();
}

constexpr bool is_count_pair(operand b, operand c) {
  return (b == operand::slot || b == operand::local) && c != operand::accumulator &&
         !(b == operand::local && c == operand::local);
}

template <class Op, bool IsBack> constexpr handler_row count_row() {
  return make_row([]<operand B, operand C, target D>() -> handler {
    if constexpr (is_count_pair(B, C) && D == target::slot && IsBack) return &count_back<Op, B, C>;
    if constexpr (is_count_pair(B, C) && D == target::slot && !IsBack) return &count_forward<Op, B, C>;
    return nullptr;
  });
}

#define WEIR_WASM_X(name) count_row<operations::name, false>(), count_row<operations::name, true>(),
constexpr handler_row rows[] = {WEIR_WASM_I32_COMPARE_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X

} // namespace

const handler_group count_handlers{op::count_br_i32_eq, rows};

} // namespace weir::wasm::detail
