// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/test_support.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace weir::wasm {
namespace {

using namespace testing;

std::string refusal(world& w, const test_module& m) {
  auto made = w.try_instantiate(m);
  if (made) return "linked";
  EXPECT_EQ(made.error().code, errc::unlinkable);
  return made.error().message;
}

TEST(linker, a_missing_import_is_named) {
  world w;
  test_module m;
  m.import_function("env", "print", m.type({i32}, {}));
  EXPECT_EQ(refusal(w, m), R"(unknown import "env"."print": the linker has no such function)");
}

TEST(linker, a_function_of_another_type_is_refused_with_both_types) {
  world w;
  w.names.define_function("env", "print", [](std::int64_t) {});
  test_module m;
  m.import_function("env", "print", m.type({i32}, {}));
  EXPECT_EQ(refusal(w, m), R"(incompatible import type for "env"."print": the module wants function (i32) -> (), )"
                           "the linker has function (i64) -> ()");
}

TEST(linker, an_import_of_another_kind_is_refused) {
  world w;
  w.names.define_function("env", "x", [] {});
  test_module m;
  m.import_memory("env", "x", {1, 2});
  EXPECT_EQ(refusal(w, m),
            R"(incompatible import type for "env"."x": the module wants memory 1 2, the linker has function () -> ())");
}

TEST(linker, the_current_size_of_a_memory_counts_as_its_minimum) {
  world w;
  const memory shared = expect(memory::create(w.guests, {{1, 5}}));
  ASSERT_TRUE(w.names.define("env", "m", shared));
  test_module two;
  two.import_memory("env", "m", {2, std::nullopt});
  EXPECT_EQ(refusal(w, two),
            R"(incompatible import type for "env"."m": the module wants memory 2, the linker has memory 1 5)");
  ASSERT_TRUE(shared.grow(1));
  EXPECT_EQ(refusal(w, two), "linked");
  test_module small_maximum;
  small_maximum.import_memory("env", "m", {0, 4});
  EXPECT_NE(refusal(w, small_maximum), "linked");
  test_module same_maximum;
  same_maximum.import_memory("env", "m", {0, 5});
  EXPECT_EQ(refusal(w, same_maximum), "linked");
}

TEST(linker, tables_must_agree_in_their_elements_and_bounds) {
  world w;
  ASSERT_TRUE(w.names.define("env", "t", expect(table::create(w.guests, {externref, {3, std::nullopt}}))));
  test_module functions;
  functions.import_table("env", "t", {funcref, {0, std::nullopt}});
  EXPECT_EQ(
      refusal(w, functions),
      R"(incompatible import type for "env"."t": the module wants table 0 funcref, the linker has table 3 externref)");
  test_module bounded;
  bounded.import_table("env", "t", {externref, {3, 3}});
  EXPECT_NE(refusal(w, bounded), "linked");
  test_module fits;
  fits.import_table("env", "t", {externref, {2, std::nullopt}});
  EXPECT_EQ(refusal(w, fits), "linked");
}

TEST(linker, globals_must_agree_in_type_and_mutability) {
  world w;
  ASSERT_TRUE(w.names.define("env", "g", expect(global::create(w.guests, {i32, true}, value{std::int32_t{1}}))));
  test_module m;
  m.import_global("env", "g", {i32, false});
  EXPECT_EQ(refusal(w, m),
            R"(incompatible import type for "env"."g": the module wants global i32, the linker has global (mut i32))");
  test_module same;
  same.import_global("env", "g", {i32, true});
  EXPECT_EQ(refusal(w, same), "linked");
}

TEST(linker, tags_must_agree_in_type) {
  world w;
  ASSERT_TRUE(w.names.define("env", "e", tag::create(w.guests, {{i32}, {}})));
  test_module m;
  m.import_tag("env", "e", m.type({i64}, {}));
  EXPECT_EQ(
      refusal(w, m),
      R"(incompatible import type for "env"."e": the module wants tag (i64) -> (), the linker has tag (i32) -> ())");
}

TEST(linker, a_definition_of_another_store_is_refused) {
  world w;
  store other{w.machine};
  ASSERT_TRUE(w.names.define("env", "m", expect(memory::create(other, {{1, 1}}))));
  test_module m;
  m.import_memory("env", "m", {1, std::nullopt});
  EXPECT_EQ(refusal(w, m),
            R"(the definition of "env"."m" belongs to another store; instantiate both modules in one store)");
}

TEST(linker, things_of_another_engine_are_refused) {
  world w;
  world foreign;
  auto defined = w.names.define("env", "m", expect(memory::create(foreign.guests, {{1, 1}})));
  ASSERT_FALSE(defined);
  EXPECT_EQ(defined.error().code, errc::type_mismatch);
  auto made = w.names.instantiate(foreign.guests, compile(w.machine, test_module{}));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, errc::unlinkable);
}

TEST(linker, exports_of_an_instance_become_imports_and_a_later_definition_replaces_an_earlier_one) {
  world w;
  test_module library;
  library.export_item("number", extern_kind::function, library.function(library.type({}, {i32}), i32_const(1)));
  test_module newer;
  newer.export_item("number", extern_kind::function, newer.function(newer.type({}, {i32}), i32_const(2)));
  test_module user;
  const auto number = user.import_function("lib", "number", user.type({}, {i32}));
  user.export_item("again", extern_kind::function, number);

  ASSERT_TRUE(w.names.define_instance("lib", w.instantiate(library)));
  const instance first = w.instantiate(user);
  ASSERT_TRUE(w.names.define_instance("lib", w.instantiate(newer)));
  const instance second = w.instantiate(user);
  EXPECT_EQ(expect(first.get_func("again")->call(w.guests)).at(0).i32(), 1);
  EXPECT_EQ(expect(second.get_func("again")->call(w.guests)).at(0).i32(), 2);
  EXPECT_TRUE(w.names.has("lib", "number"));
  EXPECT_FALSE(w.names.has("lib", "numbers"));
  EXPECT_FALSE(w.names.has("other", "number"));
}

TEST(linker, two_modules_see_the_same_host_function) {
  world w;
  w.names.define_function("env", "f", [] {});
  test_module m;
  m.export_item("f", extern_kind::function, m.import_function("env", "f", m.type({}, {})));
  EXPECT_EQ(w.instantiate(m).get_func("f"), w.instantiate(m).get_func("f"));
}

TEST(linker, one_linker_serves_several_stores) {
  world w;
  int calls = 0;
  w.names.define_function("env", "f", [&calls] { ++calls; });
  test_module m;
  m.export_item("f", extern_kind::function, m.import_function("env", "f", m.type({}, {})));
  const wasm::module blueprint = compile(w.machine, m);
  store other{w.machine};
  ASSERT_TRUE(expect(w.names.instantiate(w.guests, blueprint)).get_func("f")->call(w.guests));
  ASSERT_TRUE(expect(w.names.instantiate(other, blueprint)).get_func("f")->call(other));
  EXPECT_EQ(calls, 2);
}

} // namespace
} // namespace weir::wasm
