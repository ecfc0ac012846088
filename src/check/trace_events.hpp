// SPDX-License-Identifier: Apache-2.0
#pragma once

// A failing execution in the trace event format of Chrome and Perfetto: a track a thread, a slice a step, an arrow from each
// write to the reads that see it.

#include <string>

#include "check/checker.hpp"

namespace weir::check::detail {

[[nodiscard]] std::string failure_as_trace(const checker& run);

} // namespace weir::check::detail
