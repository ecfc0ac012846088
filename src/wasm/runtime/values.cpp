// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/values.hpp"

#include "wasm/runtime/objects.hpp"

#include <weir/check.hpp>

#include <string>

namespace weir::wasm::detail {

value to_value(value_type type, std::uint64_t bits) {
  if (type == exnref && bits != 0) referent<exception_object>(bits)->is_pinned = true;
  return {type, bits};
}

std::vector<value> to_values(std::span<const value_type> types, std::span<const std::uint64_t> slots) {
  std::vector<value> out;
  out.reserve(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) out.push_back(to_value(types[i], slots[i]));
  return out;
}

std::vector<std::uint64_t> to_slots(std::span<const value> values) {
  std::vector<std::uint64_t> out;
  out.reserve(values.size());
  for (const value& one : values) out.push_back(one.bits);
  return out;
}

namespace {
std::string list_of_types(std::span<const value_type> types) {
  std::string out = "(";
  for (const value_type type : types) out += (out.size() > 1 ? ", " : "") + to_string(type);
  return out + ")";
}
} // namespace

result<void> check_values(const store_data& store, std::span<const value_type> types, std::span<const value> values,
                          const char* what) {
  bool fits = types.size() == values.size();
  for (std::size_t i = 0; fits && i < types.size(); ++i) fits = types[i] == values[i].type;
  if (!fits) {
    std::vector<value_type> got;
    for (const value& one : values) got.push_back(one.type);
    return std::unexpected(error{.code = errc::type_mismatch,
                                 .message = std::string{what} + " must be " + list_of_types(types) + ", but they are " +
                                            list_of_types(got)});
  }
  for (const value& one : values) {
    if (one.type != funcref || one.is_null()) continue;
    WEIR_CHECK(referent<const func_object>(one.bits)->store == &store,
               "a function reference goes to a guest of another store");
  }
  return {};
}

error make_trap(trap_code code) { return error{.code = errc::trap, .message = to_string(code), .trap = code}; }

} // namespace weir::wasm::detail
