// SPDX-License-Identifier: Apache-2.0
#include "conform/directive.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace weir::cli {
namespace {

using nlohmann::json;

constexpr std::array kinds = {
    std::pair{directive_kind::module, std::string_view{"module"}},
    std::pair{directive_kind::module_definition, std::string_view{"module_definition"}},
    std::pair{directive_kind::module_instance, std::string_view{"module_instance"}},
    std::pair{directive_kind::register_instance, std::string_view{"register"}},
    std::pair{directive_kind::action, std::string_view{"action"}},
    std::pair{directive_kind::assert_return, std::string_view{"assert_return"}},
    std::pair{directive_kind::assert_trap, std::string_view{"assert_trap"}},
    std::pair{directive_kind::assert_exhaustion, std::string_view{"assert_exhaustion"}},
    std::pair{directive_kind::assert_exception, std::string_view{"assert_exception"}},
    std::pair{directive_kind::assert_suspension, std::string_view{"assert_suspension"}},
    std::pair{directive_kind::assert_invalid, std::string_view{"assert_invalid"}},
    std::pair{directive_kind::assert_malformed, std::string_view{"assert_malformed"}},
    std::pair{directive_kind::assert_unlinkable, std::string_view{"assert_unlinkable"}},
    std::pair{directive_kind::assert_uninstantiable, std::string_view{"assert_uninstantiable"}},
    std::pair{directive_kind::assert_invalid_custom, std::string_view{"assert_invalid_custom"}},
    std::pair{directive_kind::assert_malformed_custom, std::string_view{"assert_malformed_custom"}},
    std::pair{directive_kind::thread, std::string_view{"thread"}},
    std::pair{directive_kind::wait, std::string_view{"wait"}},
};

/// What makes a line unreadable. Thrown inside this file alone: a converted line is nested, and a problem at any depth
/// ends it.
struct bad_line {
  std::string what;
};

std::string text_or_empty(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return {};
  if (!found->is_string()) throw bad_line{fmt::format("\"{}\" is not a string", key)};
  return found->get<std::string>();
}

std::string text(const json& object, const char* key) {
  if (!object.contains(key)) throw bad_line{fmt::format("has no \"{}\"", key)};
  return text_or_empty(object, key);
}

script_value read_value(const json& source, int depth = 0) {
  if (!source.is_object()) throw bad_line{"a value is not an object"};
  if (depth > 8) throw bad_line{"values are nested too deeply"};
  script_value value;
  value.type = text(source, "type");
  value.heap = text_or_empty(source, "heap");
  if (const auto found = source.find("value"); found != source.end() && found->is_string())
    value.text = found->get<std::string>();
  if (const auto found = source.find("values"); found != source.end() && found->is_array())
    for (const json& one : *found) value.alternatives.push_back(read_value(one, depth + 1));
  return value;
}

std::vector<script_value> read_values(const json& source, const char* key) {
  std::vector<script_value> values;
  const auto found = source.find(key);
  if (found == source.end()) return values;
  if (!found->is_array()) throw bad_line{fmt::format("\"{}\" is not a list", key)};
  for (const json& one : *found) values.push_back(read_value(one));
  return values;
}

script_action read_action(const json& source) {
  const auto found = source.find("action");
  if (found == source.end() || !found->is_object()) throw bad_line{"has no \"action\""};
  script_action action;
  const std::string kind = text(*found, "type");
  if (kind == "invoke")
    action.kind = action_kind::invoke;
  else if (kind == "get")
    action.kind = action_kind::get;
  else
    throw bad_line{fmt::format("'{}' is no kind of action", kind)};
  action.module = text_or_empty(*found, "module");
  action.field = text(*found, "field");
  action.args = read_values(*found, "args");
  return action;
}

/// Commands inside a thread, counted: they run only together with it.
std::size_t count_nested(const json& source, int depth = 0) {
  const auto found = source.find("commands");
  if (found == source.end() || !found->is_array() || depth > 8) return 0;
  std::size_t count = found->size();
  for (const json& one : *found)
    if (one.is_object()) count += count_nested(one, depth + 1);
  return count;
}

void read_file(const json& source, directive& into) {
  into.is_component = text_or_empty(source, "sort") == "component";
  into.file = text(source, "filename");
  if (text_or_empty(source, "module_type") == "text") into.file = text_or_empty(source, "binary_filename");
}

directive read(const json& source, directive_kind kind) {
  directive read;
  read.kind = kind;
  read.name = text_or_empty(source, "name");
  read.text = text_or_empty(source, "text");
  read.expected = read_values(source, "expected");
  if (const auto line = source.find("line"); line != source.end() && line->is_number_unsigned())
    read.line = line->get<std::uint64_t>();
  switch (kind) {
  case directive_kind::action:
  case directive_kind::assert_return:
  case directive_kind::assert_trap:
  case directive_kind::assert_exhaustion:
  case directive_kind::assert_exception:
  case directive_kind::assert_suspension: read.action = read_action(source); break;
  case directive_kind::register_instance: read.as = text(source, "as"); break;
  case directive_kind::module_instance:
    read.is_component = text_or_empty(source, "sort") == "component";
    read.instance = text_or_empty(source, "instance");
    read.definition = text_or_empty(source, "module");
    break;
  case directive_kind::thread: read.nested = count_nested(source); break;
  case directive_kind::wait: break;
  default: read_file(source, read); break;
  }
  return read;
}

} // namespace

std::string_view to_string(directive_kind kind) {
  for (const auto& [one, name] : kinds)
    if (one == kind) return name;
  return "unknown";
}

std::expected<std::optional<directive>, std::string> parse_directive(std::string_view line) {
  const json source = json::parse(line, nullptr, false);
  if (source.is_discarded()) return std::unexpected("is not JSON");
  if (!source.is_object()) return std::unexpected("is not a JSON object");
  try {
    const std::string type = text(source, "type");
    if (type == "script") return std::nullopt;
    for (const auto& [kind, name] : kinds)
      if (name == type) return read(source, kind);
    return std::unexpected(fmt::format("'{}' is no type of command", type));
  } catch (const bad_line& bad) {
    return std::unexpected(bad.what);
  }
}

} // namespace weir::cli
