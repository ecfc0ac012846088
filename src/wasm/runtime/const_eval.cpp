// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/const_eval.hpp"

#include <cstddef>
#include <vector>

namespace weir::wasm::detail {

namespace {

using op = const_instruction::op;

std::uint64_t leaf(const const_instruction& one, const instance_object& instance) {
  switch (one.code) {
  case op::global_get: return instance.globals[static_cast<std::size_t>(one.bits)]->value;
  case op::ref_func: return reference_to(instance.functions[static_cast<std::size_t>(one.bits)]);
  case op::ref_null: return 0;
  default: return one.bits;
  }
}

std::uint64_t low(std::uint64_t bits) { return static_cast<std::uint32_t>(bits); }

std::uint64_t combine(op code, std::uint64_t left, std::uint64_t right) {
  switch (code) {
  case op::i32_add: return low(left + right);
  case op::i32_sub: return low(left - right);
  case op::i32_mul: return low(left * right);
  case op::i64_add: return left + right;
  case op::i64_sub: return left - right;
  default: return left * right;
  }
}

bool is_binary(op code) { return code >= op::i32_add; }

} // namespace

std::uint64_t evaluate(const const_expression& expression, const instance_object& instance) {
  if (expression.size() == 1) return leaf(expression.front(), instance);
  std::vector<std::uint64_t> stack;
  for (const const_instruction& one : expression) {
    if (!is_binary(one.code)) {
      stack.push_back(leaf(one, instance));
      continue;
    }
    const std::uint64_t right = stack.back();
    stack.pop_back();
    stack.back() = combine(one.code, stack.back(), right);
  }
  return stack.empty() ? 0 : stack.back();
}

} // namespace weir::wasm::detail
