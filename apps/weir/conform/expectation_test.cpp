// SPDX-License-Identifier: Apache-2.0
#include "conform/expectation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace weir::cli {
namespace {

using wasm::value;

script_value number(std::string type, std::string bits) { return {std::move(type), std::move(bits), {}, {}}; }
script_value null(std::string heap) { return {"refnull", std::nullopt, std::move(heap), {}}; }

class expectation : public testing::Test {
protected:
  wasm::engine engine_;
  wasm::store store_{engine_};
};

TEST_F(expectation, numbers_match_by_type_and_bits) {
  EXPECT_TRUE(matches(value{std::int32_t{-1}}, number("i32", "4294967295"), store_));
  EXPECT_FALSE(matches(value{std::int32_t{-1}}, number("i32", "1"), store_));
  EXPECT_FALSE(matches(value{std::int64_t{1}}, number("i32", "1"), store_));
  EXPECT_TRUE(matches(value{1.0f}, number("f32", "1065353216"), store_));
  EXPECT_FALSE(matches(value{-0.0}, number("f64", "0"), store_));
  EXPECT_FALSE(matches(value{std::int32_t{1}}, number("i32", "one"), store_));
}

TEST_F(expectation, a_canonical_nan_has_nothing_but_the_first_bit_and_maybe_the_sign) {
  const auto canonical = number("f32", "nan:canonical");
  EXPECT_TRUE(matches(value{wasm::f32, 0x7fc00000}, canonical, store_));
  EXPECT_TRUE(matches(value{wasm::f32, 0xffc00000}, canonical, store_));
  EXPECT_FALSE(matches(value{wasm::f32, 0x7fc00001}, canonical, store_));
  EXPECT_FALSE(matches(value{wasm::f32, 0x7fa00000}, canonical, store_));
  EXPECT_FALSE(matches(value{1.0f}, canonical, store_));
  EXPECT_FALSE(matches(value{wasm::f64, 0x7ff8000000000000}, canonical, store_));
}

TEST_F(expectation, an_arithmetic_nan_has_at_least_the_first_bit) {
  const auto arithmetic = number("f64", "nan:arithmetic");
  EXPECT_TRUE(matches(value{wasm::f64, 0x7ff8000000000000}, arithmetic, store_));
  EXPECT_TRUE(matches(value{wasm::f64, 0xfff8000000000123}, arithmetic, store_));
  EXPECT_FALSE(matches(value{wasm::f64, 0x7ff4000000000000}, arithmetic, store_));
  EXPECT_FALSE(matches(value{std::numeric_limits<double>::infinity()}, arithmetic, store_));
}

TEST_F(expectation, one_of_several_alternatives_is_enough) {
  script_value either{"either", std::nullopt, {}, {number("i32", "1"), number("i32", "2")}};
  EXPECT_TRUE(matches(value{std::int32_t{2}}, either, store_));
  EXPECT_FALSE(matches(value{std::int32_t{3}}, either, store_));
}

TEST_F(expectation, host_references_match_by_their_number) {
  const auto seven = to_argument(number("externref", "7"), store_).value();
  EXPECT_TRUE(matches(seven, number("externref", "7"), store_));
  EXPECT_FALSE(matches(seven, number("externref", "8"), store_));
  EXPECT_TRUE(matches(seven, script_value{"externref", std::nullopt, {}, {}}, store_));
  EXPECT_FALSE(matches(seven, script_value{"funcref", std::nullopt, {}, {}}, store_));
  EXPECT_FALSE(matches(seven, null("extern"), store_));
}

TEST_F(expectation, null_matches_a_null_of_its_heap_type_or_of_any) {
  EXPECT_TRUE(matches(value{wasm::externref, 0}, null("extern"), store_));
  EXPECT_TRUE(matches(value{wasm::funcref, 0}, null(""), store_));
  EXPECT_FALSE(matches(value{wasm::funcref, 0}, null("extern"), store_));
  EXPECT_FALSE(matches(value{std::int32_t{0}}, null(""), store_));
  EXPECT_FALSE(matches(value{wasm::funcref, 0}, script_value{"funcref", std::nullopt, {}, {}}, store_));
}

TEST_F(expectation, the_number_of_results_counts) {
  const std::vector<value> two{value{std::int32_t{1}}, value{std::int32_t{2}}};
  const std::vector<script_value> one{number("i32", "1")};
  EXPECT_FALSE(matches(two, one, store_));
  EXPECT_TRUE(matches(std::span<const value>{}, std::span<const script_value>{}, store_));
}

TEST_F(expectation, values_of_a_lacking_feature_are_named) {
  EXPECT_EQ(lacking_feature(script_value{"v128", std::nullopt, {}, {}}), "simd");
  EXPECT_EQ(lacking_feature(script_value{"structref", std::nullopt, {}, {}}), "gc");
  EXPECT_EQ(lacking_feature(null("any")), "gc");
  EXPECT_EQ(lacking_feature(null("extern")), std::nullopt);
  EXPECT_EQ(lacking_feature(script_value{"either", std::nullopt, {}, {{"v128", std::nullopt, {}, {}}}}), "simd");
  EXPECT_EQ(lacking_feature(number("i32", "1")), std::nullopt);
}

TEST_F(expectation, an_argument_that_cannot_be_made_is_an_error) {
  EXPECT_FALSE(to_argument(number("i32", "x"), store_));
  EXPECT_FALSE(to_argument(number("i31ref", "1"), store_));
  EXPECT_FALSE(to_argument(null("none"), store_));
  EXPECT_EQ(to_argument(null("func"), store_)->type, wasm::funcref);
}

TEST(trap_text, one_of_reason_and_text_begins_with_the_other) {
  EXPECT_TRUE(matches(wasm::trap_code::uninitialized_element, "uninitialized element 7"));
  EXPECT_TRUE(matches(wasm::trap_code::indirect_call_type_mismatch, "indirect call"));
  EXPECT_FALSE(matches(wasm::trap_code::unreachable, "integer overflow"));
  EXPECT_FALSE(matches(wasm::trap_code::unreachable, ""));
}

TEST(feature_name, it_is_that_of_the_error) {
  wasm::error refused{.code = wasm::errc::unsupported_feature};
  refused.lacking.add(wasm::feature::relaxed_simd);
  EXPECT_EQ(feature_name(refused), "relaxed-simd");
  EXPECT_EQ(feature_name({.code = wasm::errc::unsupported_feature}), "a feature without a name");
}

TEST(describe, values_are_shown_with_type_and_bits) {
  const std::vector<value> actual{value{std::int32_t{-1}}, value{1.5}};
  EXPECT_EQ(describe(actual), "i32:4294967295 f64:4609434218613702656 (1.5)");
  const std::vector<script_value> expected{number("f32", "nan:canonical"), null("extern")};
  EXPECT_EQ(describe(expected), "f32:nan:canonical refnull:extern");
}

} // namespace
} // namespace weir::cli
