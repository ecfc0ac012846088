// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wasi/functions.hpp"

#include <expected>
#include <string>

namespace weir::wasi::detail {

/// A path in guest memory. Errors: `fault`; `ilseq` when it is not UTF-8; `inval` for a zero byte in it; `nametoolong`.
std::expected<std::string, errc> load_path(guest_memory memory, u32 address, u32 size);

/// The directory that a path starts from. Errors: `badf`; `notdir` for another file.
std::expected<const descriptor*, errc> find_directory(const guest_state& guest, u32 fd);

/// The same where the path's target will be changed. Errors: also `perm` for a read-only directory.
std::expected<const descriptor*, errc> find_changeable_directory(const guest_state& guest, u32 fd);

} // namespace weir::wasi::detail
