// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/test_support.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace weir::wasm {
namespace {

using namespace testing;

TEST(limits, a_guest_sees_minus_one_when_its_memory_cannot_grow) {
  world w{{}, {.max_memory_bytes = 3 * 65536}};
  test_module m;
  m.export_item("memory", extern_kind::memory, m.memory({1, std::nullopt}));
  m.export_item("grow", extern_kind::function, m.function(m.type({i32}, {i32}), join(local_get(0), memory_grow)));
  const instance guest = w.instantiate(m);
  const auto grow = expect(guest.get_func("grow")->typed<std::int32_t, std::int32_t>());
  EXPECT_EQ(grow.call(w.guests, 1), 1);
  EXPECT_EQ(grow.call(w.guests, 2), -1);
  EXPECT_EQ(grow.call(w.guests, 1), 2);
  EXPECT_EQ(grow.call(w.guests, 1), -1);
  EXPECT_EQ(grow.call(w.guests, 0), 3);
  EXPECT_EQ(guest.get_memory("memory")->pages(), 3u);
  EXPECT_EQ(w.guests.usage().memory_bytes, 3u * 65536);
}

TEST(limits, a_memory_grows_to_its_own_maximum) {
  world w;
  const memory m = expect(memory::create(w.guests, {{0, 2}}));
  EXPECT_EQ(m.pages(), 0u);
  EXPECT_TRUE(m.bytes().empty());
  std::byte* const base = m.bytes().data();
  EXPECT_EQ(m.grow(2), 0u);
  EXPECT_EQ(m.bytes().data(), base);
  m.bytes().back() = std::byte{1};
  const auto more = m.grow(1);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message,
            "a memory of 2 pages cannot grow by 1; its own maximum is 2 pages, and the store's limit is "
            "4294967296 bytes");
  EXPECT_EQ(m.grow(~std::uint64_t{0}).error().code, errc::limit_exceeded);
}

TEST(limits, a_memory_of_more_than_4_GiB_is_refused) {
  world w;
  EXPECT_EQ(memory::create(w.guests, {{65537, std::nullopt}}).error().code, errc::limit_exceeded);
}

TEST(limits, tables_share_the_stores_limit) {
  world w{{}, {.max_table_elements = 10}};
  const table first = expect(table::create(w.guests, {funcref, {6, std::nullopt}}));
  const table second = expect(table::create(w.guests, {externref, {2, 3}}));
  EXPECT_FALSE(table::create(w.guests, {funcref, {3, std::nullopt}}));
  const value null_extern{externref, 0};
  EXPECT_EQ(second.grow(1, null_extern), 2u);
  EXPECT_FALSE(second.grow(1, null_extern));
  EXPECT_EQ(first.grow(1, value{funcref, 0}), 6u);
  EXPECT_FALSE(first.grow(1, value{funcref, 0}));
  EXPECT_EQ(w.guests.usage().table_elements, 10u);
}

TEST(limits, table_elements_are_checked) {
  world w;
  const value one = w.guests.make_externref(std::uint64_t{1});
  const table t = expect(table::create(w.guests, {externref, {2, std::nullopt}}, one));
  EXPECT_EQ(w.guests.externref_number(*t.get(1)), 1u);
  EXPECT_EQ(t.get(2).error().trap, trap_code::out_of_bounds_table_access);
  EXPECT_EQ(t.set(2, one).error().trap, trap_code::out_of_bounds_table_access);
  EXPECT_EQ(t.set(0, value{std::int32_t{1}}).error().code, errc::type_mismatch);
  EXPECT_EQ(table::create(w.guests, {funcref, {1, std::nullopt}}, one).error().code, errc::type_mismatch);
  ASSERT_TRUE(t.set(0, value{externref, 0}));
  EXPECT_TRUE(t.get(0)->is_null());
}

TEST(limits, globals_keep_their_type_and_mutability) {
  world w;
  const global fixed = expect(global::create(w.guests, {i32, false}, value{std::int32_t{1}}));
  EXPECT_EQ(fixed.set(value{std::int32_t{2}}).error().message, "the global is immutable");
  const global free = expect(global::create(w.guests, {f64, true}, value{1.5}));
  EXPECT_EQ(free.set(value{std::int32_t{2}}).error().code, errc::type_mismatch);
  ASSERT_TRUE(free.set(value{2.5}));
  EXPECT_EQ(free.get().f64(), 2.5);
  EXPECT_EQ(global::create(w.guests, {i32, false}, value{1.0f}).error().code, errc::type_mismatch);
}

TEST(limits, host_references_keep_their_data) {
  auto data = std::make_shared<std::string>("host");
  {
    world w;
    const value first = w.guests.make_externref(data);
    const value second = w.guests.make_externref(data);
    EXPECT_NE(first.bits, second.bits);
    EXPECT_EQ(w.guests.externref_data(first), data);
    EXPECT_EQ(w.guests.externref_number(first), std::nullopt);
    EXPECT_EQ(w.guests.make_externref(std::uint64_t{5}).bits, w.guests.make_externref(std::uint64_t{5}).bits);
    EXPECT_EQ(w.guests.externref_data(value{externref, 0}), nullptr);
    EXPECT_EQ(data.use_count(), 3);
  }
  EXPECT_EQ(data.use_count(), 1);
}

} // namespace
} // namespace weir::wasm
