// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/decoder.hpp"
#include "wasm/binary/module_builder.hpp"

#include <gtest/gtest.h>

namespace weir::wasm::detail {
namespace {

using test::byte_writer;
using test::bytes;
using test::decode;
using test::module_builder;
using test::outcome;

std::vector<std::byte> file(std::initializer_list<unsigned> sections) {
  return bytes({0, 'a', 's', 'm', 1, 0, 0, 0}).raw(sections).bytes();
}

TEST(decoder, reads_every_section) {
  module_builder b;
  const auto nothing = b.type({});
  const auto add = b.type({i32, i32}, {i32});
  b.import("env", "f", 0, byte_writer{}.u32(add));
  b.import("env", "t", 1, bytes({0x6f, 1, 2, 3}));
  b.import("env", "m", 2, bytes({0, 1}));
  b.import("env", "g", 3, bytes({0x7e, 0}));
  b.import("env", "e", 4, bytes({0, 0}));
  b.function(nothing, bytes({1}), bytes({2, 3, 0x7f, 4, 0x7c}));
  b.table(funcref, 5);
  b.memory(7);
  b.tag(nothing);
  b.global(i32, true, bytes({0x41, 42}));
  b.export_item("run", 0, 1);
  b.start(1);
  b.element(bytes({0, 0x41, 1, 0x0b, 2, 0, 1}));
  b.data_count(1);
  b.data(bytes({0, 0x41, 8, 0x0b, 3, 'x', 'y', 'z'}));
  const auto decoded = decode(b.build());
  ASSERT_EQ(outcome(decoded), "ok");
  const module_data& m = **decoded;

  EXPECT_EQ(m.name, "test");
  ASSERT_EQ(m.types.size(), 2u);
  EXPECT_EQ(m.types[1], (func_type{{i32, i32}, {i32}}));
  ASSERT_EQ(m.imports.size(), 5u);
  EXPECT_EQ(m.imports[4].kind, extern_kind::tag);
  EXPECT_EQ(m.imported_functions, 1u);
  EXPECT_EQ(m.functions, (std::vector<std::uint32_t>{1, 0}));
  ASSERT_EQ(m.tables.size(), 2u);
  EXPECT_EQ(m.tables[0].type.element, externref);
  EXPECT_EQ(m.tables[0].type.size, (limits{2, 3}));
  EXPECT_EQ(m.tables[1].type.size, (limits{5, std::nullopt}));
  ASSERT_EQ(m.memories.size(), 2u);
  EXPECT_EQ(m.memories[1].pages.min, 7u);
  ASSERT_EQ(m.globals.size(), 2u);
  EXPECT_TRUE(m.globals[1].type.is_mutable);
  ASSERT_EQ(m.globals[1].init.size(), 1u);
  EXPECT_EQ(m.globals[1].init[0].bits, 42u);
  EXPECT_EQ(m.tags.size(), 2u);
  ASSERT_EQ(m.exports.size(), 1u);
  EXPECT_EQ(m.exports[0].name, "run");
  EXPECT_EQ(m.start, 1u);
  ASSERT_EQ(m.elements.size(), 1u);
  EXPECT_EQ(m.elements[0].functions, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(m.elements[0].mode, segment_mode::active);
  EXPECT_EQ(m.data_count, 1u);
  ASSERT_EQ(m.data.size(), 1u);
  const auto contents = m.slice(m.data[0].begin, m.data[0].end);
  ASSERT_EQ(contents.size(), 3u);
  EXPECT_EQ(contents[2], std::byte{'z'});
  ASSERT_EQ(m.bodies.size(), 1u);
  ASSERT_EQ(m.body(1).locals.size(), 2u);
  EXPECT_EQ(m.body(1).locals[1].count, 4u);
  EXPECT_EQ(m.body(1).locals[1].type, f64);
  EXPECT_EQ(m.body(1).end - m.body(1).begin, 2u);
}

TEST(decoder, reads_all_eight_kinds_of_element_segments) {
  module_builder b;
  b.function(b.type({}), bytes({}));
  b.table(funcref, 1);
  b.element(bytes({0, 0x41, 0, 0x0b, 1, 0}));
  b.element(bytes({1, 0, 1, 0}));
  b.element(bytes({2, 0, 0x41, 0, 0x0b, 0, 1, 0}));
  b.element(bytes({3, 0, 1, 0}));
  b.element(bytes({4, 0x41, 0, 0x0b, 1, 0xd2, 0, 0x0b}));
  b.element(bytes({5, 0x6f, 1, 0xd0, 0x6f, 0x0b}));
  b.element(bytes({6, 0, 0x41, 0, 0x0b, 0x70, 1, 0xd0, 0x70, 0x0b}));
  b.element(bytes({7, 0x70, 1, 0xd2, 0, 0x0b}));
  const auto decoded = decode(b.build());
  ASSERT_EQ(outcome(decoded), "ok");
  const auto& segments = (*decoded)->elements;
  ASSERT_EQ(segments.size(), 8u);
  constexpr segment_mode modes[] = {segment_mode::active, segment_mode::passive, segment_mode::active,
                                    segment_mode::declarative};
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(segments[i].mode, modes[i % 4]) << i;
    EXPECT_EQ(segments[i].size(), 1u) << i;
    EXPECT_EQ(segments[i].expressions.size(), i < 4 ? 0u : 1u) << i;
    EXPECT_EQ(segments[i].type, i == 5 ? externref : funcref) << i;
  }
}

TEST(decoder, says_what_is_malformed_and_where) {
  EXPECT_EQ(outcome(decode({})), "malformed module: unexpected end of section or function at byte 0x0");
  EXPECT_EQ(outcome(decode(bytes({'<', 'h', 't', 'm'}).bytes())),
            "malformed module: magic header not detected at byte 0x0");
  EXPECT_EQ(outcome(decode(bytes({0, 'a', 's', 'm', 2, 0, 0, 0}).bytes())),
            "malformed module: unknown binary version at byte 0x4");
  EXPECT_EQ(outcome(decode(bytes({0, 'a', 's', 'm', 13, 0, 1, 0}).bytes())),
            "malformed module: unknown binary version: this is a component, not a core module at byte 0x4");
  EXPECT_EQ(outcome(decode(file({14, 0}))), "malformed module: malformed section id 14 at byte 0x8");
  EXPECT_EQ(outcome(decode(file({1, 9, 0}))), "malformed module: length out of bounds at byte 0x9");
  EXPECT_EQ(outcome(decode(file({1, 2, 0, 0}))), "malformed module: section size mismatch at byte 0xb");
  EXPECT_EQ(outcome(decode(file({3, 1, 0, 1, 1, 0}))),
            "malformed module: unexpected content after last section at byte 0xb");
  EXPECT_EQ(outcome(decode(file({1, 1, 0, 1, 1, 0}))),
            "malformed module: unexpected content after last section at byte 0xb");
  EXPECT_EQ(outcome(decode(file({0, 2, 1, 0xff}))), "malformed module: malformed UTF-8 encoding at byte 0xa");
  EXPECT_EQ(outcome(decode(file({1, 5, 1, 0x60, 1, 0x20, 0}))), "malformed module: malformed value type at byte 0xd");
  EXPECT_EQ(outcome(decode(file({5, 3, 1, 0x10, 0}))), "malformed module: malformed limits flags at byte 0xb");
  EXPECT_EQ(outcome(decode(file({6, 6, 1, 0x7f, 4, 0x41, 0, 0x0b}))),
            "malformed module: malformed mutability at byte 0xc");
  EXPECT_EQ(outcome(decode(file({6, 6, 1, 0x7f, 0, 0xff, 0, 0x0b}))),
            "malformed module: illegal opcode ff at byte 0xd");
  EXPECT_EQ(outcome(decode(file({6, 6, 1, 0x7f, 0, 0x67, 0, 0x0b}))),
            "invalid module: constant expression required, not i32.clz at byte 0xd");
}

TEST(decoder, wants_the_counts_of_sections_to_agree) {
  EXPECT_NE(outcome(decode(file({1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0})))
                .find("function and code section have inconsistent lengths"),
            std::string::npos);
  EXPECT_NE(outcome(decode(file({12, 1, 1}))).find("data count and data section have inconsistent lengths"),
            std::string::npos);
}

TEST(decoder, forged_counts_do_not_allocate) {
  for (unsigned section = 1; section <= 13; ++section) {
    if (section == 8 || section == 12) continue; // no lists
    EXPECT_EQ(outcome(decode(file({section, 5, 0xff, 0xff, 0xff, 0xff, 0x0f}))),
              "malformed module: unexpected end of section or function at byte 0xa")
        << section;
  }
}

TEST(decoder, limits_what_a_few_bytes_can_ask_for) {
  EXPECT_EQ(decode(file({1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, 10, 1, 8, 1, 0xff, 0xff, 0xff, 0x07, 0x7f, 0x0b, 0}))
                .error()
                .code,
            errc::limit_exceeded);
  EXPECT_EQ(outcome(decode(file({1,    4,    1,    0x60, 0,    0,    3,    2,    1,    0,    10,   17,   1,    15, 2,
                                 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0x0b, 0}))),
            "malformed module: too many locals at byte 0x1d");
  module_builder b;
  b.type(std::vector<value_type>(engine_limits::max_params + 1, i32));
  EXPECT_EQ(decode(b.build()).error().code, errc::limit_exceeded);
}

struct refused {
  feature lacking;
  std::vector<std::byte> bytes;
};

TEST(decoder, names_the_feature_that_a_module_lacks) {
  const refused cases[] = {
      {feature::simd, file({1, 5, 1, 0x60, 1, 0x7b, 0})},
      {feature::gc, file({1, 3, 1, 0x5f, 0})},
      {feature::gc, file({1, 5, 1, 0x60, 1, 0x6e, 0})},
      {feature::function_references, file({1, 6, 1, 0x60, 1, 0x63, 0, 0})},
      {feature::function_references, file({1, 6, 1, 0x60, 1, 0x64, 0x70, 0})},
      {feature::stack_switching, file({1, 3, 1, 0x5d, 0})},
      {feature::memory64, file({5, 3, 1, 4, 0})},
      {feature::memory64, file({4, 4, 1, 0x70, 4, 0})},
      {feature::threads, file({5, 4, 1, 3, 0, 0})},
      {feature::custom_page_sizes, file({5, 4, 1, 8, 0, 0})},
      {feature::simd, file({6, 6, 1, 0x7f, 0, 0xfd, 12, 0x0b})},
  };
  for (const refused& one : cases) {
    const auto decoded = decode(one.bytes);
    ASSERT_FALSE(decoded) << to_string(one.lacking);
    EXPECT_EQ(decoded.error().code, errc::unsupported_feature) << decoded.error().to_string();
    EXPECT_TRUE(decoded.error().lacking.has(one.lacking)) << decoded.error().to_string();
    EXPECT_TRUE(decoded.error().message.starts_with(to_string(one.lacking))) << decoded.error().message;
  }
}

TEST(decoder, refuses_features_that_are_switched_off) {
  const auto file_with_tag = file({1, 4, 1, 0x60, 0, 0, 13, 3, 1, 0, 0});
  ASSERT_TRUE(decode(file_with_tag));
  EXPECT_TRUE((*decode(file_with_tag))->used.has(feature::exceptions));
  feature_set without = feature_set::all();
  without.remove(feature::exceptions);
  const auto decoded = decode(file_with_tag, without);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message, "exceptions: tag section needs a feature that is switched off");
}

TEST(decoder, takes_names_from_the_name_section) {
  module_builder b;
  b.function(b.type({}), bytes({}));
  byte_writer names;
  names.u8(0).sized(byte_writer{}.name("mine"));
  names.u8(1).sized(byte_writer{}.u32(2).u32(5).name("five").u32(0).name("zero"));
  names.u8(2).sized(bytes({0}));
  b.custom("name", names);
  const auto decoded = decode(b.build());
  ASSERT_EQ(outcome(decoded), "ok");
  EXPECT_EQ((*decoded)->name, "mine");
  EXPECT_EQ((*decoded)->function_name(0), "zero");
  EXPECT_EQ((*decoded)->function_name(5), "five");
  EXPECT_EQ((*decoded)->function_name(1), "");
}

TEST(decoder, ignores_what_is_wrong_in_a_name_section) {
  module_builder b;
  byte_writer names;
  names.u8(1).sized(byte_writer{}.u32(2).u32(3).name("three").u32(4).raw({9, 'x'}));
  b.custom("name", names);
  b.custom("name", bytes({0xff, 0xff, 0xff}));
  const auto decoded = decode(b.build());
  ASSERT_EQ(outcome(decoded), "ok");
  EXPECT_EQ((*decoded)->name, "test");
  EXPECT_EQ((*decoded)->function_name(3), "three");
  EXPECT_EQ((*decoded)->customs.size(), 2u);
}

TEST(decoder, survives_every_truncation) {
  module_builder b;
  b.function(b.type({i32, f64}, {i64}), bytes({0x42, 1}), bytes({1, 1, 0x7f}));
  b.memory(1);
  b.table(funcref, 1);
  b.global(i64, false, bytes({0x42, 0}));
  b.export_item("name", 0, 0);
  b.element(bytes({0, 0x41, 0, 0x0b, 1, 0}));
  b.data(bytes({0, 0x41, 0, 0x0b, 2, 1, 2}));
  const std::vector<std::byte> whole = b.build();
  ASSERT_TRUE(decode(whole));
  std::size_t good = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto decoded = decode({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    if (decoded)
      ++good;
    else
      EXPECT_EQ(decoded.error().code, errc::malformed);
  }
  EXPECT_LE(good, 4u); // cut between sections, before functions or after code
}

} // namespace
} // namespace weir::wasm::detail
