// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/test_support.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace weir::wasm {
namespace {

using namespace testing;

TEST(instantiate, exports_are_found_by_name_and_kind) {
  world w;
  test_module m;
  const auto type = m.type({i32}, {i32});
  m.export_item("increment", extern_kind::function, m.function(type, join(local_get(0), i32_const(1), i32_add)));
  m.export_item("memory", extern_kind::memory, m.memory({1, 2}));
  m.export_item("limit", extern_kind::global, m.global({i64, false}, i64_const(-5)));
  m.export_item("table", extern_kind::table, m.table({funcref, {3, std::nullopt}}));
  m.export_item("failure", extern_kind::tag, m.tag(m.type({i32}, {})));
  const instance made = w.instantiate(m);

  EXPECT_EQ(made.exports().size(), 5u);
  EXPECT_EQ(made.get_memory("memory")->pages(), 1u);
  EXPECT_EQ(made.get_global("limit")->get().i64(), -5);
  EXPECT_EQ(made.get_table("table")->size(), 3u);
  EXPECT_EQ(made.get_tag("failure")->type().params, std::vector{i32});
  EXPECT_FALSE(made.get_func("memory"));
  EXPECT_FALSE(made.get("absent"));
  EXPECT_EQ(expect(made.get_func("increment")->typed<std::int32_t, std::int32_t>()).call(w.guests, 41), 42);
}

TEST(instantiate, segments_and_globals_may_use_imported_globals) {
  world w;
  const global base = expect(global::create(w.guests, {i32, false}, value{std::int32_t{8}}));
  ASSERT_TRUE(w.names.define("env", "base", base));
  test_module m;
  const auto imported = m.import_global("env", "base", {i32, false});
  const auto sum = m.global({i32, false}, join(global_get(imported), i32_const(2), i32_add));
  m.export_item("sum", extern_kind::global, sum);
  EXPECT_EQ(w.instantiate(m).get_global("sum")->get().i32(), 10);
}

TEST(instantiate, data_segments_fill_the_memory_in_order) {
  world w;
  test_module m;
  m.export_item("memory", extern_kind::memory, m.memory({1, std::nullopt}));
  m.data(4, "abcd");
  m.data(6, "XY");
  const auto bytes = w.instantiate(m).get_memory("memory")->bytes();
  EXPECT_EQ(std::memcmp(bytes.data() + 4, "abXY", 4), 0);
}

TEST(instantiate, a_segment_that_does_not_fit_leaves_what_came_before_it) {
  world w;
  const memory shared = expect(memory::create(w.guests, {{1, 1}}));
  ASSERT_TRUE(w.names.define("env", "memory", shared));
  test_module m;
  m.import_memory("env", "memory", {1, std::nullopt});
  m.data(0, "hello");
  m.data(65535, "no");
  auto made = w.try_instantiate(m);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().trap, trap_code::out_of_bounds_memory_access);
  EXPECT_EQ(std::memcmp(shared.bytes().data(), "hello", 5), 0);
}

TEST(instantiate, functions_of_a_failed_instance_live_on_in_a_shared_table) {
  world w;
  const table shared = expect(table::create(w.guests, {funcref, {2, std::nullopt}}));
  ASSERT_TRUE(w.names.define("env", "table", shared));
  test_module m;
  m.import_table("env", "table", {funcref, {0, std::nullopt}});
  const auto nothing = m.type({}, {});
  const auto answer = m.function(m.type({}, {i32}), i32_const(42));
  m.element(0, {answer});
  m.start(m.function(nothing, unreachable));
  auto made = w.try_instantiate(m);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().trap, trap_code::unreachable);
  const auto kept = func::from_value(*shared.get(0));
  ASSERT_TRUE(kept);
  EXPECT_EQ(expect(kept->call(w.guests)).at(0).i32(), 42);
}

TEST(instantiate, the_start_function_runs_after_the_segments) {
  world w;
  test_module m;
  m.memory({1, std::nullopt});
  m.data(8, std::string_view{"\x2a\0\0\0", 4});
  const auto seen = m.global({i32, true}, i32_const(0));
  m.export_item("seen", extern_kind::global, seen);
  m.start(m.function(m.type({}, {}), join(i32_const(8), i32_load, global_set(seen))));
  EXPECT_EQ(w.instantiate(m).get_global("seen")->get().i32(), 42);
}

TEST(instantiate, limits_of_the_store_are_checked_before_anything_is_made) {
  world w{{}, {.max_memory_bytes = 3 * 65536, .max_table_elements = 10, .max_instances = 2}};
  test_module big;
  big.memory({4, std::nullopt});
  auto made = w.try_instantiate(big);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, errc::limit_exceeded);
  EXPECT_EQ(made.error().message,
            "262144 more bytes of memory do not fit: the store uses 0 and store_limits::max_memory_bytes is 196608");

  test_module wide;
  wide.table({funcref, {11, std::nullopt}});
  EXPECT_EQ(w.try_instantiate(wide).error().code, errc::limit_exceeded);
  EXPECT_EQ(w.guests.usage().instances, 0u);

  test_module small;
  EXPECT_TRUE(w.try_instantiate(small));
  EXPECT_TRUE(w.try_instantiate(small));
  EXPECT_EQ(w.try_instantiate(small).error().message,
            "the store has 2 instances, as many as store_limits::max_instances");
}

TEST(instantiate, a_memory_given_back_by_a_store_is_zero_in_the_next_one) {
  const engine machine;
  test_module m;
  m.export_item("memory", extern_kind::memory, m.memory({1, std::nullopt}));
  const wasm::module blueprint = compile(machine, m);
  const linker names{machine};
  for (int round = 0; round < 3; ++round) {
    store guests{machine};
    const auto bytes = expect(names.instantiate(guests, blueprint)).get_memory("memory")->bytes();
    EXPECT_EQ(bytes[100], std::byte{0});
    bytes[100] = std::byte{9};
  }
}

} // namespace
} // namespace weir::wasm
