// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/test_support.hpp"

#include <gtest/gtest.h>

#include <string>

namespace weir::wasm {
namespace {

using namespace testing;

std::string refusal(const engine& with, const std::vector<std::byte>& bytes) {
  auto made = wasm::module::compile(with, bytes);
  return made ? "compiled" : made.error().to_string();
}

TEST(module, bytes_that_are_no_module_are_refused_with_the_place) {
  const engine machine;
  EXPECT_NE(refusal(machine, {}).find("malformed module"), std::string::npos);
  std::vector<std::byte> cut = test_module{}.build();
  cut.pop_back();
  EXPECT_NE(refusal(machine, cut).find("at byte 0x"), std::string::npos);
}

TEST(module, a_body_that_breaks_a_rule_is_refused_with_its_function) {
  test_module m;
  const auto type = m.type({}, {i32});
  m.function(type, i32_const(1));
  m.function(type, {});
  const auto made = wasm::module::compile(engine{}, m.build());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, errc::invalid);
  EXPECT_EQ(made.error().function_index, 1);
}

TEST(module, validated_lazily_a_wrong_body_ends_the_call_that_needs_it) {
  world w{{.validates_lazily = true}};
  test_module m;
  const auto type = m.type({}, {i32});
  m.export_item("right", extern_kind::function, m.function(type, i32_const(1)));
  m.export_item("wrong", extern_kind::function, m.function(type, {}));
  const instance guest = w.instantiate(m);
  EXPECT_EQ(expect(guest.get_func("right")->call(w.guests)).at(0).i32(), 1);
  for (int round = 0; round < 2; ++round) {
    const auto out = guest.get_func("wrong")->call(w.guests);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, errc::invalid);
  }
  EXPECT_EQ(compile(w.machine, m).translate_all().error().code, errc::invalid);
}

TEST(module, imports_exports_and_sizes_are_described) {
  test_module m;
  m.import_function("env", "f", m.type({i64}, {}));
  m.import_memory("env", "m", {1, 7});
  m.export_item("g", extern_kind::global, m.global({f32, true}, {0x43, 0, 0, 0, 0}));
  m.passive_data("12345");
  const wasm::module made = compile(engine{}, m);
  ASSERT_EQ(made.imports().size(), 2u);
  EXPECT_EQ(made.imports()[0].function.params, std::vector{i64});
  EXPECT_EQ(made.imports()[1].name, "m");
  EXPECT_EQ(made.imports()[1].memory.pages, (limits{1, 7}));
  ASSERT_EQ(made.exports().size(), 1u);
  EXPECT_EQ(made.exports()[0].global, (global_type{f32, true}));
  EXPECT_EQ(made.summary().data_bytes, 5u);
  EXPECT_EQ(made.summary().imported_functions, 1u);
  EXPECT_TRUE(made.features().has(feature::bulk_memory));
  EXPECT_FALSE(made.custom_section("name"));
}

TEST(module, translating_everything_gives_code_and_changes_nothing) {
  world w;
  test_module m;
  m.export_item("f", extern_kind::function, m.function(m.type({}, {i32}), i32_const(9)));
  const wasm::module made = compile(w.machine, m);
  const std::size_t size = expect(made.translate_all());
  EXPECT_GT(size, 0u);
  EXPECT_EQ(made.translate_all(), size);
  EXPECT_EQ(expect(expect(w.names.instantiate(w.guests, made)).get_func("f")->call(w.guests)).at(0).i32(), 9);
}

} // namespace
} // namespace weir::wasm
