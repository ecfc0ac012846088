// SPDX-License-Identifier: Apache-2.0
#pragma once

// The operations of translated code, by family. Those that share their name with an instruction do what it does.
#include <cstddef>
#include <cstdint>

// clang-format off
#define WEIR_WASM_I32_BINARY_OPS(X) \
  X(i32_add) X(i32_sub) X(i32_mul) X(i32_and) X(i32_or) X(i32_xor) X(i32_shl) X(i32_shr_s) X(i32_shr_u) X(i32_rotl) X(i32_rotr)
#define WEIR_WASM_I64_BINARY_OPS(X) \
  X(i64_add) X(i64_sub) X(i64_mul) X(i64_and) X(i64_or) X(i64_xor) X(i64_shl) X(i64_shr_s) X(i64_shr_u) X(i64_rotl) X(i64_rotr)
#define WEIR_WASM_DIVIDE_OPS(X) \
  X(i32_div_s) X(i32_div_u) X(i32_rem_s) X(i32_rem_u) X(i64_div_s) X(i64_div_u) X(i64_rem_s) X(i64_rem_u)
#define WEIR_WASM_I32_COMPARE_OPS(X) \
  X(i32_eq) X(i32_ne) X(i32_lt_s) X(i32_lt_u) X(i32_gt_s) X(i32_gt_u) X(i32_le_s) X(i32_le_u) X(i32_ge_s) X(i32_ge_u)
#define WEIR_WASM_I64_COMPARE_OPS(X) \
  X(i64_eq) X(i64_ne) X(i64_lt_s) X(i64_lt_u) X(i64_gt_s) X(i64_gt_u) X(i64_le_s) X(i64_le_u) X(i64_ge_s) X(i64_ge_u)
#define WEIR_WASM_INT_UNARY_OPS(X) \
  X(i32_eqz) X(i32_clz) X(i32_ctz) X(i32_popcnt) X(i32_extend8_s) X(i32_extend16_s) X(i32_wrap_i64) \
  X(i64_eqz) X(i64_clz) X(i64_ctz) X(i64_popcnt) X(i64_extend8_s) X(i64_extend16_s) X(i64_extend32_s)
#define WEIR_WASM_FLOAT_BINARY_OPS(X) \
  X(f32_add) X(f32_sub) X(f32_mul) X(f32_div) X(f32_min) X(f32_max) X(f32_copysign) \
  X(f64_add) X(f64_sub) X(f64_mul) X(f64_div) X(f64_min) X(f64_max) X(f64_copysign)
#define WEIR_WASM_FLOAT_COMPARE_OPS(X) \
  X(f32_eq) X(f32_ne) X(f32_lt) X(f32_gt) X(f32_le) X(f32_ge) X(f64_eq) X(f64_ne) X(f64_lt) X(f64_gt) X(f64_le) X(f64_ge)
#define WEIR_WASM_FLOAT_UNARY_OPS(X) \
  X(f32_abs) X(f32_neg) X(f32_ceil) X(f32_floor) X(f32_trunc) X(f32_nearest) X(f32_sqrt) X(f32_demote_f64) \
  X(f64_abs) X(f64_neg) X(f64_ceil) X(f64_floor) X(f64_trunc) X(f64_nearest) X(f64_sqrt) X(f64_promote_f32)
#define WEIR_WASM_INT_TO_FLOAT_OPS(X) \
  X(f32_convert_i32_s) X(f32_convert_i32_u) X(f32_convert_i64_s) X(f32_convert_i64_u) \
  X(f64_convert_i32_s) X(f64_convert_i32_u) X(f64_convert_i64_s) X(f64_convert_i64_u)
#define WEIR_WASM_FLOAT_TO_INT_OPS(X) \
  X(i32_trunc_f32_s) X(i32_trunc_f32_u) X(i32_trunc_f64_s) X(i32_trunc_f64_u) \
  X(i64_trunc_f32_s) X(i64_trunc_f32_u) X(i64_trunc_f64_s) X(i64_trunc_f64_u)
#define WEIR_WASM_SATURATE_OPS(X) \
  X(i32_trunc_sat_f32_s) X(i32_trunc_sat_f32_u) X(i32_trunc_sat_f64_s) X(i32_trunc_sat_f64_u) \
  X(i64_trunc_sat_f32_s) X(i64_trunc_sat_f32_u) X(i64_trunc_sat_f64_s) X(i64_trunc_sat_f64_u)
// Loads and stores by what they do to the bits. `c` is the offset plus the access size, so that one compare with the memory's size
// decides.
#define WEIR_WASM_LOAD_OPS(X) \
  X(load_u8) X(load_u16) X(load_u32) X(load_u64) X(load_i32_s8) X(load_i32_s16) X(load_i64_s8) X(load_i64_s16) X(load_i64_s32)
#define WEIR_WASM_FLOAT_LOAD_OPS(X) X(load_f32) X(load_f64)
#define WEIR_WASM_STORE_OPS(X) X(store_8) X(store_16) X(store_32) X(store_64)
#define WEIR_WASM_FLOAT_STORE_OPS(X) X(store_f32) X(store_f64)
// The same with a constant added to the address, modulo 2^32; no offset.
#define WEIR_WASM_LOAD_SUM_OPS(X) \
  X(load_sum_u8) X(load_sum_u16) X(load_sum_u32) X(load_sum_u64) \
  X(load_sum_i32_s8) X(load_sum_i32_s16) X(load_sum_i64_s8) X(load_sum_i64_s16) X(load_sum_i64_s32)
#define WEIR_WASM_FLOAT_LOAD_SUM_OPS(X) X(load_sum_f32) X(load_sum_f64)
#define WEIR_WASM_STORE_SUM_OPS(X) X(store_sum_8) X(store_sum_16) X(store_sum_32) X(store_sum_64)
#define WEIR_WASM_FLOAT_STORE_SUM_OPS(X) X(store_sum_f32) X(store_sum_f64)
#define WEIR_WASM_CONTROL_OPS(X) \
  X(enter) X(enter_clear) X(jump) X(jump_back) \
  X(br_true) X(br_false) X(loop_true) X(loop_false) X(br_table) X(br_table_back) \
  X(ret) X(ret_int) X(ret_u32) X(ret_f32) X(ret_f64) X(ret_many) \
  X(call) X(call_import) X(call_indirect) X(tail_call) X(tail_call_import) X(tail_call_indirect) \
  X(unreachable) X(throw_tag) X(throw_reference)
#define WEIR_WASM_MOVE_OPS(X) \
  X(mov) X(mov_u32) X(mov_64) X(mov_pair) X(mov_far) X(mov_many) X(select) X(global_get) X(global_set) \
  X(select_f32) X(select_f64) X(global_get_f32) X(global_get_f64) X(global_set_f32) X(global_set_f64)
#define WEIR_WASM_SLOW_OPS(X) \
  X(memory_size) X(memory_grow) X(memory_copy) X(memory_fill) X(memory_init) X(data_drop) \
  X(table_get) X(table_set) X(table_size) X(table_grow) X(table_fill) X(table_copy) X(table_init) X(elem_drop) X(ref_func) \
  X(far_load) X(far_store)
#define WEIR_WASM_PLAIN_OPS(X) \
  WEIR_WASM_I32_BINARY_OPS(X) WEIR_WASM_I64_BINARY_OPS(X) WEIR_WASM_DIVIDE_OPS(X) \
  WEIR_WASM_I32_COMPARE_OPS(X) WEIR_WASM_I64_COMPARE_OPS(X) WEIR_WASM_INT_UNARY_OPS(X) \
  WEIR_WASM_FLOAT_BINARY_OPS(X) WEIR_WASM_FLOAT_COMPARE_OPS(X) WEIR_WASM_FLOAT_UNARY_OPS(X) \
  WEIR_WASM_INT_TO_FLOAT_OPS(X) WEIR_WASM_FLOAT_TO_INT_OPS(X) WEIR_WASM_SATURATE_OPS(X) \
  WEIR_WASM_LOAD_OPS(X) WEIR_WASM_FLOAT_LOAD_OPS(X) WEIR_WASM_STORE_OPS(X) WEIR_WASM_FLOAT_STORE_OPS(X) \
  WEIR_WASM_LOAD_SUM_OPS(X) WEIR_WASM_FLOAT_LOAD_SUM_OPS(X) WEIR_WASM_STORE_SUM_OPS(X) WEIR_WASM_FLOAT_STORE_SUM_OPS(X) \
  WEIR_WASM_CONTROL_OPS(X) WEIR_WASM_MOVE_OPS(X) WEIR_WASM_SLOW_OPS(X)
// A comparison and a conditional branch in one: br_ forward, loop_ back with a checkpoint; not_ for floats, whose comparisons
// have no inverse. The target is in the second cell.
#define WEIR_WASM_BRANCHES(name, X) X(br_##name) X(loop_##name)
#define WEIR_WASM_BRANCHES_NOT(name, X) X(br_not_##name) X(loop_not_##name)
// A small constant added to a local, then a comparison of the local and a conditional branch.
#define WEIR_WASM_COUNT_BRANCHES(name, X) X(count_br_##name) X(count_loop_##name)
// clang-format on

namespace weir::wasm::detail {

enum class op : std::uint16_t {
#define WEIR_WASM_X(name) name,
#define WEIR_WASM_Y(name) WEIR_WASM_BRANCHES(name, WEIR_WASM_X)
#define WEIR_WASM_Z(name) WEIR_WASM_BRANCHES_NOT(name, WEIR_WASM_X)
#define WEIR_WASM_W(name) WEIR_WASM_COUNT_BRANCHES(name, WEIR_WASM_X)
  // clang-format off
  WEIR_WASM_PLAIN_OPS(WEIR_WASM_X)
  WEIR_WASM_I32_COMPARE_OPS(WEIR_WASM_Y) WEIR_WASM_I64_COMPARE_OPS(WEIR_WASM_Y) WEIR_WASM_FLOAT_COMPARE_OPS(WEIR_WASM_Y)
  WEIR_WASM_FLOAT_COMPARE_OPS(WEIR_WASM_Z)
  WEIR_WASM_I32_COMPARE_OPS(WEIR_WASM_W)
// clang-format on
#undef WEIR_WASM_X
#undef WEIR_WASM_Y
#undef WEIR_WASM_Z
#undef WEIR_WASM_W
              count,
  data = count, // a second cell
};
inline constexpr std::size_t op_count = static_cast<std::size_t>(op::count);

/// The operation `distance` places behind another in the order of their families.
constexpr op shifted(op one, unsigned distance) { return static_cast<op>(static_cast<unsigned>(one) + distance); }
constexpr unsigned place_in_family(op one, op first) {
  return static_cast<unsigned>(one) - static_cast<unsigned>(first);
}
constexpr bool is_between(op one, op first, op last) { return one >= first && one <= last; }
constexpr bool is_int_compare(op one) { return is_between(one, op::i32_eq, op::i64_ge_u); }
constexpr bool is_float_compare(op one) { return is_between(one, op::f32_eq, op::f64_ge); }

/// Of an integer comparison: the one that holds when it does not. The order of the family is
/// eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u.
constexpr op inverted(op one) {
  const op first = one >= op::i64_eq ? op::i64_eq : op::i32_eq;
  constexpr std::uint8_t inverse[] = {1, 0, 8, 9, 6, 7, 4, 5, 2, 3};
  return shifted(first, inverse[place_in_family(one, first)]);
}

/// Of an integer comparison: the one with its operands exchanged.
constexpr op mirrored(op one) {
  const op first = one >= op::i64_eq ? op::i64_eq : op::i32_eq;
  constexpr std::uint8_t mirror[] = {0, 1, 4, 5, 2, 3, 8, 9, 6, 7};
  return shifted(first, mirror[place_in_family(one, first)]);
}

/// The operation's name, for people.
const char* to_string(op one);

} // namespace weir::wasm::detail
