// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace weir::cli {

/// `weir conform`: replays conformance corpora and returns the exit status.
int replay_corpora(std::span<const std::string> words);

} // namespace weir::cli
