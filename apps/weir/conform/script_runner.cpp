// SPDX-License-Identifier: Apache-2.0
#include "conform/script_runner.hpp"

#include "conform/expectation.hpp"
#include "conform/spectest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

namespace weir::cli {
namespace {

constexpr const char* component_model = "component-model";

verdict unreadable(std::string why) { return verdict::fail("a readable corpus", std::move(why)); }

/// What an outcome is, for the `got` of a failure.
std::string describe_error(const wasm::error& why) {
  std::string text = why.to_string();
  std::ranges::replace(text, '\n', ' ');
  return fmt::format("{} ({})", text, make_error_code(why.code).message());
}

/// What becomes of a directive whose module is not there: a failed module is one failure, not one for each directive
/// after it.
verdict consequence(const verdict& vacancy) {
  return vacancy.what == verdict::kind::failed ? verdict::skip("its module failed") : vacancy;
}

verdict no_module(const std::string& name) {
  return verdict::fail(name.empty() ? "a module before it" : "a module named " + name, "none");
}

} // namespace

std::string script_name(std::string_view path) {
  const std::filesystem::path script{path};
  const std::filesystem::path folder = script.parent_path();
  // The converter gives each script a folder of its own.
  if (folder.filename() == script.stem()) return folder.generic_string() + ".wast";
  return (folder / script.stem()).generic_string() + ".wast";
}

std::string lacking_proposal(std::string_view path) {
  constexpr std::string_view marker = "proposals/";
  const std::size_t found = path.find(marker);
  if (found == std::string_view::npos) return {};
  const std::string_view rest = path.substr(found + marker.size());
  const std::size_t end = rest.find('/');
  if (end == std::string_view::npos) return {};
  std::string name{rest.substr(0, end)};
  for (unsigned bit = 0; bit < 32; ++bit) {
    const auto one = static_cast<wasm::feature>(1u << bit);
    if (wasm::feature_set::all().has(one) && name == wasm::to_string(one)) return {};
  }
  return name;
}

script_runner::script_runner(const corpus& files, std::string script, const wasm::engine& engine, call_style style)
    : files_{files},
      script_{std::move(script)},
      folder_{std::filesystem::path{script_}.parent_path().generic_string()},
      proposal_{lacking_proposal(script_)},
      engine_{engine},
      store_{engine},
      linker_{engine},
      style_{style} {}

task<script_report> script_runner::run() {
  script_report report{script_name(script_), {}, {}};
  const auto source = files_.read(script_);
  if (!source) {
    report.add(0, "script", unreadable(source.error()));
    co_return report;
  }
  if (const auto defined = define_spectest(linker_, store_); !defined) {
    report.add(0, "spectest", verdict::fail("a host module", describe_error(defined.error())));
    co_return report;
  }
  std::string_view text{reinterpret_cast<const char*>((*source)->data()), (*source)->size()};
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto parsed = parse_directive(line);
    if (!parsed) {
      report.add(0, "line", unreadable(fmt::format("line {} of {} {}", number, script_, parsed.error())));
      continue;
    }
    if (!parsed->has_value()) continue;
    const std::uint64_t script_line = (*parsed)->line;
    const std::string_view kind = to_string((*parsed)->kind);
    const std::size_t weight = 1 + (*parsed)->nested;
    task<verdict> replayed = replay(std::move(**parsed));
    verdict outcome = co_await std::move(replayed);
    report.add(script_line, kind, std::move(outcome), weight);
  }
  co_return report;
}

task<verdict> script_runner::replay(directive one) {
  if (one.is_component) {
    forget(one);
    co_return verdict::lacks(component_model);
  }
  switch (one.kind) {
  case directive_kind::thread:
  case directive_kind::wait: co_return verdict::lacks(wasm::to_string(wasm::feature::threads));
  case directive_kind::assert_suspension: co_return verdict::lacks(wasm::to_string(wasm::feature::stack_switching));
  case directive_kind::assert_invalid_custom:
  case directive_kind::assert_malformed_custom:
    co_return verdict::skip(one.file.empty() ? "text format" : "contents of a custom section");
  case directive_kind::register_instance: co_return replay_register(one);
  case directive_kind::module_instance: {
    task<verdict> replayed = replay_instance(std::move(one));
    co_return co_await std::move(replayed);
  }
  case directive_kind::action:
  case directive_kind::assert_return:
  case directive_kind::assert_trap:
  case directive_kind::assert_exhaustion:
  case directive_kind::assert_exception: {
    task<verdict> replayed = replay_action(std::move(one));
    co_return co_await std::move(replayed);
  }
  default: break;
  }
  if (one.file.empty()) co_return verdict::skip("text format");
  switch (one.kind) {
  case directive_kind::module_definition: co_return replay_definition(one);
  case directive_kind::assert_invalid:
  case directive_kind::assert_malformed: co_return replay_refusal(one);
  case directive_kind::module: {
    task<verdict> replayed = replay_module(std::move(one));
    co_return co_await std::move(replayed);
  }
  default: {
    task<verdict> replayed = replay_failed_start(std::move(one));
    co_return co_await std::move(replayed);
  }
  }
}

task<verdict> script_runner::replay_module(directive one) {
  task<place> instantiated = instantiate(define(one));
  place result = co_await std::move(instantiated);
  const verdict outcome = result.instance ? verdict::pass() : result.vacancy;
  remember(one.name, std::move(result));
  co_return outcome;
}

verdict script_runner::replay_definition(const directive& one) {
  definition made = define(one);
  const verdict outcome = made.blueprint ? verdict::pass() : made.vacancy;
  remember(one.name, std::move(made));
  return outcome;
}

task<verdict> script_runner::replay_instance(directive one) {
  std::optional<definition> from = latest_definition_;
  if (!one.definition.empty()) {
    const auto found = definitions_.find(one.definition);
    from = found == definitions_.end() ? std::nullopt : std::optional{found->second};
  }
  if (!from) co_return no_module(one.definition);
  if (!from->blueprint) {
    const verdict outcome = consequence(from->vacancy);
    remember(one.instance, place{std::nullopt, from->vacancy});
    co_return outcome;
  }
  task<place> instantiated = instantiate(*std::move(from));
  place result = co_await std::move(instantiated);
  const verdict outcome = result.instance ? verdict::pass() : result.vacancy;
  remember(one.instance, std::move(result));
  co_return outcome;
}

verdict script_runner::replay_register(const directive& one) {
  const place* const found = find_place(one.name);
  if (!found) return no_module(one.name);
  registered_.insert_or_assign(one.as, *found);
  if (!found->instance) return consequence(found->vacancy);
  if (const auto defined = linker_.define_instance(one.as, *found->instance); !defined)
    return verdict::fail("a module that can be imported", describe_error(defined.error()));
  return verdict::pass();
}

task<verdict> script_runner::replay_action(directive one) {
  const place* const found = find_place(one.action.module);
  if (!found) co_return no_module(one.action.module);
  if (!found->instance) co_return consequence(found->vacancy);
  if (auto lacking = lacking_feature(one.action.args)) co_return verdict::lacks(*std::move(lacking));
  if (auto lacking = lacking_feature(one.expected)) co_return verdict::lacks(*std::move(lacking));
  task<wasm::result<std::vector<wasm::value>>> performed = perform(one.action, *found->instance);
  const wasm::result<std::vector<wasm::value>> outcome = co_await std::move(performed);
  co_return judge_action(one, outcome);
}

verdict script_runner::judge_action(const directive& one, const wasm::result<std::vector<wasm::value>>& outcome) const {
  const auto got = outcome ? describe(*outcome) : describe_error(outcome.error());
  switch (one.kind) {
  case directive_kind::action: return outcome ? verdict::pass() : verdict::fail("no failure", got);
  case directive_kind::assert_return:
    if (outcome && matches(*outcome, one.expected, store_)) return verdict::pass();
    return verdict::fail(describe(one.expected), got);
  case directive_kind::assert_exception:
    if (!outcome && outcome.error().code == wasm::errc::uncaught_exception) return verdict::pass();
    return verdict::fail("an uncaught exception", got);
  default:
    if (!outcome && outcome.error().code == wasm::errc::trap && matches(outcome.error().trap, one.text))
      return verdict::pass();
    return verdict::fail(fmt::format("a trap: {}", one.text), got);
  }
}

verdict script_runner::replay_refusal(const directive& one) {
  const auto bytes = files_.read(folder_ + "/" + one.file);
  if (!bytes) return unreadable(bytes.error());
  const auto compiled = compile(one, **bytes);
  const auto wanted = one.kind == directive_kind::assert_invalid ? wasm::errc::invalid : wasm::errc::malformed;
  if (!compiled && compiled.error().code == wanted) return verdict::pass();
  if (!compiled && compiled.error().code == wasm::errc::unsupported_feature)
    return verdict::lacks(feature_name(compiled.error()));
  // A proposal's scripts rest on the language as it was then: where they differ from the engine, the proposal decides.
  if (!proposal_.empty()) return verdict::lacks(proposal_);
  const auto expected =
      fmt::format("{} module: {}", wanted == wasm::errc::invalid ? "an invalid" : "a malformed", one.text);
  return verdict::fail(expected, compiled ? "a module that compiles" : describe_error(compiled.error()));
}

task<verdict> script_runner::replay_failed_start(directive one) {
  const definition made = define(one);
  if (!made.blueprint) co_return made.vacancy;
  if (auto vacant = vacant_import(*made.blueprint)) co_return *std::move(vacant);
  task<wasm::result<wasm::instance>> starting = start(*made.blueprint);
  const wasm::result<wasm::instance> started = co_await std::move(starting);
  if (one.kind == directive_kind::assert_unlinkable) {
    if (!started && started.error().code == wasm::errc::unlinkable) co_return verdict::pass();
    co_return verdict::fail("an import that does not link: " + one.text,
                            started ? "an instance" : describe_error(started.error()));
  }
  if (!started && started.error().code == wasm::errc::trap && matches(started.error().trap, one.text))
    co_return verdict::pass();
  co_return verdict::fail("a trap: " + one.text, started ? "an instance" : describe_error(started.error()));
}

wasm::result<wasm::module> script_runner::compile(const directive& one, const file_bytes& bytes) const {
  return wasm::module::compile(engine_, bytes, one.name.empty() ? one.file : one.name);
}

verdict script_runner::refused(const directive& one, const wasm::error& why) const {
  if (why.code == wasm::errc::unsupported_feature) return verdict::lacks(feature_name(why));
  if (!proposal_.empty()) return verdict::lacks(proposal_);
  return verdict::fail(one.file + " to compile", describe_error(why));
}

script_runner::definition script_runner::define(const directive& one) {
  const auto bytes = files_.read(folder_ + "/" + one.file);
  if (!bytes) return {std::nullopt, unreadable(bytes.error())};
  auto compiled = compile(one, **bytes);
  if (!compiled) return {std::nullopt, refused(one, compiled.error())};
  return {*std::move(compiled), {}};
}

task<script_runner::place> script_runner::instantiate(definition from) {
  place made;
  made.vacancy = from.vacancy;
  if (!from.blueprint) co_return made;
  if (auto vacant = vacant_import(*from.blueprint)) {
    made.vacancy = *std::move(vacant);
    co_return made;
  }
  task<wasm::result<wasm::instance>> starting = start(*std::move(from.blueprint));
  const wasm::result<wasm::instance> started = co_await std::move(starting);
  if (started)
    made.instance = *started;
  else
    made.vacancy = verdict::fail("an instance", describe_error(started.error()));
  co_return made;
}

std::optional<verdict> script_runner::vacant_import(const wasm::module& blueprint) const {
  for (const wasm::import_type& one : blueprint.imports()) {
    const auto found = registered_.find(one.module);
    if (found == registered_.end() || found->second.instance) continue;
    return consequence(found->second.vacancy);
  }
  return std::nullopt;
}

task<wasm::result<wasm::instance>> script_runner::start(wasm::module blueprint) {
  if (style_ == call_style::synchronous) co_return linker_.instantiate(store_, blueprint);
  task<wasm::result<wasm::instance>> starting = linker_.instantiate_async(store_, blueprint);
  co_return co_await std::move(starting);
}

task<wasm::result<std::vector<wasm::value>>> script_runner::perform(script_action action, wasm::instance on) {
  const auto missing = [&](std::string_view kind) {
    return std::unexpected(wasm::error{.code = wasm::errc::not_found,
                                       .message = fmt::format("there is no {} named \"{}\"", kind, action.field)});
  };
  if (action.kind == action_kind::get) {
    const auto global = on.get_global(action.field);
    if (!global) co_return missing("global");
    co_return std::vector<wasm::value>{global->get()};
  }
  const auto function = on.get_func(action.field);
  if (!function) co_return missing("function");
  std::vector<wasm::value> arguments;
  for (const script_value& one : action.args) {
    const auto argument = to_argument(one, store_);
    if (!argument)
      co_return std::unexpected(wasm::error{.code = wasm::errc::type_mismatch, .message = argument.error()});
    arguments.push_back(*argument);
  }
  if (style_ == call_style::synchronous) co_return function->call(store_, arguments);
  task<wasm::result<std::vector<wasm::value>>> calling = function->call_async(store_, std::move(arguments));
  co_return co_await std::move(calling);
}

const script_runner::place* script_runner::find_place(const std::string& name) const {
  if (name.empty()) return latest_ ? &*latest_ : nullptr;
  const auto found = named_.find(name);
  return found == named_.end() ? nullptr : &found->second;
}

void script_runner::remember(const std::string& name, place made) {
  latest_ = std::move(made);
  if (!name.empty()) named_.insert_or_assign(name, *latest_);
}

void script_runner::remember(const std::string& name, definition made) {
  latest_definition_ = std::move(made);
  if (!name.empty()) definitions_.insert_or_assign(name, *latest_definition_);
}

void script_runner::forget(const directive& one) {
  const verdict lacking = verdict::lacks(component_model);
  switch (one.kind) {
  case directive_kind::module: remember(one.name, place{std::nullopt, lacking}); break;
  case directive_kind::module_instance: remember(one.instance, place{std::nullopt, lacking}); break;
  case directive_kind::module_definition: remember(one.name, definition{std::nullopt, lacking}); break;
  default: break;
  }
}

} // namespace weir::cli
