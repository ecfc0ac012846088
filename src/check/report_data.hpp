// SPDX-License-Identifier: Apache-2.0
#pragma once

// Failures for tools: the execution graph as JSON and as a Graphviz drawing.

#include <string>
#include <string_view>

#include "check/checker.hpp"

namespace weir::check::detail {

/// One JSON object: what failed, the threads, and each step in the order of the report with its source, its place in
/// modification order and whether the failure is about it.
[[nodiscard]] std::string failure_as_json(const checker& run, std::string_view replay_string);

/// A directed graph: a column a thread in program order, reads-from in green, modification order in brown, what the
/// failure is about in red.
[[nodiscard]] std::string failure_as_graphviz(const checker& run);

// For other forms of the same data.

/// In double quotes, escaped, for JSON and Graphviz alike.
[[nodiscard]] std::string quoted(std::string_view text);
/// "head.load acquire = 1"
[[nodiscard]] std::string step_text(const checker& run, const trace_step& step);
/// "queue.hpp:14", with the whole path; empty for plain memory.
[[nodiscard]] std::string step_place_text(const trace_step& step);

} // namespace weir::check::detail
