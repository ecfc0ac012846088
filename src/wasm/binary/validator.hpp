// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rules of validation: core 2.0 without SIMD, tail calls, extended constant expressions, several memories and
// exceptions with exnref. Where core 3.0 changed a rule that touches these, its rule holds: earlier immutable globals
// in constant expressions, table initialisers, 64-bit offsets in memory arguments.
#include "wasm/binary/module_data.hpp"

#include <weir/wasm/error.hpp>

#include <cstdint>

namespace weir::wasm::detail {

enum class validation : std::uint8_t {
  eager,       ///< everything
  module_only, ///< everything but function bodies, which validate_body() does later
};

/// Validates a decoded module and completes `module.used` and `module.declared_functions`.
///
/// Errors: errc::invalid, errc::malformed (instructions are looked at here first), errc::unsupported_feature with
///         `error::lacking`, errc::limit_exceeded; all with the byte offset and, inside a body, the function.
/// Thread: one, which alone sees the module.
/// Cost:   one pass; no recursion; memory proportional to the largest body.
result<void> validate_module(module_data& module, validation how = validation::eager);

/// Validates the body of a function that is not imported; the rest of the module must be valid.
///
/// Errors: as validate_module().
/// Thread: any, also for several functions of one module at a time.
result<void> validate_body(const module_data& module, std::uint32_t function);

} // namespace weir::wasm::detail
