// SPDX-License-Identifier: Apache-2.0
#include "wasi/errno_map.hpp"

#include "wasi/testing.hpp"

#include <cerrno>
#include <future>
#include <map>

namespace weir::wasi {
namespace {

using abi::errc;

abi::errc host(int code) { return to_errno(std::error_code{code, std::system_category()}); }

TEST(errno_map, the_numbers_are_those_of_the_interface) {
  EXPECT_EQ(static_cast<int>(host(E2BIG)), 1);
  EXPECT_EQ(static_cast<int>(host(EBADF)), 8);
  EXPECT_EQ(static_cast<int>(host(EEXIST)), 20);
  EXPECT_EQ(static_cast<int>(host(EISDIR)), 31);
  EXPECT_EQ(static_cast<int>(host(ENAMETOOLONG)), 37);
  EXPECT_EQ(static_cast<int>(host(ENOSPC)), 51);
  EXPECT_EQ(static_cast<int>(host(ENOTDIR)), 54);
  EXPECT_EQ(static_cast<int>(host(ENOTEMPTY)), 55);
  EXPECT_EQ(static_cast<int>(host(EPIPE)), 64);
  EXPECT_EQ(static_cast<int>(host(ESPIPE)), 70);
  EXPECT_EQ(static_cast<int>(host(EXDEV)), 75);
}

TEST(errno_map, no_two_host_errors_share_a_guest_error_unless_the_host_itself_makes_them_equal) {
  std::map<errc, int> seen;
  for (int code = 1; code < 134; ++code) {
    const errc guest = host(code);
    if (guest == errc::io && code != EIO) continue; // one without a name
    EXPECT_TRUE(seen.emplace(guest, code).second) << code << " and " << seen[guest];
  }
  EXPECT_GT(seen.size(), 70u);
}

TEST(errno_map, an_error_without_a_name_is_io) {
  EXPECT_EQ(host(99999), errc::io);
  EXPECT_EQ(to_errno(make_error_code(std::future_errc::no_state)), errc::io);
}

TEST(errno_map, an_error_of_the_generic_category_is_understood) {
  EXPECT_EQ(to_errno(make_error_code(std::errc::broken_pipe)), errc::pipe);
}

TEST(errno_map, a_fifo_has_no_type_in_preview_1) {
  EXPECT_EQ(to_filetype(rt::os::file_type::fifo), abi::filetype::unknown);
  EXPECT_EQ(static_cast<int>(to_filetype(rt::os::file_type::socket_stream)), 6);
  EXPECT_EQ(static_cast<int>(to_filetype(rt::os::file_type::symbolic_link)), 7);
}

} // namespace
} // namespace weir::wasi
