// SPDX-License-Identifier: Apache-2.0
#include "wasm/interp/int_handlers.hpp"

namespace weir::wasm::detail {
namespace {

constexpr handler_row rows[] = {
    int_binary_row<operations::i64_add>(),        int_binary_row_both<operations::i64_sub>(),
    int_binary_row<operations::i64_mul>(),        int_binary_row<operations::i64_and>(),
    int_binary_row<operations::i64_or>(),         int_binary_row<operations::i64_xor>(),
    int_binary_row_both<operations::i64_shl>(),   int_binary_row<operations::i64_shr_s>(),
    int_binary_row_both<operations::i64_shr_u>(), int_binary_row<operations::i64_rotl>(),
    int_binary_row<operations::i64_rotr>(),
};

} // namespace

const handler_group i64_binary_handlers{op::i64_add, rows};

} // namespace weir::wasm::detail
