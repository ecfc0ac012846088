// SPDX-License-Identifier: Apache-2.0
#include "os/testing.hpp"
#include "wasi/testing.hpp"

namespace weir::wasi {
namespace {

using namespace testing;
using namespace detail;
namespace right = abi::right;
namespace host = rt::os::testing;

constexpr u64 read_write = right::fd_read | right::fd_write;

struct fd_meta : ::testing::Test {
  scratch box;
  fake_guest guest{box.path()};
  u32 record = guest.memory().room(64);

  errc fdstat(u32 fd) { return fd_fdstat_get(guest.state(), guest.view(), fd, record); }
  u64 base() { return guest.memory().at<u64>(record + abi::fdstat::rights_base); }
  u64 inheriting() { return guest.memory().at<u64>(record + abi::fdstat::rights_inheriting); }
  unsigned type() { return guest.memory().at<std::uint8_t>(record); }
  unsigned flags() { return guest.memory().at<std::uint16_t>(record + abi::fdstat::flags); }
  errc filestat(u32 fd) { return fd_filestat_get(guest.state(), guest.view(), fd, record); }
  template <class T> T field(u32 offset) { return guest.memory().at<T>(record + offset); }
};

TEST_F(fd_meta, a_preopened_directory_says_what_libraries_expect) {
  ASSERT_EQ(fdstat(3), errc::success);
  EXPECT_EQ(type(), 3u);
  EXPECT_TRUE((base() & right::path_open) != 0);
  EXPECT_TRUE((base() & right::fd_read) == 0);
  EXPECT_EQ(inheriting() & read_write, read_write);
}

TEST_F(fd_meta, a_file_says_how_it_was_opened) {
  write_file(box / "file", "abc");
  const u32 fd =
      guest.open("file", {.rights = right::fd_read, .fdflags = abi::fdflag::append | abi::fdflag::sync}).value();
  ASSERT_EQ(fdstat(fd), errc::success);
  EXPECT_EQ(type(), 4u);
  EXPECT_EQ(flags(), abi::fdflag::append | abi::fdflag::sync);
  EXPECT_EQ(base() & read_write, right::fd_read);
  EXPECT_NE(base() & right::fd_seek, 0u);
  std::filesystem::create_directory(box / "dir");
  ASSERT_EQ(fdstat(guest.open("dir", {.oflags = abi::oflag::directory}).value()), errc::success);
  EXPECT_EQ(type(), 3u);
  EXPECT_EQ(base() & right::fd_seek, 0u);
  EXPECT_NE(base() & right::fd_readdir, 0u);
}

TEST_F(fd_meta, a_terminal_can_be_told_from_a_pipe) {
  context_options options;
  options.standard_output = output::callback([](std::span<const std::byte>) { return std::error_code{}; }, true);
  fake_guest other{std::move(options)};
  ASSERT_EQ(fd_fdstat_get(other.state(), other.view(), 1, record), errc::success);
  EXPECT_EQ(other.memory().at<std::uint8_t>(record), 2u);
  EXPECT_EQ(other.memory().at<u64>(record + abi::fdstat::rights_base) & (right::fd_seek | right::fd_tell), 0u);
  ASSERT_EQ(fd_fdstat_get(other.state(), other.view(), 2, record), errc::success);
  EXPECT_EQ(other.memory().at<std::uint8_t>(record), 0u);
}

TEST_F(fd_meta, rights_cannot_be_changed) {
  EXPECT_EQ(fd_fdstat_set_rights(guest.state(), guest.view(), 3, 0, 0), errc::notsup);
  EXPECT_EQ(fd_fdstat_set_rights(guest.state(), guest.view(), 99, 0, 0), errc::badf);
}

TEST_F(fd_meta, only_append_and_nonblock_can_be_changed) {
  write_file(box / "file", "abc");
  const u32 fd = guest.open("file", {.rights = read_write}).value();
  EXPECT_EQ(fd_fdstat_set_flags(guest.state(), guest.view(), fd, abi::fdflag::append | abi::fdflag::nonblock),
            errc::success);
  ASSERT_EQ(fdstat(fd), errc::success);
  EXPECT_EQ(flags(), abi::fdflag::append | abi::fdflag::nonblock);
  EXPECT_EQ(guest.write(fd, "d").value(), 1u);
  EXPECT_EQ(read_file(box / "file"), "abcd");
  EXPECT_EQ(fd_fdstat_set_flags(guest.state(), guest.view(), fd, 0), errc::success);
  EXPECT_EQ(guest.write(fd, "e").value(), 1u); // the position is after what was appended
  EXPECT_EQ(fd_fdstat_set_flags(guest.state(), guest.view(), fd, abi::fdflag::dsync), errc::inval);
  EXPECT_EQ(fd_fdstat_set_flags(guest.state(), guest.view(), fd, 1 << 8), errc::inval);
  EXPECT_EQ(fd_fdstat_set_flags(guest.state(), guest.view(), 3, 0), errc::badf);
  EXPECT_EQ(fd_fdstat_set_flags(guest.state(), guest.view(), 1, abi::fdflag::append), errc::inval);
}

TEST_F(fd_meta, the_status_is_the_files) {
  write_file(box / "file", "abc");
  ASSERT_EQ(filestat(guest.open("file").value()), errc::success);
  EXPECT_EQ(field<std::uint8_t>(abi::filestat::filetype), 4u);
  EXPECT_EQ(field<u64>(abi::filestat::bytes), 3u);
  EXPECT_EQ(field<u64>(abi::filestat::nlink), 1u);
  EXPECT_GT(field<u64>(abi::filestat::mtim), 1'500'000'000'000'000'000u);
  EXPECT_NE(field<u64>(abi::filestat::ino), 0u);
  ASSERT_EQ(filestat(0), errc::success);
  EXPECT_EQ(field<u64>(abi::filestat::ino), 0u);
  EXPECT_EQ(filestat(99), errc::badf);
  EXPECT_EQ(fd_filestat_get(guest.state(), guest.view(), 3, guest.memory().size() - 63), errc::fault);
}

TEST_F(fd_meta, sizes_change_by_truncation_and_allocation) {
  write_file(box / "file", "abc");
  const u32 fd = guest.open("file", {.rights = read_write}).value();
  const u32 reads = guest.open("file").value();
  EXPECT_EQ(fd_filestat_set_size(guest.state(), guest.view(), fd, 1), errc::success);
  EXPECT_EQ(read_file(box / "file"), "a");
  EXPECT_EQ(fd_allocate(guest.state(), guest.view(), fd, 2, 3), errc::success);
  EXPECT_EQ(read_file(box / "file"), std::string("a\0\0\0\0", 5));
  EXPECT_EQ(fd_allocate(guest.state(), guest.view(), fd, 0, 0), errc::inval);
  EXPECT_EQ(fd_allocate(guest.state(), guest.view(), fd, ~u64{0}, 1), errc::inval);
  EXPECT_EQ(fd_filestat_set_size(guest.state(), guest.view(), fd, ~u64{0}), errc::fbig);
  EXPECT_EQ(fd_filestat_set_size(guest.state(), guest.view(), reads, 0), errc::badf);
  EXPECT_EQ(fd_allocate(guest.state(), guest.view(), reads, 0, 9), errc::badf);
  EXPECT_EQ(fd_filestat_set_size(guest.state(), guest.view(), 3, 0), errc::badf);
}

TEST_F(fd_meta, advice_is_checked) {
  write_file(box / "file", "abc");
  const u32 fd = guest.open("file").value();
  for (u32 advice = 0; advice < 6; ++advice)
    EXPECT_EQ(fd_advise(guest.state(), guest.view(), fd, 0, 0, advice), errc::success);
  EXPECT_EQ(fd_advise(guest.state(), guest.view(), fd, 0, 0, 6), errc::inval);
  EXPECT_EQ(fd_advise(guest.state(), guest.view(), fd, ~u64{0}, 0, 0), errc::inval);
  EXPECT_EQ(fd_advise(guest.state(), guest.view(), 3, 0, 0, 0), errc::badf);
}

TEST_F(fd_meta, times_are_set_as_the_flags_say) {
  write_file(box / "file", "abc");
  const u32 fd = guest.open("file").value();
  EXPECT_EQ(
      fd_filestat_set_times(guest.state(), guest.view(), fd, 5, 1'000'000'007, abi::fstflag::atim | abi::fstflag::mtim),
      errc::success);
  ASSERT_EQ(filestat(fd), errc::success);
  EXPECT_EQ(field<u64>(abi::filestat::atim), 5u);
  EXPECT_EQ(field<u64>(abi::filestat::mtim), 1'000'000'007u);
  EXPECT_EQ(fd_filestat_set_times(guest.state(), guest.view(), fd, 0, 0, abi::fstflag::mtim_now), errc::success);
  ASSERT_EQ(filestat(fd), errc::success);
  EXPECT_EQ(field<u64>(abi::filestat::atim), 5u);
  EXPECT_GT(field<u64>(abi::filestat::mtim), 1'500'000'000'000'000'000u);
  EXPECT_EQ(fd_filestat_set_times(guest.state(), guest.view(), fd, 0, 0, abi::fstflag::atim | abi::fstflag::atim_now),
            errc::inval);
  EXPECT_EQ(fd_filestat_set_times(guest.state(), guest.view(), fd, 0, 0, 16), errc::inval);
  EXPECT_EQ(fd_filestat_set_times(guest.state(), guest.view(), 0, 0, 0, 0), errc::badf);
}

TEST_F(fd_meta, closing_frees_the_number) {
  write_file(box / "file", "abc");
  const u32 fd = guest.open("file").value();
  EXPECT_EQ(fd_close(guest.state(), guest.view(), fd), errc::success);
  EXPECT_EQ(fd_close(guest.state(), guest.view(), fd), errc::badf);
  EXPECT_EQ(guest.open("file").value(), fd);
}

TEST_F(fd_meta, renumbering_keeps_the_limits_of_what_is_moved) {
  context_options options;
  options.directories = {{box.path().string(), "/box", false}, {box.path().string(), "/read_only", true}};
  fake_guest two{std::move(options)};
  std::filesystem::create_directory(box / "dir");
  write_file(box / "file", "abc");
  const u32 open_dir = two.open("dir", {.oflags = abi::oflag::directory, .fd = 3}).value();
  const u32 closed_dir = two.open("dir", {.oflags = abi::oflag::directory, .fd = 4}).value();
  EXPECT_EQ(fd_renumber(two.state(), two.view(), closed_dir, open_dir), errc::success);
  EXPECT_EQ(two.open("new", {.oflags = abi::oflag::creat, .rights = right::fd_write, .fd = open_dir}).error(),
            errc::perm);
  EXPECT_EQ(fd_renumber(two.state(), two.view(), open_dir, 4), errc::notsup);
  EXPECT_EQ(fd_renumber(two.state(), two.view(), 3, open_dir), errc::notsup);
  EXPECT_EQ(fd_renumber(two.state(), two.view(), open_dir, 77), errc::badf);
}

} // namespace
} // namespace weir::wasi
