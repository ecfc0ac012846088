// SPDX-License-Identifier: Apache-2.0
#pragma once

// One line of a converted script, as tools/README.md of the corpora describes it: a command with its module file or its
// action.
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

/// A value of a script: an argument, or a pattern that a result must match.
struct script_value {
  std::string type;
  std::optional<std::string> text;        ///< `value` where it is one word: a bit pattern, a NaN pattern, a host number
  std::string heap;                       ///< of a refnull
  std::vector<script_value> alternatives; ///< of an either
};

enum class action_kind { invoke, get };

struct script_action {
  action_kind kind = action_kind::invoke;
  std::string module; ///< a name, or empty for the latest
  std::string field;
  std::vector<script_value> args;
};

enum class directive_kind {
  module,
  module_definition,
  module_instance,
  register_instance,
  action,
  assert_return,
  assert_trap,
  assert_exhaustion,
  assert_exception,
  assert_suspension,
  assert_invalid,
  assert_malformed,
  assert_unlinkable,
  assert_uninstantiable,
  assert_invalid_custom,
  assert_malformed_custom,
  thread,
  wait,
};

/// The name that scripts use, such as `assert_return`.
std::string_view to_string(directive_kind kind);

struct directive {
  directive_kind kind = directive_kind::module;
  std::uint64_t line = 0;
  std::string name;          ///< of the module, definition, thread; empty when it has none
  std::string instance;      ///< of a module_instance: what to call it
  std::string definition;    ///< of a module_instance: what to instantiate
  std::string as;            ///< of a register
  std::string file;          ///< a binary module; empty when there is only text
  bool is_component = false; ///< the module is a component
  std::string text;          ///< what a failed assertion is expected to say
  script_action action;
  std::vector<script_value> expected;
  std::size_t nested = 0; ///< commands inside a thread, at any depth
};

/// Reads one line. The first line of a script, of type `script`, gives no directive.
///
/// Errors: what is wrong with the line; never throws, whatever the line contains.
std::expected<std::optional<directive>, std::string> parse_directive(std::string_view json);

} // namespace weir::cli
