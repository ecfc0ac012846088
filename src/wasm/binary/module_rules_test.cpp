// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/module_builder.hpp"
#include "wasm/binary/validator.hpp"

#include <gtest/gtest.h>

namespace weir::wasm::detail {
namespace {

using test::byte_writer;
using test::bytes;
using test::check;
using test::module_builder;

std::string message(const module_builder& b) {
  const auto checked = check(b.build());
  return checked ? "ok" : checked.error().message;
}

TEST(module_rules, export_names_are_unique_and_name_something) {
  module_builder b;
  b.function(b.type({}), bytes({}));
  b.memory(0);
  b.export_item("a", 0, 0);
  b.export_item("b", 2, 0);
  EXPECT_EQ(message(b), "ok");
  module_builder twice = b;
  twice.export_item("a", 2, 0);
  EXPECT_EQ(message(twice), "duplicate export name \"a\"");
  for (const auto& [kind, text] : {std::pair{0u, "unknown function 7"},
                                   {1u, "unknown table 7"},
                                   {2u, "unknown memory 7"},
                                   {3u, "unknown global 7"},
                                   {4u, "unknown tag 7"}}) {
    module_builder missing = b;
    missing.export_item("x", kind, 7);
    EXPECT_EQ(message(missing), text);
  }
}

TEST(module_rules, start_function_takes_and_gives_nothing) {
  module_builder b;
  b.function(b.type({}), bytes({}));
  b.function(b.type({}, {i32}), bytes({0x41, 0}));
  b.start(0);
  EXPECT_EQ(message(b), "ok");
  b.start(1);
  EXPECT_EQ(message(b), "start function must take and give nothing, not () -> i32");
  b.start(2);
  EXPECT_EQ(message(b), "unknown function 2");
}

TEST(module_rules, constant_expressions_see_earlier_immutable_globals) {
  module_builder b;
  b.import("m", "g", 3, bytes({0x7f, 0}));
  b.global(i32, false, bytes({0x23, 0, 0x41, 1, 0x6a}));
  b.global(i32, true, bytes({0x23, 1}));
  EXPECT_EQ(message(b), "ok");
  module_builder forward = b;
  forward.global(i32, false, bytes({0x23, 3}));
  EXPECT_EQ(message(forward), "unknown global 3");
  module_builder of_mutable = b;
  of_mutable.global(i32, false, bytes({0x23, 2}));
  EXPECT_EQ(message(of_mutable), "constant expression required, not a mutable global");
  EXPECT_TRUE((*check(b.build()))->used.has(feature::extended_const));
}

TEST(module_rules, constant_expressions_have_the_type_wanted) {
  for (const auto& [init, text] :
       {std::pair{bytes({0x42, 0}), "type mismatch: constant expression requires [i32] but stack has [i64]"},
        {bytes({}), "type mismatch: constant expression requires [i32] but stack has []"},
        {bytes({0x41, 0, 0x41, 0}), "type mismatch: constant expression requires [i32] but stack has [i32 i32]"},
        {bytes({0x41, 0, 0x6a}), "type mismatch: arithmetic on other types in a constant expression"}}) {
    module_builder b;
    b.global(i32, false, init);
    EXPECT_EQ(message(b), text);
  }
}

TEST(module_rules, sizes_are_ordered_and_within_the_address_space) {
  const auto memory = [](const byte_writer& type) {
    module_builder b;
    b.add(5, type);
    return message(b);
  };
  EXPECT_EQ(memory(byte_writer{}.u8(1).u32(65536).u32(65536)), "ok");
  EXPECT_EQ(memory(byte_writer{}.u8(0).u32(65537)), "memory size must be at most 65536 pages (4GiB)");
  EXPECT_EQ(memory(byte_writer{}.u8(1).u32(2).u32(1)), "size minimum must not be greater than maximum");
  module_builder b;
  b.add(4, byte_writer{}.u8(0x70).u8(0).u32(0x100000000));
  EXPECT_EQ(message(b), "table size must be at most 2^32-1");
}

TEST(module_rules, segments_fit_their_tables_and_memories) {
  module_builder b;
  b.function(b.type({}), bytes({}));
  b.table(externref, 1);
  module_builder other = b;
  b.element(bytes({0, 0x41, 0, 0x0b, 1, 0}));
  EXPECT_EQ(message(b), "type mismatch: element segment of funcref for a table of externref");
  module_builder unknown_function = other;
  unknown_function.element(bytes({1, 0, 1, 5}));
  EXPECT_EQ(message(unknown_function), "unknown function 5");
  other.data(bytes({0, 0x41, 0, 0x0b, 0}));
  EXPECT_EQ(message(other), "unknown memory 0");
}

TEST(module_rules, tags_have_no_results) {
  module_builder b;
  b.tag(b.type({}, {i32}));
  EXPECT_EQ(message(b), "non-empty tag result type");
  module_builder unknown;
  unknown.tag(3);
  EXPECT_EQ(message(unknown), "unknown type 3");
}

TEST(module_rules, several_memories_are_a_feature) {
  module_builder b;
  b.memory(1);
  b.memory(1);
  EXPECT_EQ(message(b), "ok");
  feature_set without = feature_set::all();
  without.remove(feature::multi_memory);
  const auto checked = check(b.build(), without);
  ASSERT_FALSE(checked);
  EXPECT_TRUE(checked.error().lacking.has(feature::multi_memory));
}

TEST(module_rules, table_initialisers_are_checked) {
  const auto table = [](const byte_writer& init) {
    module_builder b;
    b.add(4, byte_writer{}.raw({0x40, 0, 0x70, 0, 1}).raw(init).u8(0x0b));
    return message(b);
  };
  EXPECT_EQ(table(bytes({0xd0, 0x70})), "ok");
  EXPECT_EQ(table(bytes({0xd0, 0x6f})),
            "type mismatch: constant expression requires [funcref] but stack has [externref]");
  EXPECT_EQ(table(bytes({})), "type mismatch: the table's initialiser requires a reference but stack has []");
}

} // namespace
} // namespace weir::wasm::detail
