// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace weir::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

/// A component that holds the given core modules and nothing else. Each must be shorter than 16384 bytes.
std::string component_of(const std::vector<std::string>& modules) {
  std::string bytes{"\0asm\x0d\0\1\0", 8};
  for (const std::string& one : modules) {
    bytes += '\1';
    bytes += static_cast<char>(0x80 | (one.size() & 0x7f));
    bytes += static_cast<char>(one.size() >> 7);
    bytes += one;
  }
  return bytes;
}

TEST(weir_inspect, a_module_is_described_as_text_and_as_json) {
  const ended text = weir({"inspect", example_guest("publish")});
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.output, HasSubstr("  wasi_snapshot_preview1.path_open: function ("));
  EXPECT_THAT(text.output, HasSubstr("  _start: function () -> ()"));
  const ended json = weir({"inspect", "--json", example_guest("publish")});
  const auto read = nlohmann::json::parse(json.output);
  EXPECT_EQ(read["kind"], "core module");
  EXPECT_GT(read["functions"].size(), 10u);
}

TEST(weir_inspect, validation_and_translation_are_timed) {
  const ended checked = weir({"inspect", "--validate-only", example_guest("publish")});
  EXPECT_EQ(checked.status, 0);
  EXPECT_THAT(checked.output, MatchesRegex(".*publish.wasm: .* decoded and validated in .* \\(CPU .*\\)\n"));
  const ended translated = weir({"inspect", "--translate", example_guest("publish")});
  EXPECT_EQ(translated.status, 0);
  EXPECT_THAT(translated.output, HasSubstr("translated to"));
}

TEST(weir_inspect, the_core_modules_of_a_component_are_listed_and_written) {
  const scratch_folder folder;
  const std::string one = read_file(test_data("corpus/basic/basic.0.wasm"));
  const std::string two = read_file(test_data("corpus/text/text.1.wasm"));
  ASSERT_LT(one.size(), 16384u);
  const std::string path = folder.write("app.wasm", component_of({one, two}));
  const ended listed = weir({"inspect", path});
  EXPECT_EQ(listed.status, 0) << listed.error;
  EXPECT_THAT(listed.output, HasSubstr("core modules: 2"));
  const ended written = weir({"inspect", "--extract-core", folder.file("parts"), path});
  EXPECT_EQ(written.status, 0) << written.error;
  ASSERT_EQ(lines(written.output).size(), 2u);
  EXPECT_EQ(read_file(lines(written.output)[0]), one);
  EXPECT_EQ(read_file(lines(written.output)[1]), two);
}

TEST(weir_inspect, a_core_module_has_nothing_to_extract) {
  const scratch_folder folder;
  const ended run = weir({"inspect", "--extract-core", folder.file("parts"), example_guest("publish")});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.error, HasSubstr("is a core module itself"));
}

} // namespace
} // namespace weir::test
