// SPDX-License-Identifier: Apache-2.0
#include "support/program_file.hpp"

#include "base/scratch_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace weir::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class program_file : public testing::Test {
protected:
  std::string write(const std::string& name, std::string_view contents) const {
    return folder_.write(name, contents).string();
  }

  weir::test::scratch_folder folder_;
};

constexpr std::string_view core_preamble{"\0asm\1\0\0\0", 8};
constexpr std::string_view component_preamble{"\0asm\x0d\0\1\0", 8};

TEST_F(program_file, a_core_module_and_a_component_are_read_whole) {
  const std::string core = std::string{core_preamble} + std::string(300'000, 'x');
  EXPECT_EQ(read_program(write("core.wasm", core))->size(), core.size());
  const auto component = read_program(write("component.wasm", component_preamble));
  ASSERT_TRUE(component.has_value());
  EXPECT_EQ(classify(*component), program_kind::component);
}

TEST_F(program_file, a_missing_file_and_a_directory_are_refused_with_their_path) {
  const std::string missing = (folder_ / "missing.wasm").string();
  EXPECT_THAT(read_program(missing).error(), AllOf(StartsWith(missing), HasSubstr("no such file")));
  EXPECT_THAT(read_program(folder_.path().string()).error(), HasSubstr("is a directory"));
}

TEST_F(program_file, an_empty_and_a_truncated_file_say_so) {
  EXPECT_THAT(read_program(write("empty.wasm", "")).error(), HasSubstr("is empty"));
  EXPECT_THAT(read_program(write("short.wasm", core_preamble.substr(0, 5))).error(), HasSubstr("ends after 5 bytes"));
}

TEST_F(program_file, other_contents_say_what_they_are) {
  EXPECT_THAT(read_program(write("a.wat", "  (module)")).error(), HasSubstr("wat2wasm"));
  EXPECT_THAT(read_program(write("a.txt", "hello, world")).error(), HasSubstr("is not WebAssembly"));
  EXPECT_THAT(read_program(write("v2.wasm", std::string_view{"\0asm\2\0\0\0", 8})).error(),
              HasSubstr("unknown version (02 00 00 00)"));
}

TEST_F(program_file, a_file_of_more_than_the_limit_is_refused_by_its_size) {
  const std::string path = write("huge.wasm", core_preamble);
  std::filesystem::resize_file(path, largest_program + 1);
  EXPECT_THAT(read_program(path).error(), HasSubstr("largest program"));
}

TEST_F(program_file, an_endless_device_is_refused_by_its_first_bytes) {
  EXPECT_THAT(read_program("/dev/zero").error(), HasSubstr("is not WebAssembly"));
}

TEST_F(program_file, a_program_is_named_by_its_file_without_folder_and_extension) {
  EXPECT_EQ(program_name("a/b/sieve.wasm"), "sieve");
  EXPECT_EQ(program_name("js-hello.component.wasm"), "js-hello.component");
  EXPECT_EQ(program_name("plain"), "plain");
  EXPECT_EQ(program_name(".wasm"), ".wasm");
}

} // namespace
} // namespace weir::cli
