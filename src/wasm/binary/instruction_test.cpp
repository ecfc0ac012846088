// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/instruction.hpp"
#include "wasm/binary/module_builder.hpp"

#include <gtest/gtest.h>

namespace weir::wasm::detail {
namespace {

using test::byte_writer;
using test::bytes;

struct decoded {
  std::vector<std::byte> storage;
  instruction one;
  std::size_t size = 0;
};

decoded read(const byte_writer& code) {
  decoded out{code.bytes(), {}, 0};
  const auto* begin = reinterpret_cast<const std::uint8_t*>(out.storage.data());
  code_cursor in{begin};
  out.one = read_instruction(in);
  out.size = static_cast<std::size_t>(in.position() - begin);
  EXPECT_EQ(out.size, out.storage.size());
  return out;
}

TEST(instruction, reads_constants_as_bits) {
  EXPECT_EQ(read(byte_writer{}.op(opcode::i32_const).s64(-5)).one.bits, 0xfffffffbu);
  EXPECT_EQ(read(byte_writer{}.op(opcode::i64_const).s64(-5)).one.bits, static_cast<std::uint64_t>(-5));
  EXPECT_EQ(read(byte_writer{}.op(opcode::i64_const).s64(INT64_MIN)).one.bits, std::uint64_t{1} << 63);
  EXPECT_EQ(read(byte_writer{}.op(opcode::f32_const).raw({0, 0, 0x80, 0x3f})).one.bits, 0x3f800000u);
  EXPECT_EQ(read(byte_writer{}.op(opcode::f64_const).raw({1, 0, 0, 0, 0, 0, 0xf0, 0x3f})).one.bits,
            0x3ff0000000000001u);
}

TEST(instruction, reads_memory_arguments_with_and_without_an_index) {
  const decoded plain = read(byte_writer{}.op(opcode::i32_load).raw({2}).u32(1000));
  EXPECT_EQ(plain.one.align, 2u);
  EXPECT_EQ(plain.one.index, 0u);
  EXPECT_EQ(plain.one.bits, 1000u);
  const decoded indexed = read(byte_writer{}.op(opcode::i64_store).raw({0x43, 5}).u32(7));
  EXPECT_EQ(indexed.one.align, 3u);
  EXPECT_EQ(indexed.one.index, 5u);
  EXPECT_EQ(indexed.one.bits, 7u);
}

TEST(instruction, reads_label_tables_and_catch_clauses_as_lists) {
  decoded table = read(byte_writer{}.op(opcode::br_table).u32(2).u32(4).u32(300).u32(1));
  EXPECT_EQ(table.one.count, 2u);
  EXPECT_EQ(table.one.list.u32(), 4u);
  EXPECT_EQ(table.one.list.u32(), 300u);
  EXPECT_EQ(table.one.list.u32(), 1u);
  decoded catching = read(byte_writer{}.op(opcode::try_table).u8(0x40).u32(2).raw({1, 3, 0}).raw({2, 6}));
  EXPECT_EQ(catching.one.block.kind, block_type::form::empty);
  EXPECT_EQ(catching.one.count, 2u);
  const catch_clause first = read_catch_clause(catching.one.list);
  EXPECT_TRUE(first.has_tag() && first.has_reference());
  EXPECT_EQ(first.tag, 3u);
  const catch_clause second = read_catch_clause(catching.one.list);
  EXPECT_FALSE(second.has_tag() || second.has_reference());
  EXPECT_EQ(second.label, 6u);
}

TEST(instruction, reads_block_types_and_the_long_form_of_references) {
  EXPECT_EQ(read(byte_writer{}.op(opcode::block).u8(0x7c)).one.block.value, f64);
  EXPECT_EQ(read(byte_writer{}.op(opcode::loop).s64(200)).one.block.index, 200u);
  const decoded wide = read(byte_writer{}.op(opcode::if_).raw({0x63, 0x6f}));
  EXPECT_EQ(wide.one.block.kind, block_type::form::value);
  EXPECT_EQ(wide.one.block.value, externref);
  EXPECT_EQ(read(byte_writer{}.op(opcode::select_typed).raw({1, 0x63, 0x70})).one.index, funcref.code);
}

TEST(instruction, reads_the_second_group_and_both_indices) {
  const decoded copy = read(byte_writer{}.op(opcode::memory_copy).u32(1).u32(2));
  EXPECT_EQ(copy.one.op, opcode::memory_copy);
  EXPECT_EQ(copy.one.index, 1u);
  EXPECT_EQ(copy.one.second, 2u);
  EXPECT_EQ(read(byte_writer{}.op(opcode::call_indirect).u32(9).u32(1)).one.second, 1u);
  EXPECT_EQ(read(byte_writer{}.op(opcode::i64_trunc_sat_f64_u)).one.op, opcode::i64_trunc_sat_f64_u);
}

TEST(instruction, opcode_table_has_names_immediates_and_access_sizes) {
  EXPECT_STREQ(to_string(opcode::i32_trunc_f64_u), "i32.trunc_f64_u");
  EXPECT_STREQ(to_string(opcode::memory_fill), "memory.fill");
  EXPECT_EQ(info(opcode::br_table).immediate, immediate_kind::label_table);
  EXPECT_TRUE(info(opcode::return_call).needed.has(feature::tail_call));
  EXPECT_EQ(info(opcode::i64_extend32_s).signature, stack_signature::l_l);
  EXPECT_EQ(opcode_table[0x27].text, nullptr);
  EXPECT_EQ(access_size_log2(opcode::i64_load32_u), 2u);
  EXPECT_EQ(access_size_log2(opcode::f64_store), 3u);
  EXPECT_EQ(access_size_log2(opcode::i64_store8), 0u);
}

} // namespace
} // namespace weir::wasm::detail
