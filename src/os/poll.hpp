// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "os/file.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

namespace weir::rt::os {

/// What is wanted of a descriptor and what it has; has the layout of the system's pollfd.
struct poll_item {
  int descriptor;
  short wanted;
  short seen;
};

inline constexpr short wants_input = 0x001;
inline constexpr short wants_output = 0x004;
inline constexpr short has_error = 0x008;
inline constexpr short has_hangup = 0x010;
inline constexpr short is_invalid = 0x020;

/// Waits until an item has something, or for `timeout`; without one, for ever. Returns the number of items with
/// something.
///
/// Units: rounded up by the kernel, never early. Interruptions by signals do not end or prolong the wait.
outcome<std::size_t> poll(std::span<poll_item> items, std::optional<std::chrono::nanoseconds> timeout);

/// As poll(), by the clock of the host in a simulation, too; nobody there goes on meanwhile.
outcome<std::size_t> host_poll(std::span<poll_item> items, std::optional<std::chrono::nanoseconds> timeout);

} // namespace weir::rt::os
