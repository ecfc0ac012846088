// SPDX-License-Identifier: Apache-2.0
#include "wasm/interp/int_handlers.hpp"

namespace weir::wasm::detail {
namespace {

#define WEIR_WASM_X(name) int_binary_row<operations::name>(),
constexpr handler_row compare_rows[] = {WEIR_WASM_I64_COMPARE_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X

// In the order of the operations: forward and back by turns.
#define WEIR_WASM_X(name) branch_row<operations::name>(), loop_row<operations::name>(),
constexpr handler_row branch_rows[] = {WEIR_WASM_I64_COMPARE_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X

} // namespace

const handler_group i64_compare_handlers{op::i64_eq, compare_rows};
const handler_group i64_branch_handlers{op::br_i64_eq, branch_rows};

} // namespace weir::wasm::detail
