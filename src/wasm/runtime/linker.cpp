// SPDX-License-Identifier: Apache-2.0
#include <weir/wasm/linker.hpp>

#include "wasm/runtime/access.hpp"
#include "wasm/runtime/call.hpp"
#include "wasm/runtime/host_call.hpp"
#include "wasm/runtime/imports.hpp"
#include "wasm/runtime/instantiate.hpp"

#include <utility>

namespace weir::wasm {

using detail::access;

linker::linker(const engine& owner) : engine_{owner} {}

result<void> linker::check_engine(const extern_value& item) const {
  if (access::store_of(item)->shared_engine() == access::of(engine_)) return {};
  return std::unexpected(error{.code = errc::type_mismatch,
                               .message =
                                   "a definition belongs to a store of another engine than the linker's; make both "
                                   "from one engine"});
}

result<void> linker::define(std::string module_name, std::string name, extern_value item) {
  if (auto checked = check_engine(item); !checked) return checked;
  definitions_[std::move(module_name)].insert_or_assign(std::move(name), item);
  return {};
}

void linker::define_host(std::string module_name, std::string name, func_type type,
                         std::shared_ptr<detail::host_function> callable) {
  definitions_[std::move(module_name)].insert_or_assign(
      std::move(name), detail::make_host_definition(*access::of(engine_), std::move(type), std::move(callable)));
}

void linker::define_untyped(std::string module_name, std::string name, func_type type, untyped_function callable) {
  auto adapter = detail::make_untyped(type, std::move(callable));
  define_host(std::move(module_name), std::move(name), std::move(type), std::move(adapter));
}

result<void> linker::define_instance(const std::string& module_name, const instance& from) {
  for (const auto& [name, item] : from.exports()) {
    if (auto defined = define(module_name, std::string{name}, item); !defined) return defined;
  }
  return {};
}

bool linker::has(std::string_view module_name, std::string_view name) const {
  return find(module_name, name) != nullptr;
}

const linker::definition* linker::find(std::string_view module_name, std::string_view name) const {
  const auto names = definitions_.find(module_name);
  if (names == definitions_.end()) return nullptr;
  const auto found = names->second.find(name);
  return found == names->second.end() ? nullptr : &found->second;
}

result<std::vector<extern_value>> linker::resolve(store& owner, const wasm::module& blueprint) const {
  detail::store_data& store = access::of(owner);
  std::vector<extern_value> out;
  for (const detail::module_import& wanted : access::of(blueprint)->data->imports) {
    const definition* found = find(wanted.module, wanted.name);
    if (found == nullptr) return std::unexpected(detail::unknown_import(wanted));
    if (const auto* host = std::get_if<host_pointer>(found)) {
      out.push_back(access::make(store.host_function_of(*host)));
      continue;
    }
    const auto& item = std::get<extern_value>(*found);
    if (access::store_of(item) != &store)
      return std::unexpected(error{.code = errc::unlinkable,
                                   .message = "the definition of " + detail::quoted(wanted.module, wanted.name) +
                                              " belongs to another store; instantiate both modules in one store"});
    out.push_back(item);
  }
  return out;
}

result<instance> linker::prepare(store& owner, const wasm::module& blueprint) const {
  if (access::of(blueprint)->engine != access::of(engine_) || access::of(owner).shared_engine() != access::of(engine_))
    return std::unexpected(error{.code = errc::unlinkable,
                                 .message =
                                     "the module, the store and the linker belong to different engines; make all "
                                     "from one engine"});
  const detail::store_entry entry{access::of(owner)};
  auto imports = resolve(owner, blueprint);
  if (!imports) return std::unexpected(std::move(imports).error());
  auto made = detail::make_instance(access::of(owner), access::of(blueprint), *imports);
  if (!made) return std::unexpected(std::move(made).error());
  return access::make(**made);
}

result<instance> linker::instantiate(store& owner, const wasm::module& blueprint) const {
  auto made = prepare(owner, blueprint);
  if (!made) return made;
  if (detail::func_object* start = detail::start_of(access::of(*made))) {
    if (auto called = detail::call(access::of(owner), *start, {}, {}); !called)
      return std::unexpected(std::move(called).error());
  }
  return made;
}

namespace {
task<result<instance>> run_start(detail::store_data* store, result<instance> made) {
  if (!made) co_return made;
  if (detail::func_object* start = detail::start_of(access::of(*made))) {
    auto called = co_await detail::call_async(store, start, {});
    if (!called) co_return std::unexpected(std::move(called).error());
  }
  co_return made;
}
} // namespace

task<result<instance>> linker::instantiate_async(store& owner, const wasm::module& blueprint) const {
  return run_start(&access::of(owner), prepare(owner, blueprint));
}

} // namespace weir::wasm
