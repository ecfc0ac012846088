// SPDX-License-Identifier: Apache-2.0
// The rules of the sandbox themselves are tested in os/beneath_test.cpp; here is what the functions make of them.
#include "wasi/testing.hpp"

namespace weir::wasi {
namespace {

using namespace testing;
using namespace detail;
namespace oflag = abi::oflag;

constexpr u64 reads = abi::right::fd_read, writes = abi::right::fd_write;

/// box/ with file and dir/inner, beside outside/secret; descriptor 3 is box, 4 is other, and 5 is box again but
/// read-only.
struct path : ::testing::TestWithParam<path_resolution> {
  /// Runs before the guest opens the directories.
  bool prepare() {
    std::filesystem::create_directories(top / "box/dir");
    std::filesystem::create_directories(top / "other");
    std::filesystem::create_directories(top / "outside");
    write_file(top / "box/file", "file");
    write_file(top / "box/dir/inner", "inner");
    write_file(top / "outside/secret", "secret");
    return true;
  }
  context_options options() {
    context_options made;
    made.directories = {{(top / "box").string(), "/box", false},
                        {(top / "other").string(), "/other", false},
                        {(top / "box").string(), "/read_only", true}};
    made.resolution = GetParam();
    return made;
  }
  void make_link(const std::string& text, const char* at) { std::filesystem::create_symlink(text, top / "box" / at); }

  scratch top;
  bool is_prepared = prepare();
  fake_guest guest{options()};
  u32 record = guest.memory().room(64);
};

TEST_P(path, files_open_as_the_flags_say) {
  EXPECT_EQ(guest.read(guest.open("dir/inner").value()).value(), "inner");
  EXPECT_EQ(guest.open("new").error(), errc::noent);
  const u32 fd = guest.open("new", {.oflags = oflag::creat | oflag::excl, .rights = writes}).value();
  EXPECT_EQ(guest.write(fd, "abc").value(), 3u);
  EXPECT_EQ(guest.open("new", {.oflags = oflag::creat | oflag::excl, .rights = writes}).error(), errc::exist);
  EXPECT_TRUE(guest.open("new", {.oflags = oflag::trunc, .rights = writes}).has_value());
  EXPECT_EQ(read_file(top / "box/new"), "");
  EXPECT_EQ(guest.open("file", {.oflags = oflag::directory}).error(), errc::notdir);
  EXPECT_EQ(guest.open("dir", {.rights = reads | writes}).error(), errc::isdir);
  EXPECT_EQ(guest.open("dir", {.oflags = oflag::directory | oflag::creat}).error(), errc::inval);
  EXPECT_EQ(guest.open("file", {.oflags = 16}).error(), errc::inval);
  EXPECT_EQ(guest.open("file", {.fdflags = 32}).error(), errc::inval);
  EXPECT_EQ(guest.open("file", {.lookup = 2}).error(), errc::inval);
}

TEST_P(path, paths_start_from_a_directory) {
  const u32 dir = guest.open("dir", {.oflags = oflag::directory}).value();
  EXPECT_EQ(guest.read(guest.open("inner", {.fd = dir}).value()).value(), "inner");
  const u32 file = guest.open("file").value();
  EXPECT_EQ(guest.open("x", {.fd = file}).error(), errc::notdir);
  EXPECT_EQ(guest.open("x", {.fd = 1}).error(), errc::notdir);
  EXPECT_EQ(guest.open("x", {.fd = 99}).error(), errc::badf);
  // A directory opened below does not open the way up: it is a root of its own.
  EXPECT_EQ(guest.open("../file", {.fd = dir}).error(), errc::perm);
}

TEST_P(path, nothing_outside_can_be_opened) {
  make_link("../outside/secret", "relative");
  make_link((top / "outside/secret").string(), "absolute");
  make_link("..", "up");
  for (const char* each : {"../outside/secret", "dir/../../outside/secret", "/etc/passwd", "relative", "absolute",
                           "up/outside/secret", "up/../outside/secret", "..", "/", "up/"}) {
    EXPECT_EQ(guest.open_code(each), errc::perm) << each;
    // A name with a slash cannot be created at all.
    const bool has_slash = std::string_view{each}.ends_with("/") && std::string_view{each} != "/";
    EXPECT_EQ(guest.open(each, {.oflags = oflag::creat, .rights = writes}).error(),
              has_slash ? errc::isdir : errc::perm)
        << each;
    EXPECT_EQ(guest.stat(each, 1, record), errc::perm) << each;
  }
  EXPECT_EQ(read_file(top / "outside/secret"), "secret");
}

TEST_P(path, nothing_outside_can_be_changed) {
  make_link("../outside", "up");
  for (const char* each : {"../outside/x", "up/x", "/tmp/x"}) {
    EXPECT_EQ(guest.by_path(path_create_directory, 3, each), errc::perm) << each;
    EXPECT_EQ(guest.by_path(path_remove_directory, 3, each), errc::perm) << each;
    EXPECT_EQ(guest.by_path(path_unlink_file, 3, each), errc::perm) << each;
    EXPECT_EQ(guest.rename("file", each), errc::perm) << each;
    EXPECT_EQ(guest.rename(each, "mine"), errc::perm) << each;
    EXPECT_EQ(guest.link("file", each), errc::perm) << each;
    EXPECT_EQ(guest.link(each, "mine"), errc::perm) << each;
    EXPECT_EQ(guest.symlink("x", each), errc::perm) << each;
  }
  EXPECT_EQ(guest.symlink("/etc", "absolute"), errc::perm);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{top / "outside"}, {}), 1);
}

TEST_P(path, links_that_a_guest_makes_do_not_help_it_out) {
  EXPECT_EQ(guest.symlink("../outside", "dir/up"), errc::success);     // box/outside, which is not there
  EXPECT_EQ(guest.symlink("../../outside", "dir/out"), errc::success); // may be made, cannot be used
  EXPECT_EQ(guest.open_code("dir/up/secret"), errc::noent);
  EXPECT_EQ(guest.open_code("dir/out/secret"), errc::perm);
  // A link that is good in a deep directory and leads outside once it is moved up.
  EXPECT_EQ(guest.symlink("../file", "dir/moved"), errc::success);
  EXPECT_EQ(guest.open_code("dir/moved"), errc::success);
  EXPECT_EQ(guest.rename("dir/moved", "moved"), errc::success);
  EXPECT_EQ(guest.open_code("moved"), errc::perm);
}

TEST_P(path, changes_inside_work) {
  EXPECT_EQ(guest.by_path(path_create_directory, 3, "dir/sub/"), errc::success);
  EXPECT_EQ(guest.by_path(path_create_directory, 3, "dir"), errc::exist);
  EXPECT_EQ(guest.by_path(path_remove_directory, 3, "dir"), errc::notempty);
  EXPECT_EQ(guest.by_path(path_remove_directory, 3, "file"), errc::notdir);
  EXPECT_EQ(guest.by_path(path_unlink_file, 3, "dir"), errc::isdir);
  EXPECT_EQ(guest.by_path(path_remove_directory, 3, "dir/sub"), errc::success);
  EXPECT_EQ(guest.link("file", "dir/second"), errc::success);
  ASSERT_EQ(guest.stat("dir/second", 0, record), errc::success);
  EXPECT_EQ(guest.memory().at<u64>(record + abi::filestat::nlink), 2u);
  EXPECT_EQ(guest.rename("dir/second", "dir/inner"), errc::success);
  EXPECT_EQ(read_file(top / "box/dir/inner"), "file");
  EXPECT_EQ(guest.by_path(path_unlink_file, 3, "file"), errc::success);
  EXPECT_EQ(guest.by_path(path_unlink_file, 3, "file"), errc::noent);
}

TEST_P(path, files_move_between_writable_directories_only) {
  EXPECT_EQ(guest.rename("file", "file", 3, 4), errc::success);
  EXPECT_EQ(read_file(top / "other/file"), "file");
  EXPECT_EQ(guest.rename("file", "file", 4, 5), errc::perm);
  EXPECT_EQ(guest.rename("dir", "dir", 5, 4), errc::perm);
  EXPECT_EQ(guest.link("dir/inner", "mine", 5, 4),
            errc::perm); // else the file could be written through the second name
  EXPECT_EQ(guest.link("file", "mine", 4, 5), errc::perm);
  EXPECT_EQ(guest.link("file", "mine", 4, 3), errc::success);
}

TEST_P(path, a_read_only_directory_cannot_be_changed_in_any_way) {
  EXPECT_EQ(guest.open("file", {.rights = reads, .fd = 5}).has_value(), true);
  EXPECT_EQ(guest.open("file", {.rights = writes, .fd = 5}).error(), errc::perm);
  EXPECT_EQ(guest.open("new", {.oflags = oflag::creat, .rights = reads, .fd = 5}).error(), errc::perm);
  EXPECT_EQ(guest.open("file", {.oflags = oflag::trunc, .rights = reads, .fd = 5}).error(), errc::perm);
  EXPECT_EQ(guest.by_path(path_create_directory, 5, "x"), errc::perm);
  EXPECT_EQ(guest.by_path(path_remove_directory, 5, "dir"), errc::perm);
  EXPECT_EQ(guest.by_path(path_unlink_file, 5, "file"), errc::perm);
  const u32 dir = guest.open("dir", {.oflags = oflag::directory, .fd = 5}).value();
  EXPECT_EQ(guest.open("inner", {.rights = writes, .fd = dir}).error(), errc::perm);
  EXPECT_EQ(guest.by_path(path_unlink_file, dir, "inner"), errc::perm);
  const u32 fd = guest.open("file", {.rights = reads, .fd = 5}).value();
  EXPECT_EQ(fd_filestat_set_times(guest.state(), guest.view(), fd, 0, 0, abi::fstflag::mtim_now), errc::perm);
  EXPECT_EQ(fd_filestat_set_times(guest.state(), guest.view(), 5, 0, 0, abi::fstflag::mtim_now), errc::perm);
  EXPECT_EQ(fd_filestat_set_size(guest.state(), guest.view(), fd, 0), errc::badf);
  const u32 name = guest.memory().put("file");
  EXPECT_EQ(path_filestat_set_times(guest.state(), guest.view(), 5, 0, name, 4, 0, 0, abi::fstflag::mtim_now),
            errc::perm);
  EXPECT_EQ(read_file(top / "box/file"), "file");
}

TEST_P(path, symbolic_links_are_followed_when_the_flags_say) {
  make_link("file", "soft");
  EXPECT_EQ(guest.open_code("soft"), errc::success);
  EXPECT_EQ(guest.open("soft", {.lookup = 0}).error(), errc::loop);
  ASSERT_EQ(guest.stat("soft", 0, record), errc::success);
  EXPECT_EQ(guest.memory().at<std::uint8_t>(record + abi::filestat::filetype), 7u);
  ASSERT_EQ(guest.stat("soft", 1, record), errc::success);
  EXPECT_EQ(guest.memory().at<std::uint8_t>(record + abi::filestat::filetype), 4u);
  EXPECT_EQ(guest.stat("soft", 2, record), errc::inval);
  const u32 from = guest.memory().put("soft"), to = guest.memory().put("hard");
  EXPECT_EQ(path_link(guest.state(), guest.view(), 3, 1, from, 4, 3, to, 4), errc::inval);
}

TEST_P(path, times_of_a_path_are_set) {
  const u32 name = guest.memory().put("dir/inner");
  EXPECT_EQ(path_filestat_set_times(guest.state(), guest.view(), 3, 1, name, 9, 7, 9, 5), errc::success);
  ASSERT_EQ(guest.stat("dir/inner", 0, record), errc::success);
  EXPECT_EQ(guest.memory().at<u64>(record + abi::filestat::atim), 7u);
  EXPECT_EQ(guest.memory().at<u64>(record + abi::filestat::mtim), 9u);
  EXPECT_EQ(path_filestat_set_times(guest.state(), guest.view(), 3, 1, name, 9, 7, 9, 3), errc::inval);
}

TEST_P(path, the_text_of_a_link_is_cut_to_the_buffer) {
  make_link("dir/inner", "soft");
  make_link("/etc/passwd", "absolute");
  fake_memory& memory = guest.memory();
  const u32 buffer = memory.room(64), out = memory.room(4), soft = memory.put("soft"),
            absolute = memory.put("absolute");
  EXPECT_EQ(path_readlink(guest.state(), guest.view(), 3, soft, 4, buffer, 64, out), errc::success);
  EXPECT_EQ(memory.text(buffer, memory.at<u32>(out)), "dir/inner");
  EXPECT_EQ(path_readlink(guest.state(), guest.view(), 3, soft, 4, buffer, 3, out), errc::success);
  EXPECT_EQ(memory.text(buffer, memory.at<u32>(out)), "dir");
  EXPECT_EQ(path_readlink(guest.state(), guest.view(), 3, absolute, 8, buffer, 64, out), errc::perm);
  EXPECT_EQ(path_readlink(guest.state(), guest.view(), 3, memory.put("file"), 4, buffer, 64, out), errc::inval);
  EXPECT_EQ(path_readlink(guest.state(), guest.view(), 3, soft, 4, memory.size() - 3, 4, out), errc::fault);
}

TEST_P(path, a_path_must_be_in_the_memory_and_utf8_without_zeros) {
  const u32 end = guest.memory().size();
  EXPECT_EQ(path_unlink_file(guest.state(), guest.view(), 3, end - 2, 3), errc::fault);
  EXPECT_EQ(path_unlink_file(guest.state(), guest.view(), 3, 0xffff'ffff, 0xffff'ffff), errc::fault);
  EXPECT_EQ(guest.open_code(""), errc::noent);
  EXPECT_EQ(guest.open_code(std::string(5000, 'x')), errc::nametoolong);
  EXPECT_EQ(guest.open_code(std::string(300, 'x')), errc::nametoolong);
  EXPECT_EQ(guest.open_code(std::string_view{"file\0", 5}), errc::inval);
  for (const char* bad : {"\x80", "a\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"})
    EXPECT_EQ(guest.open_code(bad), errc::ilseq) << bad;
  for (const char* good : {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8c\x8a", "\xed\x9f\xbf"})
    EXPECT_EQ(guest.open_code(good), errc::noent) << good;
  const u32 name = guest.memory().put("file");
  EXPECT_EQ(path_open(guest.state(), guest.view(), 3, 1, name, 4, 0, reads, 0, 0, end - 3), errc::fault);
  EXPECT_EQ(path_filestat_get(guest.state(), guest.view(), 3, 1, name, 4, end - 63), errc::fault);
}

TEST_P(path, descriptors_run_out_at_the_limit) {
  context_options few = options();
  few.max_descriptors = 7;
  fake_guest other{std::move(few)};
  EXPECT_EQ(other.open("file").value(), 6u);
  EXPECT_EQ(other.open("new", {.oflags = oflag::creat, .rights = writes}).error(), errc::mfile);
  EXPECT_FALSE(std::filesystem::exists(top / "box/new"));
}

INSTANTIATE_TEST_SUITE_P(resolutions, path, ::testing::Values(path_resolution::automatic, path_resolution::user_space),
                         [](const auto& tested) {
                           return tested.param == path_resolution::automatic ? "automatic" : "user_space";
                         });

} // namespace
} // namespace weir::wasi
