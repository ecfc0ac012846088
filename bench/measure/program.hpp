// SPDX-License-Identifier: Apache-2.0
#pragma once

// The frame of a benchmark program in C++: `PROGRAM WORKLOAD --permits N [--size N] [--rounds N]` runs one workload in one
// process and prints one line of JSON; `PROGRAM --list` names the workloads. doc/guide/benchmarks.md has the fields.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

struct request {
  std::string_view workload;
  std::size_t permits = 1;
  std::uint64_t size = 0;   // what it counts is the workload's own: tasks, messages, depth, ...
  std::uint64_t rounds = 1; // how often the measured part is repeated; the median round is reported
};

struct report {
  std::uint64_t operations = 0; // in one round
  std::uint64_t wall_ns = 0;    // the median round
  std::uint64_t cpu_ns = 0;     // the median round: user and system time of every thread
  std::uint64_t checksum = 0;   // equal for every peer that did the same work
  long threads = 0;             // alive right after the last round: no peer retires a thread within a run
  std::vector<std::pair<std::string_view, double>> figures = {}; // what the workload measures beside time
};

struct workload {
  std::string_view name;
  std::uint64_t default_size;
  report (*run)(const request&);
};

using workload_list = std::span<const workload>;

/// Makes workloads known to the program while static objects are made: each family of them is one file with one of these,
/// and a program has the families that it is linked from.
class family {
public:
  explicit family(workload_list workloads) noexcept;

private:
  friend int run_program(std::string_view, int, char**);

  workload_list workloads_;
  family* next_;
};

/// Runs what the command line asks for and returns the exit code. Usage errors go to standard error, with code 2.
int run_program(std::string_view peer, int count, char** arguments);

} // namespace bench
