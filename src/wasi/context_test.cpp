// SPDX-License-Identifier: Apache-2.0
#include "os/testing.hpp"
#include "wasi/testing.hpp"

namespace weir::wasi {
namespace {

using namespace testing;
namespace host = rt::os::testing;

std::string message(context_options options) {
  const auto built = context::build(std::move(options));
  if (built) return "built";
  EXPECT_EQ(built.error().code, wasm::errc::host_error);
  return built.error().message;
}

TEST(context, descriptors_are_streams_then_directories_then_sockets) {
  scratch box;
  const auto pair = host::socket_pair();
  context_options options;
  options.directories = {{box.path().string(), "/a", false}, {box.path().string(), "/b", true}};
  options.sockets = {pair.first.get()};
  const context made = build(std::move(options));
  const fd_table& files = made.state().files;
  for (u32 i = 0; i < 3; ++i) EXPECT_TRUE(files.find(i)->is_stdio);
  EXPECT_EQ(files.find(3)->preopen_name, "/a");
  EXPECT_TRUE(files.find(3)->can_change);
  EXPECT_EQ(files.find(4)->preopen_name, "/b");
  EXPECT_FALSE(files.find(4)->can_change);
  EXPECT_TRUE(files.find(5)->is_socket());
  EXPECT_EQ(files.find(6), nullptr);
}

TEST(context, a_directory_that_cannot_be_opened_is_named) {
  scratch box;
  write_file(box / "file", "");
  context_options options;
  options.directories = {{(box / "missing").string(), "/a", false}};
  EXPECT_EQ(message(options), "the directory " + (box / "missing").string() +
                                  " for the guest's /a cannot be opened: No such file or directory");
  options.directories[0].host_path = (box / "file").string();
  EXPECT_THAT(message(options), ::testing::HasSubstr("Not a directory"));
  options.directories = {{box.path().string(), "", false}};
  EXPECT_THAT(message(options), ::testing::HasSubstr("needs a name for the guest"));
}

TEST(context, descriptors_of_the_host_must_be_open_and_sockets_must_be_sockets) {
  host::pipe_pair pipe;
  context_options options;
  options.sockets = {pipe.reader.get()};
  EXPECT_THAT(message(options), ::testing::HasSubstr("is not a socket"));
  options.sockets = {};
  options.standard_input = input::descriptor(987'654);
  EXPECT_THAT(message(options), ::testing::HasSubstr("standard input: descriptor 987654 of the host cannot be used"));
}

TEST(context, strings_with_zeros_and_bad_names_are_refused) {
  EXPECT_THAT(message(context_options{.args = {std::string("a\0b", 3)}}), ::testing::HasSubstr("zero byte"));
  EXPECT_THAT(message(context_options{.env = {{"A=B", "c"}}}), ::testing::HasSubstr("without `=`"));
  EXPECT_THAT(message(context_options{.env = {{"", "c"}}}), ::testing::HasSubstr("name"));
}

TEST(context, too_few_descriptors_for_what_is_given_are_refused) {
  context_options options;
  options.max_descriptors = 2;
  EXPECT_THAT(message(options), ::testing::HasSubstr("max_descriptors"));
}

TEST(context, streams_of_the_host_stay_open_after_the_context) {
  host::pipe_pair pipe;
  {
    context_options options;
    options.standard_output = output::descriptor(pipe.writer.get());
    const context made = build(std::move(options));
  }
  EXPECT_TRUE(rt::os::status(pipe.writer.get()).has_value());
}

TEST(context, a_device_that_is_no_terminal_does_not_look_like_one) {
  const rt::os::file null = host::open_file("/dev/null", true);
  context_options options;
  options.standard_output = output::descriptor(null.get());
  fake_guest guest{std::move(options)};
  EXPECT_EQ(guest.state().files.find(1)->type, rt::os::file_type::unknown);
  EXPECT_EQ(guest.write(1, std::string(100'000, 'x')).value(), 100'000u);
}

TEST(context, a_cancelled_token_stays_so_for_all_its_copies) {
  const cancel_token token;
  const cancel_token copy = token;
  EXPECT_FALSE(copy.is_cancelled());
  token.cancel();
  token.cancel();
  EXPECT_TRUE(copy.is_cancelled());
  context_options options;
  options.cancel = copy;
  EXPECT_TRUE(build(std::move(options)).cancel().is_cancelled());
}

} // namespace
} // namespace weir::wasi
