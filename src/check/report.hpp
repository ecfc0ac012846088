// SPDX-License-Identifier: Apache-2.0
#pragma once

// Failures for people: one column a thread, one line a step, in an order in which the execution could have happened.

#include <string>
#include <vector>

#include "check/checker.hpp"

namespace weir::check::detail {

[[nodiscard]] std::string describe_failure(const checker& run, std::string_view replay_string);
[[nodiscard]] std::string describe_fixes(const std::vector<std::string>& fixes);

/// "queue.hpp:14 store: relaxed -> release"
[[nodiscard]] std::string describe(const order_change& change);

/// Each order at these places, weakened by one step; an order with two sides in two ways.
[[nodiscard]] std::vector<order_change> weaker_orders(const std::vector<order_site>& sites);

/// Each order of the failing execution, made stronger; weaker changes first.
[[nodiscard]] std::vector<order_change> stronger_orders(const checker& run);

} // namespace weir::check::detail
