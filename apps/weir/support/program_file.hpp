// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

/// The largest file that is read as a module; no offset inside reaches the end of 32 bits.
inline constexpr std::uint64_t largest_program = 1ull << 30;

enum class program_kind {
  core_module,
  component,
  text,    ///< the text format of either
  unknown, ///< anything else, the empty and the truncated file included
};

/// What the first bytes of a file say that it is.
program_kind classify(std::span<const std::byte> bytes);

/// Reads a whole file whose first bytes say that it is a core module or a component.
///
/// Errors: one line with the path and what to do: no such file, a directory, not readable, empty, truncated, too large,
/// the text format, or no WebAssembly at all. A file that is no program is refused before more than its first bytes are
/// read.
std::expected<std::vector<std::byte>, std::string> read_program(const std::string& path);

/// The name that a program's output carries: the file's name without folders and `.wasm`.
std::string program_name(std::string_view path);

} // namespace weir::cli
