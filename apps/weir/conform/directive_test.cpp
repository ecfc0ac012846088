// SPDX-License-Identifier: Apache-2.0
#include "conform/directive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::cli {
namespace {

using testing::HasSubstr;

TEST(directive, the_first_line_of_a_script_gives_none) {
  EXPECT_FALSE(parse_directive(R"({"type":"script","source_filename":"a.wast"})").value().has_value());
}

TEST(directive, a_module_names_its_file) {
  const auto one =
      parse_directive(
          R"({"type":"module","line":3,"name":"M","sort":"module","module_type":"binary","filename":"a.0.wasm"})")
          .value();
  ASSERT_TRUE(one);
  EXPECT_EQ(one->kind, directive_kind::module);
  EXPECT_EQ(one->line, 3u);
  EXPECT_EQ(one->name, "M");
  EXPECT_EQ(one->file, "a.0.wasm");
  EXPECT_FALSE(one->is_component);
}

TEST(directive, a_text_module_has_a_file_only_if_it_encodes) {
  const auto encodes = parse_directive(
      R"({"type":"module","line":1,"sort":"module","module_type":"text","filename":"a.wat","binary_filename":"a.wasm"})");
  EXPECT_EQ(encodes.value()->file, "a.wasm");
  const auto refused = parse_directive(
      R"({"type":"assert_malformed","line":1,"sort":"module","module_type":"text","filename":"a.wat","text":"x","text_error":"y"})");
  EXPECT_EQ(refused.value()->file, "");
}

TEST(directive, an_assertion_has_an_action_and_what_it_expects) {
  const auto one = parse_directive(
      R"({"type":"assert_return","line":9,"action":{"type":"invoke","module":"M","field":"f","args":[{"type":"i32","value":"7"}]},
          "expected":[{"type":"either","values":[{"type":"f32","value":"nan:canonical"},{"type":"refnull","heap":"extern"}]}]})");
  ASSERT_TRUE(one.has_value() && one->has_value());
  const directive& read = **one;
  EXPECT_EQ(read.action.module, "M");
  EXPECT_EQ(read.action.field, "f");
  EXPECT_EQ(read.action.args.at(0).text, "7");
  ASSERT_EQ(read.expected.at(0).alternatives.size(), 2u);
  EXPECT_EQ(read.expected.at(0).alternatives[0].text, "nan:canonical");
  EXPECT_EQ(read.expected.at(0).alternatives[1].heap, "extern");
}

TEST(directive, a_thread_counts_the_commands_inside) {
  const auto one = parse_directive(
      R"({"type":"thread","line":1,"name":"T","commands":[{"type":"action"},{"type":"thread","commands":[{"type":"wait"}]}]})");
  EXPECT_EQ(one.value()->nested, 3u);
}

TEST(directive, whatever_a_line_contains_it_is_an_error_and_no_crash) {
  EXPECT_THAT(parse_directive("{\"type\":").error(), HasSubstr("not JSON"));
  EXPECT_THAT(parse_directive("[1]").error(), HasSubstr("not a JSON object"));
  EXPECT_THAT(parse_directive("{}").error(), HasSubstr("\"type\""));
  EXPECT_THAT(parse_directive(R"({"type":7})").error(), HasSubstr("not a string"));
  EXPECT_THAT(parse_directive(R"({"type":"frob"})").error(), HasSubstr("'frob'"));
  EXPECT_THAT(parse_directive(R"({"type":"module","line":1})").error(), HasSubstr("\"filename\""));
  EXPECT_THAT(parse_directive(R"({"type":"action","line":1})").error(), HasSubstr("\"action\""));
  EXPECT_THAT(parse_directive(R"({"type":"action","action":{"type":"invoke","field":"f","args":7}})").error(),
              HasSubstr("not a list"));
  EXPECT_THAT(parse_directive(R"({"type":"action","action":{"type":"jump","field":"f"}})").error(),
              HasSubstr("'jump'"));
  EXPECT_THAT(parse_directive(R"({"type":"action","action":{"type":"invoke","field":"f","args":[7]}})").error(),
              HasSubstr("not an object"));
  EXPECT_THAT(parse_directive("\xff\xfe").error(), HasSubstr("not JSON"));
}

} // namespace
} // namespace weir::cli
