// SPDX-License-Identifier: Apache-2.0
#include "run/program.hpp"

#include "support/exit_code.hpp"
#include "support/program_file.hpp"
#include "support/value_text.hpp"

#include <weir/wasi/linker.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

namespace weir::cli {
namespace {

std::unexpected<load_problem> no_program(const std::string& path, std::string_view why) {
  return std::unexpected(load_problem{exit_code::not_a_program, fmt::format("{}: {}", path, why)});
}

std::unexpected<load_problem> usage(std::string message) {
  return std::unexpected(load_problem{exit_code::usage, std::move(message)});
}

std::string function_names(const wasm::module& blueprint) {
  constexpr std::size_t most = 12;
  std::string names;
  std::size_t count = 0;
  for (const wasm::export_type& one : blueprint.exports()) {
    if (one.kind != wasm::extern_kind::function || ++count > most) continue;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  if (count == 0) return "it exports no function";
  return count > most ? fmt::format("it exports {} and {} more", names, count - most) : "it exports " + names;
}

std::optional<wasm::func_type> exported_function(const wasm::module& blueprint, std::string_view name) {
  for (const wasm::export_type& one : blueprint.exports())
    if (one.kind == wasm::extern_kind::function && one.name == name) return one.function;
  return std::nullopt;
}

} // namespace

std::expected<wasm::module, load_problem> program_loader::compile(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::path canonical = std::filesystem::canonical(path, unknown);
  const std::string key = unknown ? path : canonical.string();
  if (const auto found = compiled_.find(key); found != compiled_.end()) return found->second;

  const auto bytes = read_program(path);
  if (!bytes) return std::unexpected(load_problem{exit_code::not_a_program, bytes.error()});
  if (classify(*bytes) == program_kind::component)
    return no_program(
        path, "is a component; weir run takes core modules as yet (weir inspect --extract-core writes those inside)");
  auto compiled = wasm::module::compile(engine_, *bytes, program_name(path));
  if (!compiled) return no_program(path, compiled.error().to_string());
  if (const auto checked = wasi::check_imports(*compiled); !checked)
    return no_program(path, checked.error().to_string());
  compiled_.emplace(key, *compiled);
  return *compiled;
}

std::expected<program, load_problem> program_loader::load(const program_request& request) {
  auto compiled = compile(request.path);
  if (!compiled) return std::unexpected(compiled.error());
  program loaded{*std::move(compiled), {}};
  if (!request.options.invoke) {
    const auto start = exported_function(loaded.blueprint, "_start");
    if (!start || *start != wasm::func_type{})
      return no_program(request.path, fmt::format("has no function _start to begin at; call another with --invoke ({})",
                                                  function_names(loaded.blueprint)));
    return loaded;
  }
  const std::string& name = *request.options.invoke;
  const auto type = exported_function(loaded.blueprint, name);
  if (!type)
    return usage(
        fmt::format("--invoke {}: {} has no such function: {}", name, request.path, function_names(loaded.blueprint)));
  auto arguments = parse_arguments(request.args, *type);
  if (!arguments) return usage(fmt::format("--invoke {}: {}", name, arguments.error()));
  loaded.arguments = *std::move(arguments);
  return loaded;
}

} // namespace weir::cli
