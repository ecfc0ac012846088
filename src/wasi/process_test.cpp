// SPDX-License-Identifier: Apache-2.0
#include "wasi/testing.hpp"

namespace weir::wasi {
namespace {

using namespace testing;
using namespace detail;

TEST(process, arguments_are_given_with_their_addresses_and_zeros) {
  fake_guest guest{context_options{.args = {"prog", "", "three"}}};
  fake_memory& memory = guest.memory();
  const u32 count = memory.room(4), size = memory.room(4);
  ASSERT_EQ(args_sizes_get(guest.state(), guest.view(), count, size), errc::success);
  ASSERT_EQ(memory.at<u32>(count), 3u);
  ASSERT_EQ(memory.at<u32>(size), 12u);
  const u32 argv = memory.room(12), buffer = memory.room(12);
  ASSERT_EQ(args_get(guest.state(), guest.view(), argv, buffer), errc::success);
  EXPECT_EQ(memory.text(buffer, 12), std::string("prog\0\0three\0", 12));
  EXPECT_EQ(memory.at<u32>(argv), buffer);
  EXPECT_EQ(memory.at<u32>(argv + 4), buffer + 5);
  EXPECT_EQ(memory.at<u32>(argv + 8), buffer + 6);
}

TEST(process, the_environment_is_given_as_names_and_values_and_nothing_of_the_hosts) {
  fake_guest guest{context_options{.env = {{"A", "1=2"}, {"EMPTY", ""}}}};
  fake_memory& memory = guest.memory();
  const u32 count = memory.room(4), size = memory.room(4), pointers = memory.room(8), buffer = memory.room(64);
  ASSERT_EQ(environ_sizes_get(guest.state(), guest.view(), count, size), errc::success);
  EXPECT_EQ(memory.at<u32>(count), 2u);
  ASSERT_EQ(environ_get(guest.state(), guest.view(), pointers, buffer), errc::success);
  EXPECT_EQ(memory.text(buffer, memory.at<u32>(size)), std::string("A=1=2\0EMPTY=\0", 13));
}

TEST(process, an_array_or_buffer_outside_the_memory_is_a_fault) {
  fake_guest guest{context_options{.args = {"prog"}}};
  const u32 end = guest.memory().size();
  EXPECT_EQ(args_get(guest.state(), guest.view(), end - 3, 64), errc::fault);
  EXPECT_EQ(args_get(guest.state(), guest.view(), 64, end - 4), errc::fault);
  EXPECT_EQ(args_get(guest.state(), guest.view(), 0xffff'ffff, 0xffff'ffff), errc::fault);
  EXPECT_EQ(args_sizes_get(guest.state(), guest.view(), end, 64), errc::fault);
  EXPECT_EQ(args_sizes_get(guest.state(), guest.view(), 64, end - 2), errc::fault);
}

TEST(process, random_bytes_come_from_the_given_source) {
  context_options options;
  options.random = [](std::span<std::byte> bytes) { std::fill(bytes.begin(), bytes.end(), std::byte{7}); };
  fake_guest guest{std::move(options)};
  const u32 buffer = guest.memory().room(100'000);
  ASSERT_EQ(random_get(guest.state(), guest.view(), buffer, 100'000), errc::success);
  EXPECT_EQ(guest.memory().text(buffer, 100'000), std::string(100'000, '\7'));
}

TEST(process, random_bytes_of_the_system_differ_each_time) {
  fake_guest guest{context_options{}};
  const u32 one = guest.memory().room(32), two = guest.memory().room(32);
  ASSERT_EQ(random_get(guest.state(), guest.view(), one, 32), errc::success);
  ASSERT_EQ(random_get(guest.state(), guest.view(), two, 32), errc::success);
  EXPECT_NE(guest.memory().text(one, 32), guest.memory().text(two, 32));
}

TEST(process, random_bytes_outside_the_memory_are_a_fault) {
  fake_guest guest{context_options{}};
  EXPECT_EQ(random_get(guest.state(), guest.view(), guest.memory().size() - 8, 9), errc::fault);
  EXPECT_EQ(random_get(guest.state(), guest.view(), 8, 0xffff'ffff), errc::fault);
}

TEST(process, a_large_request_for_random_bytes_ends_when_cancelled) {
  context_options options;
  const cancel_token cancel = options.cancel;
  options.random = [cancel](std::span<std::byte>) { cancel.cancel(); };
  fake_guest guest{std::move(options)};
  fake_memory big{std::size_t{4} << 20};
  EXPECT_EQ(random_get(guest.state(), big.view(), 0, u32{4} << 20), errc::interrupted);
}

TEST(process, signals_are_not_offered) {
  fake_guest guest{context_options{}};
  EXPECT_EQ(proc_raise(guest.state(), guest.view(), 9), errc::notsup);
  EXPECT_EQ(proc_raise(guest.state(), guest.view(), 31), errc::inval);
}

} // namespace
} // namespace weir::wasi
