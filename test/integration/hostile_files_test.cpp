// SPDX-License-Identifier: Apache-2.0
// What is no program gives status 126 and one line that names the file, whatever it contains.
#include "process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace weir::test {
namespace {

using testing::HasSubstr;

class hostile_files : public testing::TestWithParam<const char*> {
protected:
  void expect_refusal(const std::string& path, const std::string& why) const {
    const ended run = weir({GetParam(), path});
    EXPECT_EQ(run.status, 126) << run.output << run.error;
    EXPECT_EQ(run.output, "");
    ASSERT_EQ(lines(run.error).size(), 1u) << run.error;
    EXPECT_THAT(run.error, testing::StartsWith("weir: " + path + ": "));
    EXPECT_THAT(run.error, HasSubstr(why));
  }

  const scratch_folder folder_;
};

TEST_P(hostile_files, a_missing_file) { expect_refusal(folder_.file("missing.wasm"), "no such file"); }
TEST_P(hostile_files, a_directory) { expect_refusal(folder_.path(), "is a directory"); }
TEST_P(hostile_files, an_empty_file) { expect_refusal(folder_.write("empty.wasm", ""), "is empty"); }
TEST_P(hostile_files, a_text) { expect_refusal(folder_.write("text.wasm", "#!/bin/sh\n"), "is not WebAssembly"); }
TEST_P(hostile_files, the_text_format) { expect_refusal(folder_.write("a.wat", "(module)"), "wat2wasm"); }
TEST_P(hostile_files, an_endless_device) { expect_refusal("/dev/zero", "is not WebAssembly"); }

TEST_P(hostile_files, a_huge_file) {
  const std::string path = folder_.write("huge.wasm", read_file(example_guest("sieve")));
  std::filesystem::resize_file(path, 5ull << 30);
  expect_refusal(path, "largest program");
}

TEST_P(hostile_files, a_module_cut_off_anywhere) {
  const std::string whole = read_file(example_guest("publish"));
  ASSERT_GT(whole.size(), 1000u);
  for (std::size_t size = 1; size < whole.size(); size += whole.size() / 23)
    expect_refusal(folder_.write("cut.wasm", std::string_view{whole}.substr(0, size)), "");
}

TEST_P(hostile_files, a_module_that_ends_in_noise) {
  std::string noise = read_file(example_guest("publish")).substr(0, 64);
  for (unsigned i = 0, x = 7; i < 4096; ++i) noise += static_cast<char>((x = x * 1664525u + 1013904223u) >> 24);
  expect_refusal(folder_.write("noise.wasm", noise), "malformed");
}

INSTANTIATE_TEST_SUITE_P(commands, hostile_files, testing::Values("run", "inspect"),
                         [](const auto& command) { return std::string{command.param}; });

TEST(a_component, is_refused_by_run_with_what_to_do) {
  const scratch_folder folder;
  const std::string path = folder.write("app.wasm", std::string_view{"\0asm\x0d\0\1\0", 8});
  const ended run = weir({"run", path});
  EXPECT_EQ(run.status, 126);
  EXPECT_EQ(lines(run.error).size(), 1u);
  EXPECT_THAT(run.error, HasSubstr("is a component; weir run takes core modules as yet"));
}

TEST(a_library, is_refused_by_run_with_what_to_do) {
  const ended run = weir({"run", test_data("corpus/text/text.1.wasm")});
  EXPECT_EQ(run.status, 126);
  EXPECT_THAT(run.error, HasSubstr("has no function _start to begin at; call another with --invoke (it exports one)"));
}

TEST(a_module_with_unknown_imports, is_refused_by_run_with_their_names) {
  const ended run = weir({"run", "--invoke", "add", test_data("corpus/basic/basic.0.wasm"), "1", "2"});
  EXPECT_EQ(run.status, 126);
  EXPECT_EQ(lines(run.error).size(), 1u) << run.error;
  EXPECT_THAT(run.error, HasSubstr("spectest"));
}

} // namespace
} // namespace weir::test
