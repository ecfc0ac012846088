// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conform/script_runner.hpp"

#include <weir/wasm/engine.hpp>

#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

/// How a mode sets up the engine and calls the guests.
struct conform_mode {
  wasm::engine_options engine;
  call_style style = call_style::synchronous;
};

/// The mode of that name; none for a name that is no mode.
std::optional<conform_mode> find_mode(std::string_view name);

struct conform_request {
  std::vector<std::string> corpora;
  std::string mode = "normal";
  std::vector<std::string> filters; ///< a script is replayed when its name contains one of them, or when there is none
  std::string json_file;
  bool wants_table = false;
  std::size_t jobs = 0; ///< 0: as many as the runtime has permits by default
};

/// Why there is no request: help for standard output, or a usage error.
struct no_conform_request {
  int status = 0;
  std::string text;
};

std::expected<conform_request, no_conform_request> parse_conform(std::span<const std::string> words);

} // namespace weir::cli
