// SPDX-License-Identifier: Apache-2.0
#pragma once

// Litmus programs: small fixed programs on atomics with the complete set of states they may end in. Replaying a file of
// them shows that the checker's memory model and its exploration are right.

#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace weir::check {

/// One way in which a program does not behave as its file says.
struct litmus_mismatch {
  std::string program;
  std::string what;
};

/// What came of a file of litmus programs.
struct litmus_summary {
  std::uint64_t programs = 0;
  std::uint64_t equal = 0;
  std::uint64_t executions = 0;
  std::uint64_t dead_ends = 0;
  std::vector<litmus_mismatch> mismatches;
};

/// Explores each program of a JSON-lines file and compares final states, race verdict and number of executions with
/// those in the file.
///
/// Errors:  a sentence when the file cannot be read or a line is no litmus program, with the line number.
/// Thread:  any thread; runs on the calling one.
/// Cost:    memory linear in the longest execution; `on_mismatch` is called as mismatches are found.
[[nodiscard]] std::expected<litmus_summary, std::string>
run_litmus(const std::filesystem::path& file, const std::function<void(const litmus_mismatch&)>& on_mismatch = {});

} // namespace weir::check
