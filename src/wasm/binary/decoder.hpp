// SPDX-License-Identifier: Apache-2.0
#pragma once

// From bytes to module_data. The decoder reports what is malformed or needs a feature; all rules of validation but
// those that keep it from reading on (an instruction that is not constant, say) are in validator.hpp.
#include "wasm/binary/module_data.hpp"
#include "wasm/binary/type_registry.hpp"

#include <weir/wasm/error.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace weir::wasm::detail {

/// Limits of this engine on things that the format leaves open; a module beyond them is reported as
/// errc::limit_exceeded.
namespace engine_limits {
inline constexpr std::uint64_t max_locals = 50'000;         // parameters included
inline constexpr std::uint32_t max_params = 1'000;          // of one function type
inline constexpr std::uint32_t max_results = 1'000;         // of one function type
inline constexpr std::size_t max_operand_height = 1u << 20; // values on the operand stack of one function
} // namespace engine_limits

/// Decodes a module and takes its bytes. Bodies are delimited but not looked into.
///
/// Errors: errc::malformed, errc::invalid, errc::unsupported_feature with `error::lacking`, errc::limit_exceeded; all
/// with the
///         byte offset.
/// Thread: any. The registry is shared by all modules of an engine.
/// Cost:   memory proportional to the file's size, however the counts in it are forged.
result<std::shared_ptr<module_data>> decode_module(std::vector<std::byte> bytes, feature_set allowed,
                                                   type_registry& registry, std::string name);

} // namespace weir::wasm::detail
