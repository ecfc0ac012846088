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
using test::outcome;

// A module with one function of the type and something of every kind to refer to: memory 0, tables 0 (funcref) and 1
// (externref), globals 0 (i32) and 1 (mutable i64), tag 0 (i32), types 1 ([i32 i64] -> [f32 f64]), 2 ([] -> []) and 3
// ([i32] -> []), functions 1 (type 1) and 2 (type 2, exported), data segment 0 and element segment 0 of funcref.
module_builder around(const std::vector<value_type>& params, const std::vector<value_type>& results,
                      const byte_writer& code) {
  module_builder b;
  const auto mine = b.type(params, results);
  const auto pair = b.type({i32, i64}, {f32, f64});
  const auto nothing = b.type({});
  const auto takes_i32 = b.type({i32});
  b.function(mine, code);
  b.function(pair, bytes({0x00}));
  b.function(nothing, bytes({}));
  b.memory(1);
  b.table(funcref, 1);
  b.table(externref, 1);
  b.global(i32, false, bytes({0x41, 0}));
  b.global(i64, true, bytes({0x42, 0}));
  b.tag(takes_i32);
  b.export_item("f", 0, 2);
  b.element(bytes({1, 0, 1, 0}));
  b.data_count(1);
  b.data(bytes({1, 0}));
  return b;
}

std::string body(const std::vector<value_type>& params, const std::vector<value_type>& results,
                 std::initializer_list<unsigned> code) {
  const auto checked = check(around(params, results, bytes(code)).build());
  if (checked) return "ok";
  EXPECT_EQ(checked.error().function_index, 0);
  return checked.error().message;
}

TEST(validator, accepts_bodies_that_leave_their_results) {
  EXPECT_EQ(body({}, {}, {}), "ok");
  EXPECT_EQ(body({i32, i32}, {i32}, {0x20, 0, 0x20, 1, 0x6a}), "ok");
  EXPECT_EQ(body({i32}, {i64}, {0x20, 0, 0xac}), "ok");
  EXPECT_EQ(body({}, {i32, i64}, {0x41, 1, 0x42, 2}), "ok");
  EXPECT_EQ(body({i32, f64}, {}, {0x20, 0, 0x20, 1, 0x39, 3, 0}), "ok");
  EXPECT_EQ(body({f32}, {i32}, {0x20, 0, 0xfc, 0}), "ok");
  EXPECT_EQ(body({}, {}, {0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 10, 0, 0}), "ok");
}

TEST(validator, says_what_the_instruction_wants_and_what_there_is) {
  EXPECT_EQ(body({}, {i32}, {0x41, 1, 0x6a}), "type mismatch: instruction requires [i32 i32] but stack has [i32]");
  EXPECT_EQ(body({}, {i32}, {0x41, 1, 0x42, 1, 0x6a}),
            "type mismatch: instruction requires [i32 i32] but stack has [i32 i64]");
  EXPECT_EQ(body({}, {i32}, {}), "type mismatch: block requires [i32] but stack has []");
  EXPECT_EQ(body({}, {}, {0x41, 1}), "type mismatch: block requires [] but stack has [i32]");
  EXPECT_EQ(body({}, {i32}, {0x43, 0, 0, 0, 0}), "type mismatch: block requires [i32] but stack has [f32]");
}

TEST(validator, points_at_the_instruction) {
  const auto checked = check(around({}, {}, bytes({1, 1, 0x1a})).build());
  ASSERT_FALSE(checked);
  const auto& bytes_of_file = around({}, {}, bytes({1, 1, 0x1a})).build();
  EXPECT_EQ(bytes_of_file[checked.error().offset], std::byte{0x1a});
  EXPECT_NE(checked.error().to_string().find(", in function 0"), std::string::npos);
}

TEST(validator, blocks_hide_the_values_below_them) {
  EXPECT_EQ(body({}, {i32}, {0x41, 1, 0x02, 0x7f, 0x41, 2, 0x0b, 0x6a}), "ok");
  EXPECT_EQ(body({}, {i32}, {0x41, 1, 0x02, 0x40, 0x1a, 0x0b, 0x41, 1}),
            "type mismatch: instruction requires [any] but stack has []");
  EXPECT_EQ(body({}, {}, {0x41, 1, 0x42, 1, 0x02, 1, 0x1a, 0x1a, 0x43, 0,    0,    0,   0,
                          0x44, 0, 0,    0, 0,    0, 0,    0,    0,    0x0b, 0x1a, 0x1a}),
            "ok");
}

TEST(validator, if_without_else_must_leave_the_stack_as_it_is) {
  EXPECT_EQ(body({}, {}, {0x41, 1, 0x04, 0x40, 0x0b}), "ok");
  EXPECT_EQ(body({}, {i32}, {0x41, 1, 0x04, 0x7f, 0x41, 1, 0x05, 0x41, 2, 0x0b}), "ok");
  EXPECT_EQ(body({}, {i32}, {0x41, 1, 0x04, 0x7f, 0x41, 1, 0x0b}),
            "type mismatch: if without else requires [i32] but stack has []");
  EXPECT_EQ(body({}, {}, {0x02, 0x40, 0x05, 0x0b}), "END opcode expected, not else outside if");
}

TEST(validator, unreachable_code_takes_any_types_but_keeps_known_ones) {
  EXPECT_EQ(body({}, {i32}, {0x00, 0x6a}), "ok");
  EXPECT_EQ(body({}, {i32}, {0x00, 0x41, 1, 0x6a}), "ok");
  EXPECT_EQ(body({}, {i32}, {0x00, 0x42, 1, 0x6a}),
            "type mismatch: instruction requires [i32 i32] but stack has [i64]");
  EXPECT_EQ(body({}, {i64}, {0x00, 0x1b}), "ok");
  EXPECT_EQ(body({}, {i32}, {0x00, 0x41, 0, 0x41, 0, 0x41, 0}),
            "type mismatch: block requires [i32] but stack has [i32 i32 i32]");
  EXPECT_EQ(body({}, {}, {0x0f, 0x20, 9}), "unknown local 9");
}

TEST(validator, branches_carry_the_types_of_their_labels) {
  EXPECT_EQ(body({}, {i32}, {0x02, 0x7f, 0x41, 1, 0x0c, 0, 0x0b}), "ok");
  EXPECT_EQ(body({}, {}, {0x03, 0x40, 0x0c, 0, 0x0b}), "ok");
  EXPECT_EQ(body({}, {i32}, {0x02, 0x7f, 0x42, 1, 0x0c, 0, 0x0b}),
            "type mismatch: instruction requires [i32] but stack has [i64]");
  EXPECT_EQ(body({}, {}, {0x0c, 1}), "unknown label 1");
  EXPECT_EQ(body({}, {i32}, {0x41, 7, 0x41, 1, 0x0d, 0}), "ok");
  EXPECT_EQ(body({}, {}, {0x02, 0x40, 0x41, 0, 0x0e, 1, 0, 1, 0x0b}), "ok");
  EXPECT_EQ(body({}, {}, {0x02, 0x7f, 0x41, 1, 0x41, 0, 0x0e, 1, 0, 1, 0x0b, 0x1a}),
            "type mismatch: labels of br_table carry 1 and 0 values");
}

TEST(validator, calls_check_arguments_and_tail_calls_results) {
  EXPECT_EQ(body({}, {f32, f64}, {0x41, 1, 0x42, 1, 0x10, 1}), "ok");
  EXPECT_EQ(body({}, {f32, f64}, {0x41, 1, 0x42, 1, 0x12, 1}), "ok");
  EXPECT_EQ(body({}, {f32, f64}, {0x41, 1, 0x42, 1, 0x41, 0, 0x11, 1, 0}), "ok");
  EXPECT_EQ(body({}, {f32, f64}, {0x41, 1, 0x42, 1, 0x41, 0, 0x13, 1, 0}), "ok");
  EXPECT_EQ(body({}, {i32}, {0x41, 1, 0x42, 1, 0x12, 1}),
            "type mismatch: current function requires result type [i32] but callee returns [f32 f64]");
  EXPECT_EQ(body({}, {}, {0x10, 9}), "unknown function 9");
  EXPECT_EQ(body({}, {}, {0x41, 0, 0x11, 9, 0}), "unknown type 9");
  EXPECT_EQ(body({}, {}, {0x41, 0, 0x11, 2, 9}), "unknown table 9");
  EXPECT_EQ(body({}, {}, {0x41, 0, 0x11, 2, 1}),
            "type mismatch: instruction requires a table of funcref but table has externref");
}

TEST(validator, memory_arguments_stay_within_their_bounds) {
  EXPECT_EQ(body({}, {i32}, {0x41, 0, 0x28, 2, 0}), "ok");
  EXPECT_EQ(body({}, {i32}, {0x41, 0, 0x28, 0x42, 0, 0}), "ok");
  EXPECT_EQ(body({}, {i32}, {0x41, 0, 0x28, 3, 0}), "alignment must not be larger than natural");
  EXPECT_EQ(body({}, {i32}, {0x41, 0, 0x28, 0x42, 1, 0}), "unknown memory 1");
  EXPECT_EQ(body({}, {i32}, {0x41, 0, 0x28, 0x80, 1, 0}), "malformed memop flags");
  EXPECT_EQ(body({}, {i32}, {0x41, 0, 0x28, 2, 0x80, 0x80, 0x80, 0x80, 0x10}), "offset out of range");
}

TEST(validator, references_and_tables_keep_their_types) {
  EXPECT_EQ(body({}, {funcref}, {0xd2, 2}), "ok"); // exported
  EXPECT_EQ(body({}, {funcref}, {0xd2, 0}), "ok"); // in an element segment
  EXPECT_EQ(body({}, {funcref}, {0xd2, 1}), "undeclared function reference to function 1");
  EXPECT_EQ(body({}, {i32}, {0xd0, 0x6f, 0xd1}), "ok");
  EXPECT_EQ(body({}, {i32}, {0x41, 0, 0xd1}), "type mismatch: instruction requires a reference");
  EXPECT_EQ(body({externref}, {externref}, {0x41, 0, 0x20, 0, 0x26, 1, 0x41, 0, 0x25, 1}), "ok");
  EXPECT_EQ(body({externref}, {}, {0x41, 0, 0x20, 0, 0x26, 0}),
            "type mismatch: instruction requires [funcref] but stack has [externref]");
  EXPECT_EQ(body({externref}, {i32}, {0x20, 0, 0x41, 1, 0xfc, 15, 1}), "ok");
  EXPECT_EQ(body({externref}, {}, {0x41, 0, 0x20, 0, 0x41, 1, 0xfc, 17, 1}), "ok");
  EXPECT_EQ(body({}, {}, {0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 14, 0, 1}),
            "type mismatch: table of externref copied to table of funcref");
  EXPECT_EQ(body({}, {}, {0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 12, 0, 1}),
            "type mismatch: element segment of funcref for a table of externref");
  EXPECT_EQ(body({}, {}, {0xfc, 13, 1}), "unknown elem segment 1");
  EXPECT_EQ(body({}, {}, {0xfc, 9, 1}), "unknown data segment 1");
}

TEST(validator, select_without_a_type_is_for_numbers) {
  EXPECT_EQ(body({}, {i32}, {0x41, 0, 0x41, 0, 0x41, 0, 0x1b}), "ok");
  EXPECT_EQ(body({}, {externref}, {0xd0, 0x6f, 0xd0, 0x6f, 0x41, 0, 0x1c, 1, 0x6f}), "ok");
  EXPECT_EQ(body({}, {externref}, {0xd0, 0x6f, 0xd0, 0x6f, 0x41, 0, 0x1b}),
            "type mismatch: select requires two numbers of one type but stack has [externref externref]");
  EXPECT_EQ(body({}, {i32}, {0x41, 0, 0x41, 0, 0x41, 0, 0x1c, 0}), "invalid result arity");
}

TEST(validator, globals_are_written_only_when_mutable) {
  EXPECT_EQ(body({}, {}, {0x42, 1, 0x24, 1}), "ok");
  EXPECT_EQ(body({}, {}, {0x41, 1, 0x24, 0}), "immutable global");
  EXPECT_EQ(body({}, {}, {0x23, 2, 0x1a}), "unknown global 2");
}

TEST(validator, catch_clauses_give_their_labels_what_they_take) {
  // block (result i32) ... try_table (catch 0 0) ... end unreachable end
  EXPECT_EQ(body({}, {i32}, {0x02, 0x7f, 0x1f, 0x40, 1, 0, 0, 0, 0x0b, 0x00, 0x0b}), "ok");
  EXPECT_EQ(body({}, {exnref}, {0x02, 0x69, 0x1f, 0x40, 1, 3, 0, 0x0b, 0x00, 0x0b}), "ok");
  EXPECT_EQ(body({}, {}, {0x02, 0x40, 0x1f, 0x40, 1, 2, 0, 0x0b, 0x0b}), "ok");
  EXPECT_EQ(body({}, {}, {0x1f, 0x40, 1, 0, 0, 0, 0x0b}),
            "type mismatch: catch handler gives [i32] but its label takes []");
  EXPECT_EQ(body({}, {}, {0x1f, 0x40, 1, 2, 1, 0x0b}), "unknown label 1");
  EXPECT_EQ(body({}, {}, {0x1f, 0x40, 1, 0, 1, 0, 0x0b}), "unknown tag 1");
  EXPECT_EQ(body({}, {}, {0x1f, 0x40, 1, 4, 0, 0x0b}), "malformed catch clause");
  EXPECT_EQ(body({}, {i64}, {0x41, 1, 0x08, 0}), "ok");
  EXPECT_EQ(body({exnref}, {i64}, {0x20, 0, 0x0a}), "ok");
  EXPECT_EQ(body({}, {}, {0x08, 0}), "type mismatch: instruction requires [i32] but stack has []");
}

TEST(validator, reports_broken_instructions_as_malformed) {
  EXPECT_EQ(body({}, {}, {0xff}), "illegal opcode ff");
  EXPECT_EQ(body({}, {}, {0x27}), "illegal opcode 27");
  EXPECT_EQ(body({}, {}, {0xfc, 0x20}), "illegal opcode fc 20");
  EXPECT_EQ(body({}, {}, {0x0b, 0x01}), "section size mismatch: more bytes after the end of the function");
  EXPECT_EQ(body({}, {}, {0x41, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x1a}), "integer too large");
  EXPECT_EQ(check(around({}, {}, bytes({0x02, 0x40})).build()).error().code, errc::malformed);
  module_builder b;
  b.function(b.type({}), bytes({0xfc, 9, 0}));
  EXPECT_EQ(check(b.build()).error().message, "data count section required");
  EXPECT_EQ(check(b.build()).error().code, errc::malformed);
}

TEST(validator, names_the_feature_of_a_refused_instruction) {
  const std::pair<byte_writer, feature> cases[] = {
      {bytes({0xfd, 12}), feature::simd},
      {bytes({0xfd, 0x80, 2}), feature::relaxed_simd},
      {bytes({0xfe, 0x10}), feature::threads},
      {bytes({0xfb, 0}), feature::gc},
      {bytes({0x14, 0}), feature::function_references},
      {bytes({0xd3}), feature::gc},
      {bytes({0xd5, 0}), feature::function_references},
      {bytes({0x06, 0x40}), feature::legacy_exceptions},
      {bytes({0xfc, 0x13}), feature::wide_arithmetic},
      {bytes({0xe0, 0}), feature::stack_switching},
  };
  for (const auto& [code, lacking] : cases) {
    const auto checked = check(around({}, {}, code).build());
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, errc::unsupported_feature) << checked.error().to_string();
    EXPECT_TRUE(checked.error().lacking.has(lacking)) << checked.error().to_string();
  }
}

TEST(validator, records_the_features_used) {
  const auto used = [](std::initializer_list<unsigned> code) {
    module_builder b;
    b.function(b.type({}), bytes(code));
    const auto checked = check(b.build());
    return checked ? (*checked)->used.bits() : 0xffffffffu;
  };
  EXPECT_EQ(used({}), 0u);
  EXPECT_EQ(used({0x41, 0, 0xc0, 0x1a}), static_cast<std::uint32_t>(feature::sign_extension));
  EXPECT_EQ(used({0x43, 0, 0, 0, 0, 0xfc, 0, 0x1a}), static_cast<std::uint32_t>(feature::saturating_float));
  EXPECT_EQ(used({0x12, 0}), static_cast<std::uint32_t>(feature::tail_call));
  feature_set without = feature_set::all();
  without.remove(feature::tail_call);
  module_builder b;
  b.function(b.type({}), bytes({0x12, 0}));
  EXPECT_EQ(check(b.build(), without).error().code, errc::unsupported_feature);
}

TEST(validator, bodies_can_be_validated_later_one_by_one) {
  module_builder b;
  const auto type = b.type({});
  b.function(type, bytes({}));
  b.function(type, bytes({0x6a}));
  type_registry registry;
  const auto module = decode_module(b.build(), feature_set::all(), registry, "lazy");
  ASSERT_TRUE(module);
  EXPECT_TRUE(validate_module(**module, validation::module_only));
  EXPECT_TRUE(validate_body(**module, 0));
  const auto second = validate_body(**module, 1);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().function_index, 1);
  EXPECT_FALSE(validate_module(**module));
}

TEST(validator, operands_of_one_function_are_limited) {
  module_builder b;
  const auto wide = b.type({}, std::vector<value_type>(1000, i32));
  b.import("m", "wide", 0, byte_writer{}.u32(wide));
  byte_writer code;
  for (int i = 0; i < 1100; ++i) code.raw({0x10, 0});
  b.function(b.type({}), code);
  EXPECT_EQ(check(b.build()).error().code, errc::limit_exceeded);
}

} // namespace
} // namespace weir::wasm::detail
