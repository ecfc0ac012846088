// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "os/file.hpp"

#include <cstddef>
#include <span>

namespace weir::rt::os {

/// Fills the bytes from the system's secure generator.
outcome<void> fill_random(std::span<std::byte> bytes);

} // namespace weir::rt::os
