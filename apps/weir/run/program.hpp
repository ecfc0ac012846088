// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/args.hpp"

#include <weir/wasm/engine.hpp>
#include <weir/wasm/module.hpp>
#include <weir/wasm/value.hpp>

#include <expected>
#include <map>
#include <string>
#include <vector>

namespace weir::cli {

/// A program that is ready to be run: compiled, with a function to begin at and the arguments for it.
struct program {
  wasm::module blueprint;
  std::vector<wasm::value> arguments; ///< for --invoke
};

/// Why a program cannot be run, in one line, and the exit status for it.
struct load_problem {
  int status = 0;
  std::string message;
};

/// Loads programs, each file once.
class program_loader {
public:
  explicit program_loader(const wasm::engine& engine) : engine_{engine} {}

  /// Reads and compiles the file, and checks that what the request wants to call is there.
  ///
  /// Errors: status 126 for a file that is no core module with something to run; 2 for a wrong function or wrong
  /// arguments.
  std::expected<program, load_problem> load(const program_request& request);

private:
  std::expected<wasm::module, load_problem> compile(const std::string& path);

  wasm::engine engine_;
  std::map<std::string, wasm::module> compiled_; // by canonical path
};

} // namespace weir::cli
