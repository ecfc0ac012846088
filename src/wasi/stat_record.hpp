// SPDX-License-Identifier: Apache-2.0
#pragma once

// The records that several functions write, and the times that several take.
#include "wasi/errno_map.hpp"
#include "wasi/functions.hpp"

#include <expected>
#include <utility>

namespace weir::wasi::detail {

/// Writes a filestat. `record` has room for it.
void put_filestat(std::span<std::byte> record, const rt::os::file_status& what);

/// The two changes that the flags ask for. Errors: `inval` for unknown flags and for a time that is both given and now.
std::expected<std::pair<rt::os::time_change, rt::os::time_change>, errc> to_time_changes(u64 atim, u64 mtim, u32 flags);

} // namespace weir::wasi::detail
