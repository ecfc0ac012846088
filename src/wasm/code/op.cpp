// SPDX-License-Identifier: Apache-2.0
#include "wasm/code/op.hpp"

namespace weir::wasm::detail {

const char* to_string(op one) {
  switch (one) {
#define WEIR_WASM_X(name)                                                                                              \
  case op::name: return #name;
  WEIR_WASM_I32_BINARY_OPS(WEIR_WASM_X)
  WEIR_WASM_I64_BINARY_OPS(WEIR_WASM_X) WEIR_WASM_DIVIDE_OPS(WEIR_WASM_X) WEIR_WASM_I32_COMPARE_OPS(WEIR_WASM_X)
      WEIR_WASM_I64_COMPARE_OPS(WEIR_WASM_X) WEIR_WASM_INT_UNARY_OPS(WEIR_WASM_X)
          WEIR_WASM_FLOAT_BINARY_OPS(WEIR_WASM_X) WEIR_WASM_FLOAT_COMPARE_OPS(WEIR_WASM_X)
              WEIR_WASM_FLOAT_UNARY_OPS(WEIR_WASM_X) WEIR_WASM_INT_TO_FLOAT_OPS(WEIR_WASM_X)
                  WEIR_WASM_FLOAT_TO_INT_OPS(WEIR_WASM_X) WEIR_WASM_SATURATE_OPS(WEIR_WASM_X)
                      WEIR_WASM_LOAD_OPS(WEIR_WASM_X) WEIR_WASM_FLOAT_LOAD_OPS(WEIR_WASM_X)
                          WEIR_WASM_STORE_OPS(WEIR_WASM_X) WEIR_WASM_FLOAT_STORE_OPS(WEIR_WASM_X)
                              WEIR_WASM_CONTROL_OPS(WEIR_WASM_X) WEIR_WASM_MOVE_OPS(WEIR_WASM_X)
                                  WEIR_WASM_SLOW_OPS(WEIR_WASM_X)
#undef WEIR_WASM_X
#define WEIR_WASM_X(name)                                                                                              \
  case op::br_##name: return "br_" #name;                                                                              \
  case op::loop_##name: return "loop_" #name;
                                      WEIR_WASM_I32_COMPARE_OPS(WEIR_WASM_X) WEIR_WASM_I64_COMPARE_OPS(WEIR_WASM_X)
                                          WEIR_WASM_FLOAT_COMPARE_OPS(WEIR_WASM_X)
#undef WEIR_WASM_X
#define WEIR_WASM_X(name)                                                                                              \
  case op::br_not_##name: return "br_not_" #name;                                                                      \
  case op::loop_not_##name: return "loop_not_" #name;
                                              WEIR_WASM_FLOAT_COMPARE_OPS(WEIR_WASM_X)
#undef WEIR_WASM_X
                                                  case op::count:
    break;
  }
  return "data";
}

} // namespace weir::wasm::detail
