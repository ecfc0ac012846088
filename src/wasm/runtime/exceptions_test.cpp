// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/test_support.hpp"

#include <gtest/gtest.h>

namespace weir::wasm {
namespace {

using namespace testing;

constexpr std::uint8_t loop = 0x03;
constexpr std::uint8_t block = 0x02;
constexpr std::uint8_t try_table = 0x1f;
constexpr std::uint8_t empty = 0x40;
constexpr std::uint8_t end = 0x0b;
const byte_string throw_tag_0{0x08, 0x00};
const byte_string throw_ref{0x0a};

// Throws and catches as many exceptions as local 0 says.
byte_string throw_many() {
  return join(byte_string{loop, empty, block, empty, try_table, empty, 0x01, 0x02, 0x00}, i32_const(1), throw_tag_0,
              byte_string{end, end}, local_get(0), i32_const(1), i32_sub, byte_string{0x22, 0x00, 0x0d, 0x00, end});
}

TEST(exceptions, a_million_of_them_use_the_memory_of_a_few) {
  world w;
  test_module m;
  m.tag(m.type({i32}, {}));
  m.export_item("run", extern_kind::function, m.function(m.type({i32}, {}), throw_many()));
  const instance guest = w.instantiate(m);
  ASSERT_TRUE(guest.get_func("run")->call(w.guests, std::vector{value{std::int32_t{1'000'000}}}));
  EXPECT_LE(w.guests.usage().exceptions, 2048u);
}

// Catches a reference to an exception with the value of local 0, puts it where `keep` says, throws 100,000 others,
// takes the reference back as `get` says, throws it again and returns its value.
std::int32_t survive(const byte_string& keep, const byte_string& get) {
  world w;
  test_module m;
  m.tag(m.type({i32}, {}));
  m.global({exnref, true}, {0xd0, 0x69});
  m.table({exnref, {4, std::nullopt}});
  const auto churn = m.function(m.type({i32}, {}), throw_many());
  const byte_string body = join(byte_string{block, 0x69, try_table, empty, 0x01, 0x03, 0x00}, local_get(0), throw_tag_0,
                                byte_string{end}, unreachable, byte_string{end}, local_set(1), keep, i32_const(100'000),
                                call(churn), byte_string{block, 0x7f, try_table, empty, 0x01, 0x00, 0x00, 0x00}, get,
                                throw_ref, byte_string{end}, unreachable, byte_string{end});
  m.export_item("run", extern_kind::function, m.function(m.type({i32}, {i32}), body, {exnref}));
  const instance guest = w.instantiate(m);
  return expect(guest.get_func("run")->call(w.guests, std::vector{value{std::int32_t{77}}})).at(0).i32();
}

TEST(exceptions, a_local_keeps_one) { EXPECT_EQ(survive({}, local_get(1)), 77); }

TEST(exceptions, a_global_keeps_one) {
  const byte_string forget{0xd0, 0x69, 0x21, 0x01};
  EXPECT_EQ(survive(join(local_get(1), global_set(0), forget), global_get(0)), 77);
}

TEST(exceptions, a_table_keeps_one) {
  const byte_string forget{0xd0, 0x69, 0x21, 0x01};
  EXPECT_EQ(survive(join(i32_const(2), local_get(1), byte_string{0x26, 0x00}, forget),
                    join(i32_const(2), byte_string{0x25, 0x00})),
            77);
}

TEST(exceptions, one_that_nobody_catches_ends_the_call) {
  world w;
  test_module m;
  m.tag(m.type({i32}, {}));
  m.export_item("run", extern_kind::function, m.function(m.type({}, {}), join(i32_const(1), throw_tag_0)));
  const auto out = w.instantiate(m).get_func("run")->call(w.guests);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, errc::uncaught_exception);
}

TEST(exceptions, one_that_the_host_has_seen_stays) {
  world w;
  test_module m;
  m.tag(m.type({i32}, {}));
  const byte_string body = join(byte_string{block, 0x69, try_table, empty, 0x01, 0x03, 0x00}, i32_const(5), throw_tag_0,
                                byte_string{end}, unreachable, byte_string{end});
  m.export_item("make", extern_kind::function, m.function(m.type({}, {exnref}), body));
  m.export_item("churn", extern_kind::function, m.function(m.type({i32}, {}), throw_many()));
  m.export_item("value", extern_kind::function,
                m.function(m.type({exnref}, {i32}),
                           join(byte_string{block, 0x7f, try_table, empty, 0x01, 0x00, 0x00, 0x00}, local_get(0),
                                throw_ref, byte_string{end}, unreachable, byte_string{end})));
  const instance guest = w.instantiate(m);
  const value kept = expect(guest.get_func("make")->call(w.guests)).at(0);
  ASSERT_TRUE(guest.get_func("churn")->call(w.guests, std::vector{value{std::int32_t{10'000}}}));
  EXPECT_EQ(expect(guest.get_func("value")->call(w.guests, std::vector{kept})).at(0).i32(), 5);
}

} // namespace
} // namespace weir::wasm
