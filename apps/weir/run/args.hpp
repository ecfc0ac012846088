// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weir::cli {

/// What may differ from program to program.
struct program_options {
  struct folder {
    std::string host;
    std::string guest;
    friend bool operator==(const folder&, const folder&) = default;
  };
  std::vector<folder> folders;
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<std::string> invoke;
  std::optional<std::size_t> repeat;
  std::optional<std::chrono::nanoseconds> timeout;
  std::optional<std::uint64_t> max_memory; // bytes
  std::size_t copies = 1;
};

struct program_request {
  std::string path;
  std::vector<std::string> args; // the guest's own, without its name
  program_options options;
};

enum class stats_format { none, table, json };

/// A whole `weir run` command line.
struct run_request {
  std::size_t permits = 0; // 0: the runtime's default
  std::size_t max_threads = 0;
  stats_format stats = stats_format::none;
  bool is_raw = false;
  std::optional<std::uint64_t> seed; // of a simulation
  std::vector<program_request> programs;
};

/// Why there is no request: a help text for standard output (status 0) or a usage error for standard error (status 2).
struct no_request {
  int status = 0;
  std::string text;
};

/// Reads the words after `weir run`.
///
/// Options before the first program are for all programs; options between a `---` and the program after it are for that
/// program alone: they replace the common value, and add to it for --dir and --env. Everything after a program's name
/// belongs to the guest.
std::expected<run_request, no_request> parse_run(std::span<const std::string> words);

} // namespace weir::cli
