// SPDX-License-Identifier: Apache-2.0
#include <weir/wasm/error.hpp>

#include <cstdio>

namespace weir::wasm {

namespace {

const char* words(errc code) {
  switch (code) {
  case errc::malformed: return "malformed module";
  case errc::invalid: return "invalid module";
  case errc::unsupported_feature: return "unsupported feature";
  case errc::unlinkable: return "cannot link";
  case errc::limit_exceeded: return "limit exceeded";
  case errc::type_mismatch: return "type mismatch";
  case errc::not_found: return "not found";
  case errc::trap: return "trap";
  case errc::uncaught_exception: return "uncaught exception";
  case errc::interrupted: return "interrupted";
  case errc::would_suspend: return "the call would suspend";
  case errc::host_error: return "host error";
  case errc::exited: return "exited";
  }
  return "unknown error";
}

class wasm_category final : public std::error_category {
public:
  const char* name() const noexcept override { return "weir.wasm"; }
  std::string message(int code) const override { return words(static_cast<errc>(code)); }
};

bool is_about_bytes(errc code) {
  return code == errc::malformed || code == errc::invalid || code == errc::unsupported_feature;
}

} // namespace

const std::error_category& category() noexcept {
  static const wasm_category instance;
  return instance;
}

const char* to_string(trap_code code) {
  switch (code) {
  case trap_code::none: return "no trap";
  case trap_code::unreachable: return "unreachable";
  case trap_code::integer_divide_by_zero: return "integer divide by zero";
  case trap_code::integer_overflow: return "integer overflow";
  case trap_code::invalid_conversion_to_integer: return "invalid conversion to integer";
  case trap_code::out_of_bounds_memory_access: return "out of bounds memory access";
  case trap_code::out_of_bounds_table_access: return "out of bounds table access";
  case trap_code::undefined_element: return "undefined element";
  case trap_code::uninitialized_element: return "uninitialized element";
  case trap_code::indirect_call_type_mismatch: return "indirect call type mismatch";
  case trap_code::call_stack_exhausted: return "call stack exhausted";
  case trap_code::null_reference: return "null reference";
  case trap_code::null_exception: return "null exception reference";
  }
  return "unknown trap";
}

std::string error::to_string() const {
  std::string text = words(code);
  if (!message.empty()) text += ": " + message;
  if (is_about_bytes(code)) {
    char place[32];
    std::snprintf(place, sizeof place, " at byte 0x%llx", static_cast<unsigned long long>(offset));
    text += place;
    if (function_index >= 0) text += ", in function " + std::to_string(function_index);
  }
  if (code == errc::exited) text += " with status " + std::to_string(exit_status);
  return text;
}

} // namespace weir::wasm
