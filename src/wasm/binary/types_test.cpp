// SPDX-License-Identifier: Apache-2.0
#include <weir/wasm/error.hpp>
#include <weir/wasm/types.hpp>

#include <gtest/gtest.h>

namespace weir::wasm {
namespace {

TEST(types, print_as_in_the_text_format) {
  EXPECT_EQ(to_string(i32), "i32");
  EXPECT_EQ(to_string(exnref), "exnref");
  EXPECT_EQ(to_string(func_type{{i32, i64}, {f32}}), "(i32, i64) -> f32");
  EXPECT_EQ(to_string(func_type{{}, {f32, f64}}), "() -> (f32, f64)");
  EXPECT_EQ(to_string(func_type{}), "() -> ()");
  EXPECT_STREQ(to_string(extern_kind::tag), "tag");
  EXPECT_STREQ(to_string(feature::bulk_memory), "bulk-memory");
  EXPECT_STREQ(to_string(feature::custom_descriptors), "custom-descriptors");
}

TEST(types, errors_print_in_one_line) {
  error bad{errc::invalid, "unknown local 9", 0x1f, 3};
  EXPECT_EQ(bad.to_string(), "invalid module: unknown local 9 at byte 0x1f, in function 3");
  error trapped;
  trapped.code = errc::trap;
  trapped.message = to_string(trap_code::integer_divide_by_zero);
  EXPECT_EQ(trapped.to_string(), "trap: integer divide by zero");
  error left;
  left.code = errc::exited;
  left.exit_status = 3;
  EXPECT_EQ(left.to_string(), "exited with status 3");
}

TEST(types, errors_are_error_codes) {
  const std::error_code code = errc::unlinkable;
  EXPECT_STREQ(code.category().name(), "weir.wasm");
  EXPECT_EQ(code.message(), "cannot link");
  EXPECT_EQ(code, error{.code = errc::unlinkable}.error_code());
}

} // namespace
} // namespace weir::wasm
