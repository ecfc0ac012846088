// SPDX-License-Identifier: Apache-2.0
#include "conform/spectest.hpp"

#include <weir/wasm/extern.hpp>

#include <cstdint>
#include <string>

namespace weir::cli {
namespace {

constexpr const char* host_name = "spectest";

wasm::result<void> define_global(wasm::linker& into, wasm::store& owner, const char* name, wasm::value initial) {
  const auto made = wasm::global::create(owner, {initial.type, false}, initial);
  if (!made) return std::unexpected(made.error());
  return into.define(host_name, name, *made);
}

} // namespace

wasm::result<void> define_spectest(wasm::linker& into, wasm::store& owner) {
  into.define_function(host_name, "print", [] {});
  into.define_function(host_name, "print_i32", [](std::int32_t) {});
  into.define_function(host_name, "print_i64", [](std::int64_t) {});
  into.define_function(host_name, "print_f32", [](float) {});
  into.define_function(host_name, "print_f64", [](double) {});
  into.define_function(host_name, "print_i32_f32", [](std::int32_t, float) {});
  into.define_function(host_name, "print_f64_f64", [](double, double) {});

  struct {
    const char* name;
    wasm::value initial;
  } const globals[] = {{"global_i32", wasm::value{std::int32_t{666}}},
                       {"global_i64", wasm::value{std::int64_t{666}}},
                       {"global_f32", wasm::value{666.6f}},
                       {"global_f64", wasm::value{666.6}}};
  for (const auto& [name, initial] : globals)
    if (auto defined = define_global(into, owner, name, initial); !defined) return defined;

  const auto table = wasm::table::create(owner, {wasm::funcref, {10, 20}});
  if (!table) return std::unexpected(table.error());
  if (auto defined = into.define(host_name, "table", *table); !defined) return defined;
  const auto memory = wasm::memory::create(owner, {{1, 2}});
  if (!memory) return std::unexpected(memory.error());
  return into.define(host_name, "memory", *memory);
}

} // namespace weir::cli
