// SPDX-License-Identifier: Apache-2.0
#include "support/value_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace weir::cli {
namespace {

using testing::HasSubstr;

TEST(value_text, an_integer_fits_as_signed_or_as_unsigned) {
  EXPECT_EQ(parse_value("42", wasm::i32)->i32(), 42);
  EXPECT_EQ(parse_value("-1", wasm::i32)->bits, 0xffffffffu);
  EXPECT_EQ(parse_value("4294967295", wasm::i32)->i32(), -1);
  EXPECT_EQ(parse_value("-2147483648", wasm::i32)->i32(), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(parse_value("0xff", wasm::i32)->i32(), 255);
  EXPECT_EQ(parse_value("-0x10", wasm::i64)->i64(), -16);
  EXPECT_EQ(parse_value("18446744073709551615", wasm::i64)->i64(), -1);
}

TEST(value_text, an_integer_that_does_not_fit_is_refused_with_the_range) {
  EXPECT_THAT(parse_value("4294967296", wasm::i32).error(), HasSubstr("from -2147483648 to 4294967295"));
  EXPECT_FALSE(parse_value("-2147483649", wasm::i32));
  EXPECT_FALSE(parse_value("1.5", wasm::i32));
  EXPECT_FALSE(parse_value("", wasm::i32));
  EXPECT_FALSE(parse_value("--1", wasm::i32));
  EXPECT_FALSE(parse_value("0x", wasm::i32));
  EXPECT_FALSE(parse_value("7 ", wasm::i64));
}

TEST(value_text, floats_are_decimal_hexadecimal_or_named) {
  EXPECT_EQ(parse_value("1.5", wasm::f64)->f64(), 1.5);
  EXPECT_EQ(parse_value("-2", wasm::f32)->f32(), -2.0f);
  EXPECT_EQ(parse_value("1e3", wasm::f64)->f64(), 1000.0);
  EXPECT_EQ(parse_value("0x1p4", wasm::f64)->f64(), 16.0);
  EXPECT_TRUE(std::isnan(parse_value("nan", wasm::f64)->f64()));
  EXPECT_TRUE(std::isinf(parse_value("-inf", wasm::f32)->f32()));
  EXPECT_TRUE(std::signbit(parse_value("-0", wasm::f64)->f64()));
  EXPECT_THAT(parse_value("one", wasm::f64).error(), HasSubstr("'one' is not f64"));
  EXPECT_FALSE(parse_value("--1", wasm::f64));
}

TEST(value_text, null_is_the_only_reference_that_can_be_written) {
  EXPECT_TRUE(parse_value("null", wasm::externref)->is_null());
  EXPECT_THAT(parse_value("3", wasm::funcref).error(), HasSubstr("null"));
  EXPECT_THAT(parse_value("3", wasm::v128).error(), HasSubstr("v128"));
}

TEST(value_text, arguments_are_counted_and_numbered) {
  const wasm::func_type type{{wasm::i32, wasm::f64}, {}};
  const std::vector<std::string> good{"7", "0.5"};
  EXPECT_EQ(parse_arguments(good, type)->at(1).f64(), 0.5);
  const std::vector<std::string> few{"7"};
  EXPECT_THAT(parse_arguments(few, type).error(), HasSubstr("takes 2 arguments, not 1"));
  const std::vector<std::string> wrong{"7", "x"};
  EXPECT_THAT(parse_arguments(wrong, type).error(), HasSubstr("argument 2: 'x' is not f64"));
}

TEST(value_text, a_float_is_written_with_the_digits_it_needs) {
  EXPECT_EQ(format_value(wasm::value{0.1}), "0.1");
  EXPECT_EQ(format_value(wasm::value{0.1f}), "0.1");
  EXPECT_EQ(format_value(wasm::value{-0.16930106330263514}), "-0.16930106330263514");
  EXPECT_EQ(format_value(wasm::value{std::int32_t{-5}}), "-5");
  EXPECT_EQ(format_value(wasm::value{wasm::externref, 0}), "null");
  const std::vector<wasm::value> two{wasm::value{std::int64_t{1}}, wasm::value{2.5}};
  EXPECT_EQ(format_values(two), "1 2.5");
}

} // namespace
} // namespace weir::cli
