// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace weir::cli {

/// `weir check litmus FILE.jsonl`: replays litmus programs against the model checker's memory model. A line per
/// mismatch and a summary.
///
/// Returns: 0 when every program is equal, 1 on any mismatch or when the file cannot be used, 2 on a wrong command
/// line.
int run_check(std::span<const std::string> words);

} // namespace weir::cli
