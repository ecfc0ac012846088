// SPDX-License-Identifier: Apache-2.0
#include "wasm/interp/memory_handlers.hpp"

namespace weir::wasm::detail {
namespace {

#define WEIR_WASM_X(name) load_row<accesses::name, false>(),
constexpr handler_row load_rows[] = {WEIR_WASM_LOAD_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X
#define WEIR_WASM_X(name) float_load_row<accesses::name, false>(),
constexpr handler_row float_load_rows[] = {WEIR_WASM_FLOAT_LOAD_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X
#define WEIR_WASM_X(name) store_row<accesses::name, false>(),
constexpr handler_row store_rows[] = {WEIR_WASM_STORE_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X
#define WEIR_WASM_X(name) float_store_row<accesses::name, false>(),
constexpr handler_row float_store_rows[] = {WEIR_WASM_FLOAT_STORE_OPS(WEIR_WASM_X)};
#undef WEIR_WASM_X

} // namespace

const handler_group load_handlers{op::load_u8, load_rows};
const handler_group float_load_handlers{op::load_f32, float_load_rows};
const handler_group store_handlers{op::store_8, store_rows};
const handler_group float_store_handlers{op::store_f32, float_store_rows};

} // namespace weir::wasm::detail
