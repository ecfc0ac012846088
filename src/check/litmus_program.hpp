// SPDX-License-Identifier: Apache-2.0
#pragma once

// A litmus program: threads that are lists of instructions over numbered locations and registers.

#include <cstdint>
#include <expected>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <weir/check/detail/operation.hpp>

namespace weir::check::detail {

struct litmus_instruction {
  enum class form : std::uint8_t { access, fence, if_equal };

  form what = form::access;
  operation op; // access: a read puts its value into register `reg`
  int reg = -1; // access: -1 for a store; if_equal: the register that is compared with `equals`
  std::int64_t equals = 0;
  std::vector<litmus_instruction> then;
};

inline constexpr std::size_t max_litmus_threads = 8;

using litmus_thread = std::vector<litmus_instruction>;
using litmus_state = std::vector<std::int64_t>; // the registers of each thread in order, then the locations

struct litmus_program {
  std::string name;
  std::vector<litmus_thread> threads;
  std::vector<std::vector<std::string>> registers; // names, for each thread
  std::vector<std::string> locations;              // names
};

struct litmus_verdict {
  std::set<litmus_state> states;
  bool has_race = false;
  std::uint64_t executions = 0;
  std::uint64_t dead_ends = 0;
};

struct litmus_case {
  litmus_program program;
  litmus_verdict expected;
};

/// Reads one line of a litmus file. The error says what is wrong with it.
[[nodiscard]] std::expected<litmus_case, std::string> parse_litmus(std::string_view line);

/// "0:r0=1 [x]=2"
[[nodiscard]] std::string describe(const litmus_program& program, const litmus_state& state);

} // namespace weir::check::detail
