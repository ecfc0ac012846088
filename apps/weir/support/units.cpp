// SPDX-License-Identifier: Apache-2.0
#include "support/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

namespace weir::cli {
namespace {

struct unit {
  std::string_view name;
  double factor;
};

constexpr std::array duration_units = {unit{"ns", 1},  unit{"us", 1e3}, unit{"ms", 1e6},
                                       unit{"s", 1e9}, unit{"m", 60e9}, unit{"h", 3600e9}};
constexpr std::array size_units = {unit{"", 1},
                                   unit{"B", 1},
                                   unit{"KB", 1e3},
                                   unit{"MB", 1e6},
                                   unit{"GB", 1e9},
                                   unit{"KiB", 1024},
                                   unit{"MiB", 1024.0 * 1024},
                                   unit{"GiB", 1024.0 * 1024 * 1024}};

/// The number at the front of `text`, and the rest.
std::expected<std::pair<double, std::string_view>, std::string> split_number(std::string_view text) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (failed != std::errc{}) return std::unexpected(fmt::format("'{}' does not begin with a number", text));
  if (std::signbit(number) || !std::isfinite(number)) return std::unexpected(fmt::format("'{}' is negative", text));
  return std::pair{number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

std::expected<double, std::string> scaled(std::string_view text, std::span<const unit> units) {
  const auto number = split_number(text);
  if (!number) return std::unexpected(number.error());
  for (const unit& one : units)
    if (one.name == number->second) return number->first * one.factor;
  if (number->second.empty()) return std::unexpected(fmt::format("'{}' has no unit", text));
  return std::unexpected(fmt::format("'{}' is not a unit", number->second));
}

} // namespace

std::expected<std::chrono::nanoseconds, std::string> parse_duration(std::string_view text) {
  const auto nanoseconds = scaled(text, duration_units);
  if (!nanoseconds)
    return std::unexpected(nanoseconds.error() + "; write a number with ns, us, ms, s, m or h, such as 500ms or 5s");
  // A century is longer than anybody waits and keeps sums of durations far from overflow.
  if (*nanoseconds > 100.0 * 365 * 24 * 3600e9)
    return std::unexpected(fmt::format("'{}' is longer than a century", text));
  return std::chrono::nanoseconds{static_cast<std::int64_t>(*nanoseconds)};
}

std::expected<std::uint64_t, std::string> parse_size(std::string_view text) {
  const auto bytes = scaled(text, size_units);
  if (!bytes)
    return std::unexpected(bytes.error() + "; write a number with KiB, MiB or GiB (or KB, MB, GB), such as 64MiB");
  if (*bytes > 0x1p62) return std::unexpected(fmt::format("'{}' is too large", text));
  return static_cast<std::uint64_t>(*bytes);
}

std::string format_duration(std::chrono::nanoseconds duration) {
  const auto ns = static_cast<double>(duration.count());
  if (ns >= 1e9) return fmt::format("{:.3f} s", ns / 1e9);
  if (ns >= 1e6) return fmt::format("{:.2f} ms", ns / 1e6);
  if (ns >= 1e3) return fmt::format("{:.1f} us", ns / 1e3);
  return fmt::format("{:.0f} ns", ns);
}

std::string format_size(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes >= 1ull << 30) return fmt::format("{:.1f} GiB", size / 0x1p30);
  if (bytes >= 1ull << 20) return fmt::format("{:.1f} MiB", size / 0x1p20);
  if (bytes >= 1ull << 10) return fmt::format("{:.1f} KiB", size / 0x1p10);
  return fmt::format("{} B", bytes);
}

} // namespace weir::cli
