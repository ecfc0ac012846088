// SPDX-License-Identifier: Apache-2.0
// Every case runs with both methods: they must not differ.
#include "os/beneath.hpp"

#include "base/scratch_folder.hpp"

#include <weir/detail/atomic.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

namespace weir::rt::os {
namespace {

namespace fs = std::filesystem;

/// A tree: outside/secret, and beside it root with dir/inner, file, and links of all kinds.
class beneath : public ::testing::TestWithParam<os::beneath::method> {
protected:
  beneath() {
    fs::create_directories(top_ / "outside");
    fs::create_directories(top_ / "root/dir/sub");
    write("outside/secret", "secret");
    write("root/file", "file");
    write("root/dir/inner", "inner");
    root_ = open_directory((top_ / "root").string()).value();
  }

  void write(const char* name, const char* content) { top_.write(name, content); }
  void make_link(const std::string& text, const char* at) { fs::create_symlink(text, top_ / "root" / at); }

  os::beneath rule() const { return os::beneath{GetParam()}; }
  /// 0 or the errno of opening.
  int open_code(std::string_view path, open_request request = {.follows = true}) {
    const auto opened = rule().open(root_.get(), path, request);
    return opened ? 0 : opened.error().value();
  }
  std::string content(std::string_view path) {
    const auto opened = rule().open(root_.get(), path, {.follows = true});
    if (!opened) return "errno " + std::to_string(opened.error().value());
    std::string text(64, '\0');
    const io_slice slice{text.data(), text.size()};
    text.resize(read(opened->get(), {&slice, 1}).value());
    return text;
  }
  template <class T> static int code(const outcome<T>& done) { return done ? 0 : done.error().value(); }

  test::scratch_folder top_;
  file root_;
};

TEST_P(beneath, plain_paths_open) {
  EXPECT_EQ(content("file"), "file");
  EXPECT_EQ(content("dir/inner"), "inner");
  EXPECT_EQ(content("./dir//./inner"), "inner");
  EXPECT_EQ(content("dir/sub/../inner"), "inner");
  EXPECT_EQ(content("dir/../dir/../file"), "file");
  EXPECT_EQ(open_code("."), 0);
  EXPECT_EQ(open_code("dir/"), 0);
  EXPECT_EQ(open_code("dir/sub/.."), 0);
}

TEST_P(beneath, dot_dot_does_not_leave) {
  for (const char* path : {"..", "../", "../root/file", "../outside/secret", "dir/../../outside/secret",
                           "dir/sub/../../..", "./../outside", "dir/../..", "../../../../../../etc/passwd"})
    EXPECT_EQ(open_code(path), EPERM) << path;
}

TEST_P(beneath, an_absolute_path_does_not_leave) {
  EXPECT_EQ(open_code("/"), EPERM);
  EXPECT_EQ(open_code("/etc/passwd"), EPERM);
  EXPECT_EQ(open_code((top_ / "root/file").string()), EPERM);
  EXPECT_EQ(open_code("//file"), EPERM);
}

TEST_P(beneath, a_link_in_the_last_place_does_not_leave) {
  make_link("/etc/passwd", "absolute");
  make_link("../outside/secret", "relative");
  make_link((top_ / "root/file").string(), "absolute_inside");
  make_link("dir/../../outside/secret", "winding");
  for (const char* path : {"absolute", "relative", "absolute_inside", "winding"})
    EXPECT_EQ(open_code(path), EPERM) << path;
}

TEST_P(beneath, a_link_in_the_middle_does_not_leave) {
  make_link("/etc", "absolute");
  make_link("..", "up");
  make_link("../outside", "relative");
  make_link("/", "slash");
  for (const char* path : {"absolute/passwd", "up/outside/secret", "relative/secret", "slash/etc/passwd",
                           "up/root/file", "absolute/", "up/", "dir/../up/x"})
    EXPECT_EQ(open_code(path), EPERM) << path;
}

TEST_P(beneath, chains_of_links_do_not_leave) {
  make_link("second", "first");
  make_link("dir/third", "second");
  make_link("../../outside/secret", "dir/third");
  EXPECT_EQ(open_code("first"), EPERM);
  make_link("../fourth", "dir/fifth");
  make_link("dir/inner", "fourth");
  EXPECT_EQ(content("dir/fifth"), "inner");
}

TEST_P(beneath, links_inside_are_followed) {
  make_link("file", "soft");
  make_link("dir", "soft_dir");
  make_link("dir/", "soft_dir_slash");
  make_link("dir/../file", "winding");
  make_link("../file", "dir/up");
  EXPECT_EQ(content("soft"), "file");
  EXPECT_EQ(content("soft_dir/inner"), "inner");
  EXPECT_EQ(content("soft_dir_slash/inner"), "inner");
  EXPECT_EQ(content("winding"), "file");
  EXPECT_EQ(content("soft_dir/up"), "file");
  EXPECT_EQ(content("soft_dir/../file"), "file");
}

TEST_P(beneath, a_last_link_is_refused_without_leave_to_follow) {
  make_link("file", "soft");
  make_link("dir", "soft_dir");
  make_link("/etc/passwd", "absolute");
  EXPECT_EQ(open_code("soft", {}), ELOOP);
  EXPECT_EQ(open_code("absolute", {}), ELOOP);
  EXPECT_EQ(open_code("soft_dir", {.must_be_directory = true}), ENOTDIR);
  EXPECT_EQ(open_code("soft_dir/inner", {}), 0);
}

TEST_P(beneath, a_slash_in_the_end_asks_for_a_directory) {
  make_link("dir", "soft_dir");
  make_link("file", "soft");
  EXPECT_EQ(open_code("file/"), ENOTDIR);
  EXPECT_EQ(open_code("soft/"), ENOTDIR);
  EXPECT_EQ(open_code("soft_dir/"), 0);
  EXPECT_EQ(open_code("soft_dir/", {}), 0);
  EXPECT_EQ(open_code("new/", {.writes = true, .creates = true, .follows = true}), EISDIR);
  EXPECT_EQ(open_code("missing/"), ENOENT);
}

TEST_P(beneath, creation_does_not_go_through_a_link_to_the_outside) {
  make_link("../outside/made", "relative");
  make_link((top_ / "outside/made").string(), "absolute");
  make_link("../outside", "up");
  const open_request create{.writes = true, .creates = true, .follows = true};
  for (const char* path : {"relative", "absolute", "up/made", "../outside/made"})
    EXPECT_EQ(open_code(path, create), EPERM) << path;
  EXPECT_FALSE(fs::exists(top_ / "outside/made"));
  open_request exclusive = create;
  exclusive.is_exclusive = true;
  EXPECT_EQ(open_code("relative", exclusive), EEXIST);
}

TEST_P(beneath, truncation_does_not_go_through_a_link_to_the_outside) {
  make_link("../outside/secret", "relative");
  EXPECT_EQ(open_code("relative", {.writes = true, .truncates = true, .follows = true}), EPERM);
  EXPECT_EQ(fs::file_size(top_ / "outside/secret"), 6u);
}

TEST_P(beneath, creation_follows_a_dangling_link_inside) {
  make_link("dir/made", "dangling");
  EXPECT_EQ(open_code("dangling", {.writes = true, .creates = true, .follows = true}), 0);
  EXPECT_TRUE(fs::is_regular_file(top_ / "root/dir/made"));
}

TEST_P(beneath, a_circle_of_links_ends) {
  make_link("b", "a");
  make_link("a", "b");
  make_link("self/x", "self");
  EXPECT_EQ(open_code("a"), ELOOP);
  EXPECT_EQ(open_code("a/x"), ELOOP);
  EXPECT_EQ(open_code("self"), ELOOP);
}

TEST_P(beneath, the_usual_errors_are_the_systems_own) {
  EXPECT_EQ(open_code(""), ENOENT);
  EXPECT_EQ(open_code("missing"), ENOENT);
  EXPECT_EQ(open_code("missing/x"), ENOENT);
  EXPECT_EQ(open_code("file/x"), ENOTDIR);
  EXPECT_EQ(open_code("file/.."), ENOTDIR);
  EXPECT_EQ(open_code("file", {.must_be_directory = true}), ENOTDIR);
  EXPECT_EQ(open_code("dir", {.writes = true}), EISDIR);
  EXPECT_EQ(open_code(std::string(300, 'x')), ENAMETOOLONG);
  EXPECT_EQ(open_code(std::string(5000, 'x')), ENAMETOOLONG);
  EXPECT_EQ(open_code(std::string_view{"file\0/../..", 11}), EINVAL);
}

TEST_P(beneath, links_of_proc_lead_nowhere) {
  const file proc = open_directory("/proc/self").value();
  for (const char* path : {"root", "root/etc/passwd", "cwd", "exe", "fd/0"})
    EXPECT_FALSE(rule().open(proc.get(), path, {.follows = true}).has_value()) << path;
}

TEST_P(beneath, changes_do_not_reach_the_outside) {
  make_link("../outside", "up");
  for (const char* path : {"../outside/new", "/tmp/new", "up/new", "dir/../../outside/new"}) {
    EXPECT_EQ(code(make_directory(rule(), root_.get(), path)), EPERM) << path;
    EXPECT_EQ(code(make_symlink(rule(), "x", root_.get(), path)), EPERM) << path;
    EXPECT_EQ(code(rename(rule(), root_.get(), "file", root_.get(), path)), EPERM) << path;
    EXPECT_EQ(code(link(rule(), root_.get(), "file", root_.get(), path)), EPERM) << path;
  }
  for (const char* path : {"../outside/secret", "up/secret"}) {
    EXPECT_EQ(code(unlink(rule(), root_.get(), path)), EPERM) << path;
    EXPECT_EQ(code(rename(rule(), root_.get(), path, root_.get(), "mine")), EPERM) << path;
    EXPECT_EQ(code(link(rule(), root_.get(), path, root_.get(), "mine")), EPERM) << path;
    EXPECT_EQ(code(read_link(rule(), root_.get(), path)), EPERM) << path;
    EXPECT_EQ(code(status_at(rule(), root_.get(), path, true)), EPERM) << path;
    EXPECT_EQ(code(set_times_at(rule(), root_.get(), path, true, {}, {time_change::kind::now, {}})), EPERM) << path;
  }
  EXPECT_EQ(code(remove_directory(rule(), root_.get(), "../outside")), EPERM);
  EXPECT_EQ(code(remove_directory(rule(), root_.get(), "..")), EPERM);
  EXPECT_EQ(code(status_at(rule(), root_.get(), "..", false)), EPERM);
  EXPECT_EQ(code(set_times_at(rule(), root_.get(), "..", false, {}, {time_change::kind::now, {}})), EPERM);
}

TEST_P(beneath, operations_on_a_last_link_with_slashes_do_not_reach_its_target) {
  fs::create_directory(top_ / "outside/empty");
  make_link("../outside/empty", "to_dir");
  make_link("../outside/secret", "to_file");
  EXPECT_EQ(code(remove_directory(rule(), root_.get(), "to_dir/")), ENOTDIR);
  EXPECT_NE(code(unlink(rule(), root_.get(), "to_file/")), 0);
  EXPECT_NE(code(rename(rule(), root_.get(), "to_dir/", root_.get(), "mine")), 0);
  EXPECT_EQ(code(link(rule(), root_.get(), "to_file/", root_.get(), "mine")), EPERM);
  EXPECT_EQ(code(read_link(rule(), root_.get(), "to_dir/")), EPERM);
  EXPECT_EQ(code(make_directory(rule(), root_.get(), "to_dir/")), EEXIST);
  EXPECT_EQ(code(status_at(rule(), root_.get(), "to_dir/", false)), EPERM);
  EXPECT_TRUE(fs::exists(top_ / "outside/empty"));
  EXPECT_TRUE(fs::exists(top_ / "outside/secret"));
  EXPECT_TRUE(fs::is_symlink(top_ / "root/to_dir"));
}

TEST_P(beneath, changes_act_on_a_last_link_and_not_on_its_target) {
  make_link("../outside/secret", "out");
  EXPECT_EQ(code(status_at(rule(), root_.get(), "out", true)), EPERM);
  EXPECT_EQ(status_at(rule(), root_.get(), "out", false).value().type, file_type::symbolic_link);
  EXPECT_EQ(read_link(rule(), root_.get(), "out").value(), "../outside/secret");
  EXPECT_EQ(code(set_times_at(rule(), root_.get(), "out", false, {}, {time_change::kind::at, std::chrono::seconds{5}})),
            0);
  EXPECT_EQ(status_at(rule(), root_.get(), "out", false).value().modified, std::chrono::seconds{5});
  EXPECT_EQ(code(link(rule(), root_.get(), "out", root_.get(), "second")), 0);
  EXPECT_TRUE(fs::is_symlink(top_ / "root/second"));
  EXPECT_EQ(code(rename(rule(), root_.get(), "out", root_.get(), "dir/out")), 0);
  EXPECT_EQ(code(unlink(rule(), root_.get(), "dir/out")), 0);
  EXPECT_TRUE(fs::exists(top_ / "outside/secret"));
}

TEST_P(beneath, operations_work_inside) {
  EXPECT_EQ(code(make_directory(rule(), root_.get(), "dir/new/")), 0);
  EXPECT_EQ(code(make_directory(rule(), root_.get(), "dir/new")), EEXIST);
  EXPECT_EQ(code(rename(rule(), root_.get(), "dir/new/", root_.get(), "moved/")), 0);
  EXPECT_EQ(code(remove_directory(rule(), root_.get(), "moved/")), 0);
  EXPECT_EQ(code(link(rule(), root_.get(), "file", root_.get(), "dir/hard")), 0);
  EXPECT_EQ(status_at(rule(), root_.get(), "dir/hard", false).value().links, 2u);
  EXPECT_EQ(code(unlink(rule(), root_.get(), "dir/hard")), 0);
  EXPECT_EQ(code(unlink(rule(), root_.get(), "dir")), EISDIR);
  EXPECT_EQ(code(unlink(rule(), root_.get(), "file/")), ENOTDIR);
  EXPECT_EQ(code(remove_directory(rule(), root_.get(), "file")), ENOTDIR);
  EXPECT_EQ(code(remove_directory(rule(), root_.get(), "dir")), ENOTEMPTY);
  EXPECT_EQ(code(remove_directory(rule(), root_.get(), "dir/.")), EINVAL);
  EXPECT_EQ(code(make_directory(rule(), root_.get(), ".")), EEXIST);
  EXPECT_EQ(code(unlink(rule(), root_.get(), "")), ENOENT);
  EXPECT_EQ(code(make_symlink(rule(), "/etc", root_.get(), "absolute")), EPERM);
  EXPECT_EQ(code(make_symlink(rule(), "../../x", root_.get(), "dangling")), 0);
}

// A guest with a helper outside, or two guests on one directory, exchange a directory for a link while the other looks.
TEST_P(beneath, a_directory_exchanged_for_a_link_meanwhile_leads_nowhere) {
  fs::create_directory(top_ / "outside/dir");
  write("outside/dir/inner", "secret");
  make_link("../outside/dir", "link");
  weir::detail::atomic<bool> ends{false};
  std::thread exchanger([&] {
    while (!ends.load()) {
      std::error_code ignored;
      fs::rename(top_ / "root/dir", top_ / "root/kept", ignored);
      fs::rename(top_ / "root/link", top_ / "root/dir", ignored);
      fs::rename(top_ / "root/dir", top_ / "root/link", ignored);
      fs::rename(top_ / "root/kept", top_ / "root/dir", ignored);
    }
  });
  int found = 0;
  for (int i = 0; i < 3000 || found == 0; ++i) { // the directory is there most of the time
    const std::string text = content("dir/sub/../inner");
    EXPECT_NE(text, "secret");
    found += text == "inner";
  }
  ends.store(true);
  exchanger.join();
  EXPECT_GT(found, 0);
}

// A directory that moves out of the root while `..` is resolved below it takes the walk along only up to itself.
TEST_P(beneath, a_directory_moved_outside_meanwhile_leads_nowhere) {
  fs::create_directories(top_ / "root/a/b");
  write("outside/found", "secret");
  weir::detail::atomic<bool> ends{false};
  std::thread mover([&] {
    while (!ends.load()) {
      std::error_code ignored;
      fs::rename(top_ / "root/a", top_ / "outside/a", ignored);
      fs::rename(top_ / "outside/a", top_ / "root/a", ignored);
    }
  });
  for (int i = 0; i < 3000; ++i) EXPECT_NE(content("a/b/../../found"), "secret");
  ends.store(true);
  mover.join();
}

INSTANTIATE_TEST_SUITE_P(methods, beneath,
                         ::testing::Values(os::beneath::method::kernel, os::beneath::method::user_space),
                         [](const auto& tested) {
                           return tested.param == os::beneath::method::kernel ? "kernel" : "user_space";
                         });

} // namespace
} // namespace weir::rt::os
