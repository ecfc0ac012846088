// SPDX-License-Identifier: Apache-2.0
#include "wasm/code/op.hpp"

namespace weir::wasm::detail {
namespace {

constexpr const char* names[] = {
#define WEIR_WASM_X(name) #name,
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
                "data",
};
static_assert(sizeof names / sizeof *names == op_count + 1);

} // namespace

const char* to_string(op one) { return names[static_cast<std::size_t>(one)]; }

} // namespace weir::wasm::detail
