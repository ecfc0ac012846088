// SPDX-License-Identifier: Apache-2.0
#include "wasm/code/translator.hpp"

#include "wasm/binary/module_builder.hpp"
#include "wasm/code/printer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace weir::wasm::detail {
namespace {

using test::byte_writer;
using test::bytes;

/// The lines of a function's code without their numbers, from the cell behind the prologue on.
std::vector<std::string> code_of(const byte_writer& body, const std::vector<value_type>& params,
                                 const std::vector<value_type>& results, const translate_options& options = {},
                                 const byte_writer& locals = bytes({0})) {
  test::module_builder m;
  m.memory(1);
  m.function(m.type(params, results), body, locals);
  auto checked = test::check(m.build());
  if (!checked) return {checked.error().to_string()};
  module_code code{std::move(*checked), options};
  if (auto done = code.translate_all(); !done) return {done.error().to_string()};
  std::vector<std::string> lines;
  std::string text = print_code(code.function(0));
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  lines.erase(lines.begin(), lines.begin() + (lines[1].find("enter_clear") != std::string::npos ? 3 : 2));
  for (std::string& line : lines) line = line.substr(7);
  return lines;
}

using lines = std::vector<std::string>;
constexpr translate_options nothing{false, false, false};
constexpr translate_options no_pinned_local{true, false, true};

byte_writer get(unsigned local) { return bytes({0x20, local}); }
byte_writer set(unsigned local) { return bytes({0x21, local}); }
byte_writer operator+(byte_writer left, const byte_writer& right) { return left.raw(right); }
const byte_writer add = bytes({0x6a});

TEST(translator, locals_and_constants_take_no_operation) {
  // local0 = local0 * 5; return local0
  const byte_writer body = get(0) + bytes({0x41, 5, 0x6c}) + set(0) + get(0);
  EXPECT_EQ(code_of(body, {i32}, {i32}, no_pinned_local), (lines{"i32_mul  s0 <- s0, #5", "ret_int  s0 <- acc, c0"}));
  EXPECT_EQ(code_of(body, {i32}, {i32}, nothing), (lines{"i32_mul  s0 <- s0, #5", "ret_int  s0 <- s0, c0"}));
}

TEST(translator, the_most_used_local_is_in_a_register_and_in_its_slot) {
  const byte_writer body = get(1) + get(1) + bytes({0x6c}) + set(1) + get(1) + get(0) + add;
  EXPECT_EQ(code_of(body, {i32, i32}, {i32}),
            (lines{"i32_mul  pinned/s1 <- pinned, c1", "i32_add  acc <- pinned, c0", "ret_int  s0 <- acc, c0"}));
}

TEST(translator, a_value_that_the_next_operation_takes_stays_in_the_accumulator) {
  const byte_writer body = get(0) + get(1) + bytes({0x6c}) + get(2) + bytes({0x73});
  EXPECT_EQ(code_of(body, {i32, i32, i32}, {i32}, no_pinned_local),
            (lines{"i32_mul  acc <- s0, c1", "i32_xor  acc <- acc, c2", "ret_int  s0 <- acc, c0"}));
  const auto plain = code_of(body, {i32, i32, i32}, {i32}, nothing);
  EXPECT_EQ(plain, (lines{"i32_mul  s3 <- s0, c1", "i32_xor  s3 <- s3, c2", "ret_int  s0 <- s3, c0"}));
}

TEST(translator, stores_leave_the_accumulator_to_a_later_reader) {
  // (local0 * local1), then a store of local1 at local0, then the product
  const byte_writer body = get(0) + get(1) + bytes({0x6c}) + get(0) + get(1) + bytes({0x36, 2, 0});
  EXPECT_EQ(code_of(body, {i32, i32}, {i32}, no_pinned_local),
            (lines{"i32_mul  acc <- s0, c1", "store_32  s1 <- s0, c4", "ret_int  s0 <- acc, c0"}));
}

TEST(translator, a_pending_local_is_saved_before_it_changes) {
  // local0 stays on the stack while local0 = local1 * local1
  const byte_writer body = get(0) + get(1) + get(1) + bytes({0x6c}) + set(0);
  EXPECT_EQ(code_of(body, {i32, i32}, {i32}, nothing),
            (lines{"i32_mul  s3 <- s1, c1", "mov  s2 <- s0, c0", "mov  s0 <- s3, c0", "ret_int  s0 <- s2, c0"}));
}

TEST(translator, a_comparison_becomes_the_branch) {
  const byte_writer body = bytes({0x02, 0x40}) + get(0) + get(1) + bytes({0x48, 0x0d, 0, 0x00, 0x0b});
  EXPECT_EQ(code_of(body, {i32, i32}, {}, no_pinned_local),
            (lines{"br_i32_lt_s  s0 <- s0, c1", "-> 4", "unreachable  s0 <- s0, c0", "ret  s0 <- s0, c0"}));
  const byte_writer negated = bytes({0x02, 0x40}) + get(0) + get(1) + bytes({0x48, 0x45, 0x0d, 0, 0x00, 0x0b});
  EXPECT_EQ(code_of(negated, {i32, i32}, {}, no_pinned_local).front(), "br_i32_ge_s  s0 <- s0, c1");
  EXPECT_EQ(code_of(negated, {i32, i32}, {}, nothing).front(), "i32_lt_s  s2 <- s0, c1");
}

TEST(translator, a_comparison_of_floats_is_negated_by_its_branch) {
  const byte_writer body = bytes({0x02, 0x40}) + get(0) + get(1) + bytes({0x63, 0x45, 0x0d, 0, 0x00, 0x0b});
  EXPECT_EQ(code_of(body, {f64, f64}, {}, no_pinned_local).front(), "br_not_f64_lt  s0 <- s0, c1");
}

TEST(translator, a_counted_loop_has_one_operation_beside_its_body) {
  // do local1 *= 3 while (local0 += -1)
  const byte_writer body = bytes({0x03, 0x40}) + get(1) + bytes({0x41, 3, 0x6c}) + set(1) + get(0) +
                           bytes({0x41, 0x7f, 0x6a, 0x22, 0, 0x0d, 0, 0x0b});
  EXPECT_EQ(code_of(body, {i32, i32}, {}),
            (lines{"i32_mul  s1 <- s1, #3", "count_loop_i32_ne  s0 <- pinned, #0", "-> 1", "ret  s0 <- s0, c0"}));
}

TEST(translator, an_address_may_be_a_local_plus_a_constant) {
  const byte_writer body = get(0) + bytes({0x41, 40, 0x6a, 0x28, 2, 0});
  EXPECT_EQ(code_of(body, {i32}, {i32}, no_pinned_local),
            (lines{"load_sum_u32  acc <- s0, c40", "ret_int  s0 <- acc, c0"}));
  // An offset is not taken modulo 2^32, so there the sum is made first.
  const byte_writer with_offset = get(0) + bytes({0x41, 40, 0x6a, 0x28, 2, 8});
  EXPECT_EQ(code_of(with_offset, {i32}, {i32}, no_pinned_local),
            (lines{"i32_add  acc <- s0, #40", "load_u32  acc <- acc, c12", "ret_int  s0 <- acc, c0"}));
}

TEST(translator, a_value_that_two_paths_read_is_in_its_slot) {
  // block (result i32): local0 * local0; br_if 0 with it when local1; xor 1
  const byte_writer body =
      bytes({0x02, 0x7f}) + get(0) + get(0) + bytes({0x6c}) + get(1) + bytes({0x0d, 0, 0x41, 1, 0x73, 0x0b});
  EXPECT_EQ(code_of(body, {i32, i32}, {i32}, no_pinned_local),
            (lines{"i32_mul  s2 <- s0, c0", "br_true  s0 <- s1, c0", "-> 5", "i32_xor  s2 <- acc, #1",
                   "ret_int  s0 <- s2, c0"}));
}

TEST(translator, code_after_a_branch_is_not_translated) {
  const byte_writer body = bytes({0x00, 0x02, 0x40, 0x03, 0x40, 0x0c, 0, 0x0b, 0x0b, 0x41, 1});
  EXPECT_EQ(code_of(body, {}, {i32}), (lines{"unreachable  s0 <- s0, c0"}));
}

TEST(translator, a_range_names_its_clauses_and_targets) {
  test::module_builder m;
  const auto empty = m.type({});
  m.tag(empty);
  // block; try_table (catch 0 0) throw 0 end; end
  m.function(empty, bytes({0x02, 0x40, 0x1f, 0x40, 1, 0, 0, 0, 0x08, 0, 0x0b, 0x0b}));
  auto checked = test::check(m.build());
  ASSERT_TRUE(checked) << checked.error().to_string();
  module_code code{std::move(*checked), {}};
  ASSERT_TRUE(code.translate_all());
  const function_code& function = code.function(0);
  ASSERT_EQ(function.ranges.size(), 1u);
  EXPECT_EQ(function.ranges[0].begin, &function.cells[1]);
  EXPECT_EQ(function.ranges[0].end, &function.cells[3]);
  ASSERT_EQ(function.ranges[0].clauses.size(), 1u);
  EXPECT_EQ(function.ranges[0].clauses[0].target, &function.cells[3]);
}

TEST(module_code, translates_at_the_first_request_and_finds_functions_by_their_cells) {
  test::module_builder m;
  const auto type = m.type({i32}, {i32});
  m.function(type, get(0));
  m.function(type, get(0) + get(0) + add);
  auto checked = test::check(m.build());
  ASSERT_TRUE(checked) << checked.error().to_string();
  module_code code{std::move(*checked), {}};
  function_code& second = code.function(1);
  EXPECT_FALSE(second.is_translated());
  EXPECT_EQ(code.code_bytes(), 0u);
  EXPECT_EQ(code.find(second.stub), nullptr);
  ASSERT_TRUE(code.translate(second));
  ASSERT_TRUE(code.translate(second));
  EXPECT_TRUE(second.is_translated());
  EXPECT_EQ(code.code_bytes(), second.cell_count * sizeof(cell));
  EXPECT_EQ(code.find(&second.cells[second.cell_count - 1]), &second);
  EXPECT_EQ(code.find(second.cells.get() + second.cell_count), nullptr);
  EXPECT_FALSE(code.function(0).is_translated());
}

} // namespace
} // namespace weir::wasm::detail
