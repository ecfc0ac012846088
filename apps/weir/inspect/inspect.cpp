// SPDX-License-Identifier: Apache-2.0
#include "inspect/inspect.hpp"

#include "inspect/description.hpp"
#include "support/console.hpp"
#include "support/exit_code.hpp"
#include "support/program_file.hpp"
#include "support/units.hpp"

#include "os/thread.hpp"
#include "wasm/binary/component_modules.hpp"
#include "wasm/binary/decoder.hpp"
#include "wasm/binary/summary.hpp"
#include "wasm/binary/type_registry.hpp"
#include "wasm/binary/validator.hpp"

#include <weir/wasm/engine.hpp>
#include <weir/wasm/module.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <system_error>
#include <vector>

namespace weir::cli {
namespace {

using byte_span = std::span<const std::byte>;

constexpr const char* lessons =
    R"(Exit status: 0, 1 a core module inside a component is not valid or cannot be written, 2 usage, 126 not a program.

Examples:
  weir inspect sieve.wasm
  weir inspect --json sieve.wasm
  weir inspect --extract-core parts/ app.component.wasm
  weir inspect --translate big.wasm
)";

struct inspect_request {
  std::string path;
  std::string extract_to;
  bool wants_json = false;
  bool wants_all_functions = false;
  bool validates_only = false;
  bool translates = false;
};

/// One core module of the file, which is the file itself or a part of a component.
struct part {
  std::string label;
  byte_span bytes;
};

wasm::result<wasm::detail::module_summary> summarise(byte_span bytes) {
  wasm::detail::type_registry types;
  auto decoded = wasm::detail::decode_module({bytes.begin(), bytes.end()}, wasm::feature_set::all(), types, {});
  if (!decoded) return std::unexpected(decoded.error());
  if (auto valid = wasm::detail::validate_module(**decoded); !valid) return std::unexpected(valid.error());
  return wasm::detail::summarise(**decoded);
}

int refuse(const std::string& path, std::string_view why) {
  complain(fmt::format("{}: {}", path, why));
  return exit_code::not_a_program;
}

/// Compiles and, if asked, translates one module, and prints how long each took.
bool measure(const part& one, bool translates) {
  const wasm::engine engine;
  const auto begin = std::chrono::steady_clock::now();
  const auto cpu_begin = rt::os::this_thread_cpu_time();
  const auto compiled = wasm::module::compile(engine, one.bytes);
  const auto middle = std::chrono::steady_clock::now();
  const auto cpu_middle = rt::os::this_thread_cpu_time();
  if (!compiled) {
    refuse(one.label, compiled.error().to_string());
    return false;
  }
  std::string line =
      fmt::format("{}: {} decoded and validated in {} (CPU {})", one.label, format_size(one.bytes.size()),
                  format_duration(middle - begin), format_duration(cpu_middle - cpu_begin));
  if (translates) {
    const auto code = compiled->translate_all();
    if (!code) {
      refuse(one.label, code.error().to_string());
      return false;
    }
    line += fmt::format(", translated to {} in {} (CPU {})", format_size(*code),
                        format_duration(std::chrono::steady_clock::now() - middle),
                        format_duration(rt::os::this_thread_cpu_time() - cpu_middle));
  }
  print(stream::output, line + "\n");
  return true;
}

/// A file name for a module inside a component: its place, and its own name where that can be one.
std::string file_name(const inner_module& one) {
  std::string name = one.place.path;
  if (one.contents && !one.contents->name.empty()) {
    name += '-';
    for (const char letter : one.contents->name.substr(0, 64)) {
      const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                            (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
      name += is_plain ? letter : '_';
    }
  }
  return name + ".wasm";
}

int extract(const std::vector<inner_module>& modules, byte_span bytes, const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    complain(fmt::format("{}: {}", folder, failed.message()));
    return exit_code::failure;
  }
  for (const inner_module& one : modules) {
    const auto path = std::filesystem::path{folder} / file_name(one);
    const byte_span content = bytes.subspan(one.place.begin, one.place.end - one.place.begin);
    std::ofstream file{path, std::ios::binary};
    file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
    file.flush();
    if (!file) {
      complain(fmt::format("{}: cannot be written", path.string()));
      return exit_code::failure;
    }
    print(stream::output, fmt::format("{}\n", path.string()));
  }
  return exit_code::success;
}

int measure_all(const std::vector<part>& parts, const inspect_request& request, int status_if_bad) {
  int status = exit_code::success;
  for (const part& one : parts)
    if (!measure(one, request.translates)) status = status_if_bad;
  return status;
}

std::string dump(const nlohmann::json& value) {
  return value.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int inspect_component(const inspect_request& request, byte_span bytes) {
  const auto found = wasm::detail::find_core_modules(bytes);
  if (!found) return refuse(request.path, found.error().to_string());
  if (request.validates_only || request.translates) {
    std::vector<part> parts;
    for (const auto& one : *found)
      parts.push_back(
          {fmt::format("{}: core module {}", request.path, one.path), bytes.subspan(one.begin, one.end - one.begin)});
    return measure_all(parts, request, exit_code::failure);
  }
  std::vector<inner_module> modules;
  for (const auto& one : *found) modules.push_back({one, summarise(bytes.subspan(one.begin, one.end - one.begin))});
  if (!request.extract_to.empty()) return extract(modules, bytes, request.extract_to);
  print(stream::output, request.wants_json ? dump(component_json(bytes.size(), modules))
                                           : describe_component(request.path, bytes.size(), modules));
  return exit_code::success;
}

int inspect_core(const inspect_request& request, byte_span bytes) {
  if (!request.extract_to.empty()) {
    complain(fmt::format("--extract-core: {} is a core module itself, not a component", request.path));
    return exit_code::usage;
  }
  if (request.validates_only || request.translates)
    return measure_all({{request.path, bytes}}, request, exit_code::not_a_program);
  const auto summary = summarise(bytes);
  if (!summary) return refuse(request.path, summary.error().to_string());
  constexpr std::size_t some = 10;
  const std::size_t most = request.wants_all_functions ? std::numeric_limits<std::size_t>::max() : some;
  print(stream::output,
        request.wants_json ? dump(module_json(*summary)) : describe_module(request.path, *summary, most));
  return exit_code::success;
}

} // namespace

int inspect_program(std::span<const std::string> words) {
  inspect_request request;
  CLI::App app{"Shows what a WebAssembly file is made of.", "weir inspect"};
  app.footer(lessons);
  app.add_option("PROG.wasm", request.path, "a core module or a component")->required()->type_name("");
  app.add_flag("--json", request.wants_json, "everything as JSON");
  app.add_flag("--functions", request.wants_all_functions, "lists every function, not only the largest ten");
  app.add_option("--extract-core", request.extract_to,
                 "writes the core modules of a component as DIR/PLACE[-NAME].wasm")
      ->type_name("DIR");
  app.add_flag("--validate-only", request.validates_only, "decodes and validates, and prints how long it took");
  app.add_flag("--translate", request.translates, "the same, and translates every function");
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    print(stream::output, app.help());
    return exit_code::success;
  } catch (const CLI::ParseError& failed) {
    complain(fmt::format("inspect: {} (weir inspect --help explains)", failed.what()));
    return exit_code::usage;
  }
  const auto bytes = read_program(request.path);
  if (!bytes) {
    complain(bytes.error());
    return exit_code::not_a_program;
  }
  return classify(*bytes) == program_kind::component ? inspect_component(request, *bytes)
                                                     : inspect_core(request, *bytes);
}

} // namespace weir::cli
