// SPDX-License-Identifier: Apache-2.0
#include "inspect/description.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace weir::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

wasm::detail::module_summary sample() {
  wasm::detail::module_summary module;
  module.name = "demo";
  module.size = 2048;
  module.features.add(wasm::feature::bulk_memory);
  wasm::import_type import;
  import.module = "env";
  import.name = "f";
  import.function = {{wasm::i32, wasm::i64}, {wasm::f32}};
  module.imports.push_back(import);
  wasm::export_type memory;
  memory.name = "memory";
  memory.kind = wasm::extern_kind::memory;
  memory.memory.pages = {1, 16};
  module.exports.push_back(memory);
  module.sections.push_back({"code", 1500});
  for (std::uint32_t i = 0; i < 20; ++i)
    module.functions.push_back({i + 1, i == 7 ? "big" : "", i == 7 ? 900u : 10u + i, 2});
  module.code_size = 1400;
  return module;
}

TEST(description, a_module_shows_imports_exports_features_sections_and_its_largest_functions) {
  const std::string text = describe_module("demo.wasm", sample(), 3);
  EXPECT_THAT(text, HasSubstr("demo.wasm: core module demo, 2.0 KiB\n"));
  EXPECT_THAT(text, HasSubstr("features: bulk-memory\n"));
  EXPECT_THAT(text, HasSubstr("  env.f: function (i32, i64) -> f32\n"));
  EXPECT_THAT(text, HasSubstr("  memory: memory, 1 to 16 pages\n"));
  EXPECT_THAT(text, HasSubstr("1.5 KiB  code\n"));
  EXPECT_THAT(text, HasSubstr("functions: 20 defined, 0 imported, 1.4 KiB of code\n"));
  EXPECT_THAT(text, HasSubstr("#8 big\n"));
  EXPECT_THAT(text, Not(HasSubstr("#1\n")));
  EXPECT_THAT(describe_module("demo.wasm", sample(), std::numeric_limits<std::size_t>::max()), HasSubstr("#1\n"));
}

TEST(description, types_are_told_in_words) {
  wasm::export_type one;
  one.kind = wasm::extern_kind::table;
  one.table = {wasm::funcref, {10, 10}};
  EXPECT_EQ(describe_type(one), "table of funcref, 10 elements");
  one.kind = wasm::extern_kind::global;
  one.global = {wasm::i64, true};
  EXPECT_EQ(describe_type(one), "global mutable i64");
  one.kind = wasm::extern_kind::memory;
  one.memory.pages = {2, std::nullopt};
  EXPECT_EQ(describe_type(one), "memory, 2 pages or more");
}

TEST(description, a_component_lists_its_core_modules_also_those_that_cannot_be_read) {
  const std::vector<inner_module> modules{
      {{"0", 100, 2148}, sample()},
      {{"1.0", 3000, 3010}, std::unexpected(wasm::error{.code = wasm::errc::malformed, .message = "too short"})}};
  const std::string text = describe_component("app.wasm", 4096, modules);
  EXPECT_THAT(text, HasSubstr("app.wasm: component, 4.0 KiB\ncore modules: 2"));
  EXPECT_THAT(text, HasSubstr("  0: 2.0 KiB, demo, 20 functions, features: bulk-memory\n"));
  EXPECT_THAT(text, HasSubstr("  1.0: 10 B, malformed module: too short"));
  const auto json = component_json(4096, modules);
  EXPECT_EQ(json["core_modules"][0]["name"], "demo");
  EXPECT_EQ(json["core_modules"][1]["path"], "1.0");
  EXPECT_TRUE(json["core_modules"][1].contains("error"));
}

TEST(description, json_has_every_function) {
  const auto json = module_json(sample());
  EXPECT_EQ(json["functions"].size(), 20u);
  EXPECT_EQ(json["functions"][7]["name"], "big");
  EXPECT_EQ(json["imports"][0]["module"], "env");
  EXPECT_EQ(json["features"][0], "bulk-memory");
}

} // namespace
} // namespace weir::cli
