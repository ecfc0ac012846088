// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "world.hpp"

#include <weir/task.hpp>

#include <cstdint>

namespace weir::stress {

/// A task that does a few random things and has children that do the same, down to `depth` generations. It may throw, and
/// always ends.
task<int> act(world& in, std::uint64_t seed, unsigned depth, presence here);

} // namespace weir::stress
