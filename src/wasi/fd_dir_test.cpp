// SPDX-License-Identifier: Apache-2.0
#include "wasi/testing.hpp"

#include <set>

namespace weir::wasi {
namespace {

using namespace testing;
using namespace detail;

struct fd_dir : ::testing::Test {
  scratch box;
  fake_guest guest{box.path()};
  u32 buffer = guest.memory().room(4096), out = guest.memory().room(4);

  errc read(u32 size, u64 cookie, u32 fd = 3) {
    return fd_readdir(guest.state(), guest.view(), fd, buffer, size, cookie, out);
  }
  u32 used() { return guest.memory().at<u32>(out); }
  struct entry {
    std::string name;
    u64 next;
    u64 inode;
    unsigned type;
  };
  /// The whole entries in the buffer.
  std::vector<entry> entries() {
    std::vector<entry> found;
    fake_memory& memory = guest.memory();
    for (u32 at = 0; used() - at >= abi::dirent::size;) {
      const u32 name_len = memory.at<u32>(buffer + at + abi::dirent::namlen);
      if (used() - at - abi::dirent::size < name_len) break;
      found.push_back({memory.text(buffer + at + abi::dirent::size, name_len),
                       memory.at<u64>(buffer + at + abi::dirent::next), memory.at<u64>(buffer + at + abi::dirent::ino),
                       memory.at<std::uint8_t>(buffer + at + abi::dirent::type)});
      at += abi::dirent::size + name_len;
    }
    return found;
  }
};

TEST_F(fd_dir, the_name_of_a_preopened_directory_is_told_in_two_steps) {
  fake_memory& memory = guest.memory();
  ASSERT_EQ(fd_prestat_get(guest.state(), guest.view(), 3, buffer), errc::success);
  EXPECT_EQ(memory.at<u32>(buffer), 0u);
  ASSERT_EQ(memory.at<u32>(buffer + 4), 4u);
  ASSERT_EQ(fd_prestat_dir_name(guest.state(), guest.view(), 3, buffer, 4), errc::success);
  EXPECT_EQ(memory.text(buffer, 4), "/box");
  EXPECT_EQ(fd_prestat_dir_name(guest.state(), guest.view(), 3, buffer, 3), errc::nametoolong);
  EXPECT_EQ(fd_prestat_dir_name(guest.state(), guest.view(), 3, memory.size() - 3, 4), errc::fault);
  EXPECT_EQ(fd_prestat_get(guest.state(), guest.view(), 4, buffer), errc::badf); // which ends a library's search
  EXPECT_EQ(fd_prestat_get(guest.state(), guest.view(), 0, buffer), errc::badf);
  EXPECT_EQ(fd_prestat_dir_name(guest.state(), guest.view(), 0, buffer, 4), errc::notdir);
  EXPECT_EQ(fd_prestat_dir_name(guest.state(), guest.view(), 9, buffer, 4), errc::badf);
}

TEST_F(fd_dir, all_entries_are_read_with_their_types) {
  write_file(box / "file", "abc");
  std::filesystem::create_directory(box / "dir");
  std::filesystem::create_symlink("file", box / "link");
  ASSERT_EQ(read(4096, 0), errc::success);
  std::set<std::pair<std::string, unsigned>> found;
  for (const entry& each : entries()) found.emplace(each.name, each.type);
  EXPECT_EQ(found,
            (std::set<std::pair<std::string, unsigned>>{{".", 3}, {"..", 3}, {"file", 4}, {"dir", 3}, {"link", 7}}));
}

TEST_F(fd_dir, the_parent_of_a_preopened_directory_is_not_told) {
  ASSERT_EQ(read(4096, 0), errc::success);
  u64 self = 0, parent = 1;
  for (const entry& each : entries()) (each.name == "." ? self : parent) = each.inode;
  EXPECT_EQ(self, parent);
}

TEST_F(fd_dir, a_small_buffer_reads_everything_by_cookies) {
  std::set<std::string> expected{".", ".."};
  for (int i = 0; i < 200; ++i) {
    const std::string name = "entry-" + std::to_string(i);
    write_file(box / name, "");
    expected.insert(name);
  }
  std::set<std::string> found;
  u64 cookie = 0;
  for (;;) {
    ASSERT_EQ(read(100, cookie), errc::success);
    const auto some = entries();
    if (some.empty()) break;
    for (const entry& each : some) EXPECT_TRUE(found.insert(each.name).second) << each.name;
    cookie = some.back().next;
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(used(), 0u);
}

TEST_F(fd_dir, an_entry_that_does_not_fit_is_cut_and_fills_the_buffer) {
  write_file(box / std::string(200, 'n'), "");
  for (const u32 size : {1u, 10u, 23u, 24u, 30u, 60u}) {
    ASSERT_EQ(read(size, 0), errc::success);
    EXPECT_EQ(used(), size);
  }
  ASSERT_EQ(read(0, 0), errc::success);
  EXPECT_EQ(used(), 0u);
}

TEST_F(fd_dir, a_place_before_entries_that_were_removed_meanwhile_is_still_good) {
  for (const char* name : {"a", "b", "c", "d"}) write_file(box / name, "");
  ASSERT_EQ(read(4096, 0), errc::success);
  const auto all = entries();
  ASSERT_EQ(all.size(), 6u);
  std::filesystem::remove(box / all.back().name);
  ASSERT_EQ(read(4096, all.front().next), errc::success);
  for (const entry& each : entries()) EXPECT_NE(each.name, all.back().name);
}

TEST_F(fd_dir, bad_arguments_are_refused) {
  write_file(box / "file", "");
  const u32 file = guest.open("file").value();
  EXPECT_EQ(read(100, 0, file), errc::notdir);
  EXPECT_EQ(read(100, 0, 99), errc::badf);
  EXPECT_EQ(read(100, ~u64{0}), errc::inval);
  EXPECT_EQ(fd_readdir(guest.state(), guest.view(), 3, guest.memory().size() - 10, 11, 0, out), errc::fault);
  EXPECT_EQ(fd_readdir(guest.state(), guest.view(), 3, buffer, 10, 0, guest.memory().size() - 3), errc::fault);
}

} // namespace
} // namespace weir::wasi
