// SPDX-License-Identifier: Apache-2.0
#include "run/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace weir::cli {
namespace {

using testing::HasSubstr;

class program_loader_test : public testing::Test {
protected:
  std::expected<program, load_problem> load(const std::string& file, std::optional<std::string> invoke = {},
                                            std::vector<std::string> args = {}) {
    program_request request;
    request.path = std::string{WEIR_TEST_DATA} + "/" + file;
    request.args = std::move(args);
    request.options.invoke = std::move(invoke);
    return loader_.load(request);
  }

  wasm::engine engine_;
  program_loader loader_{engine_};
};

TEST_F(program_loader_test, a_file_that_is_named_twice_is_compiled_once) {
  const auto first = load("corpus/basic/basic.0.wasm", "fall");
  const auto second = load("corpus/../corpus/basic/basic.0.wasm", "fall");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->blueprint, second->blueprint);
}

TEST_F(program_loader_test, arguments_are_read_by_the_functions_type) {
  const auto loaded = load("corpus/basic/basic.0.wasm", "add", {"2", "-3"});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(loaded->arguments.at(1).i32(), -3);
  const auto wrong = load("corpus/basic/basic.0.wasm", "add", {"2", "x"});
  EXPECT_EQ(wrong.error().status, 2);
  EXPECT_THAT(wrong.error().message, HasSubstr("--invoke add: argument 2: 'x' is not i32"));
}

TEST_F(program_loader_test, a_function_that_is_not_there_is_answered_with_those_that_are) {
  const auto loaded = load("corpus/basic/basic.0.wasm", "subtract");
  EXPECT_EQ(loaded.error().status, 2);
  EXPECT_THAT(loaded.error().message, HasSubstr("has no such function: it exports add, half"));
}

TEST_F(program_loader_test, a_library_without_start_is_no_program) {
  const auto loaded = load("corpus/basic/basic.0.wasm");
  EXPECT_EQ(loaded.error().status, 126);
  EXPECT_THAT(loaded.error().message, HasSubstr("has no function _start"));
  EXPECT_THAT(loaded.error().message, HasSubstr("--invoke"));
}

TEST_F(program_loader_test, what_the_engine_refuses_is_no_program_and_says_why) {
  const auto lacking = load("corpus/lacking/lacking.0.wasm", "v");
  EXPECT_EQ(lacking.error().status, 126);
  EXPECT_THAT(lacking.error().message, HasSubstr("simd"));
  EXPECT_EQ(load("corpus/basic/basic.1.wasm").error().status, 126);
  EXPECT_EQ(load("corpus/basic/basic.2.wasm").error().status, 126);
  EXPECT_EQ(load("corpus/basic").error().status, 126);
}

} // namespace
} // namespace weir::cli
