// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds the core modules inside a component without understanding the rest of it.
#include <weir/wasm/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weir::wasm::detail {

/// What kind of file the bytes claim to be.
enum class binary_kind : std::uint8_t { core_module, component, other };
binary_kind kind_of_binary(std::span<const std::byte> bytes);

/// A core module in a component's file.
struct embedded_module {
  std::string path;        // places of the enclosing components, then of the module, each counted from 0: `2.0`
  std::uint64_t begin = 0; // byte offsets in the file
  std::uint64_t end = 0;
};

/// Lists the core modules of a component and of the components nested in it, in the order of the file.
///
/// Errors: errc::malformed with the byte offset, also for a file that is a core module itself.
/// Cost:   reads section headers alone, without recursion; the modules are not looked into beyond their header.
result<std::vector<embedded_module>> find_core_modules(std::span<const std::byte> component);

} // namespace weir::wasm::detail
