// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many seeds of one body.
#include <weir/sim/run.hpp>

#include <optional>

namespace weir::sim {

/// Which seeds, and how many of them twice.
struct search_options {
  run_options base{}; ///< for every run, but for the seed
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 500;
  std::uint64_t twice_one_in = 50; ///< one run in so many is repeated and compared; 1: each; 0: none
};

/// What a search found. It ends at the first seed that fails.
struct search_result {
  std::uint64_t runs = 0;  ///< repetitions included
  std::uint64_t steps = 0; ///< of all of them
  std::optional<std::uint64_t> failing_seed{};
  outcome failing;                        ///< that seed's; for a crash only the kind and a report
  std::vector<std::string> never_reached; ///< goals of sometimes() that held in no run; empty after a failure
  std::uint64_t hash = 0;                 ///< of the hashes of all runs

  [[nodiscard]] bool passed() const noexcept { return !failing_seed && never_reached.empty(); }
  /// What failed and how to see it again; empty when nothing did.
  [[nodiscard]] std::string report() const;
};

/// Runs seeds one after the other, in a process of its own, until one fails: a crash or a leak there is a result and not the end.
///
/// Errors: throws std::system_error when the system has no process.
[[nodiscard]] search_result search(const search_options& options, const std::function<void()>& body);

/// As search(), in the calling process: for a debugger.
[[nodiscard]] search_result search_here(const search_options& options, const std::function<void()>& body);

} // namespace weir::sim
