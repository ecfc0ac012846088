// SPDX-License-Identifier: Apache-2.0
#pragma once

// The time of a model, for code with deadlines.

#include <cstdint>
#include <source_location>

namespace weir::check {

/// The model's time in ticks, zero at the start of each execution. It never goes back: a look that comes after another
/// sees the same time or a later one. Each look finds that no tick has passed, or one; both are explored, for as many
/// ticks of each thread as model_options::ticks says. A futex_wait() that times out takes a tick, too, in a thread that has
/// looked at the time before, so whoever waits for the tick after its look and times out is past its deadline.
///
/// Thread: model threads; outside of a model it is always zero.
/// Cost:   each tick that may pass multiplies the executions.
[[nodiscard]] std::uint64_t now(std::source_location where = std::source_location::current());

} // namespace weir::check
