// SPDX-License-Identifier: Apache-2.0
#pragma once

// Values between the host, where they carry types, and slots, where they do not.
#include <weir/wasm/error.hpp>
#include <weir/wasm/value.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace weir::wasm::detail {

class store_data;

/// Reads slots as values. An exception among them is pinned: the host may keep it.
std::vector<value> to_values(std::span<const value_type> types, std::span<const std::uint64_t> slots);
value to_value(value_type type, std::uint64_t bits);
std::vector<std::uint64_t> to_slots(std::span<const value> values);

/// Checks number and types; `what` names the values in the message.
///
/// Errors: errc::type_mismatch. A function reference of another store ends the program.
result<void> check_values(const store_data& store, std::span<const value_type> types, std::span<const value> values,
                          const char* what);

error make_trap(trap_code code);

} // namespace weir::wasm::detail
