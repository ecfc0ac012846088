// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/module_builder.hpp"
#include "wasm/binary/summary.hpp"

#include <gtest/gtest.h>

namespace weir::wasm::detail {
namespace {

using test::byte_writer;
using test::bytes;

TEST(summary, describes_what_a_module_needs_gives_and_weighs) {
  test::module_builder b;
  const auto type = b.type({i32}, {i32});
  b.import("env", "log", 0, byte_writer{}.u32(type));
  b.import("env", "memory", 2, bytes({1, 1, 9}));
  b.function(type, bytes({0x20, 0}), bytes({1, 3, 0x7e}));
  b.function(type, bytes({0x20, 0, 0xc0}));
  b.global(f64, true, bytes({0x44, 0, 0, 0, 0, 0, 0, 0, 0}));
  b.export_item("double", 0, 2);
  b.export_item("level", 3, 0);
  b.data(bytes({0, 0x41, 0, 0x0b, 3, 1, 2, 3}));
  b.custom("name", byte_writer{}.u8(1).sized(byte_writer{}.u32(1).u32(1).name("inner")));
  const auto file = b.build();
  const auto module = test::check(file);
  ASSERT_TRUE(module) << module.error().to_string();
  const module_summary s = summarise(**module);

  EXPECT_EQ(s.size, file.size());
  ASSERT_EQ(s.imports.size(), 2u);
  EXPECT_EQ(s.imports[0].name, "log");
  EXPECT_EQ(s.imports[0].function, (func_type{{i32}, {i32}}));
  EXPECT_EQ(s.imports[1].memory.pages, (limits{1, 9}));
  ASSERT_EQ(s.exports.size(), 2u);
  EXPECT_EQ(s.exports[0].kind, extern_kind::function);
  EXPECT_EQ(s.exports[1].global, (global_type{f64, true}));
  EXPECT_EQ(feature_names(s.features), (std::vector<std::string>{"mutable-global", "sign-extension"}));
  ASSERT_EQ(s.functions.size(), 2u);
  EXPECT_EQ(s.functions[0].name, "inner");
  EXPECT_EQ(s.functions[0].size, 3u);
  EXPECT_EQ(s.functions[0].locals, 3u);
  EXPECT_EQ(s.functions[1].name, "double");
  EXPECT_EQ(s.functions[1].index, 2u);
  EXPECT_EQ(s.code_size, 7u);
  EXPECT_EQ(s.data_size, 3u);
  std::string sections;
  for (const section_summary& one : s.sections) sections += one.name + " ";
  EXPECT_EQ(sections, "type import function global export code data \"name\" ");
}

} // namespace
} // namespace weir::wasm::detail
