// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace weir::cli {

/// `weir check litmus FILE.jsonl`: replays litmus programs against the model checker's memory model. A line per
/// mismatch and a summary.
///
/// Returns: 0 when every program is equal, 1 on any mismatch, 2 on a wrong command line or a file that cannot be used.
int run_check(std::span<const std::string> words);

} // namespace weir::cli
