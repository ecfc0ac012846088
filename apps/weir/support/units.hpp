// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace weir::cli {

/// Reads a duration such as `5s`, `500ms`, `1.5m`; the unit is one of ns, us, ms, s, m, h and must be there.
///
/// Errors: a sentence that says what is wrong and gives an example.
std::expected<std::chrono::nanoseconds, std::string> parse_duration(std::string_view text);

/// Reads a size in bytes such as `64MiB`, `1.5GiB`, `4096`; units are B, KiB, MiB, GiB (of 1024) and KB, MB, GB (of
/// 1000).
///
/// Errors: a sentence that says what is wrong and gives an example.
std::expected<std::uint64_t, std::string> parse_size(std::string_view text);

/// Writes a duration for people, with three or four significant digits: `1.234 s`, `12.34 ms`, `56.0 us`.
std::string format_duration(std::chrono::nanoseconds duration);

/// Writes a size in bytes for people: `512 B`, `64.0 KiB`, `11.4 MiB`.
std::string format_size(std::uint64_t bytes);

} // namespace weir::cli
