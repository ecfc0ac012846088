// SPDX-License-Identifier: Apache-2.0
#include "wasm/interp/int_handlers.hpp"

namespace weir::wasm::detail {
namespace {

constexpr handler_row rows[] = {
    int_binary_row<operations::i32_add>(),        int_binary_row_both<operations::i32_sub>(),
    int_binary_row<operations::i32_mul>(),        int_binary_row<operations::i32_and>(),
    int_binary_row<operations::i32_or>(),         int_binary_row<operations::i32_xor>(),
    int_binary_row_both<operations::i32_shl>(),   int_binary_row<operations::i32_shr_s>(),
    int_binary_row_both<operations::i32_shr_u>(), int_binary_row<operations::i32_rotl>(),
    int_binary_row<operations::i32_rotr>(),
};

} // namespace

const handler_group i32_binary_handlers{op::i32_add, rows};

} // namespace weir::wasm::detail
