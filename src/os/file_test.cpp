// SPDX-License-Identifier: Apache-2.0
#include "os/file.hpp"

#include "os/directory.hpp"
#include "os/poll.hpp"
#include "os/testing.hpp"
#include "os/wake_fd.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <set>
#include <string>
#include <thread>

namespace weir::rt::os {
namespace {

using testing::pipe_pair;

outcome<std::size_t> read_text(int descriptor, std::string& into) {
  const io_slice slice{into.data(), into.size()};
  return read_now(descriptor, {&slice, 1});
}

outcome<std::size_t> write_text(int descriptor, std::string text) {
  const io_slice slice{text.data(), text.size()};
  return write_now(descriptor, {&slice, 1});
}

TEST(file, reading_now_from_an_empty_pipe_in_blocking_mode_does_not_block) {
  pipe_pair pipe;
  std::string text(16, '\0');
  EXPECT_EQ(read_text(pipe.reader.get(), text).error(), std::errc::resource_unavailable_try_again);
  EXPECT_EQ(write_text(pipe.writer.get(), "abc").value(), 3u);
  EXPECT_EQ(read_text(pipe.reader.get(), text).value(), 3u);
  EXPECT_EQ(text.substr(0, 3), "abc");
  pipe.writer = file{};
  EXPECT_EQ(read_text(pipe.reader.get(), text).value(), 0u);
}

TEST(file, writing_now_to_a_full_pipe_in_blocking_mode_does_not_block) {
  pipe_pair pipe;
  const std::string much(1 << 20, 'x');
  const auto first = write_text(pipe.writer.get(), much);
  ASSERT_TRUE(first.has_value());
  EXPECT_LT(*first, much.size());
  while (write_text(pipe.writer.get(), much)) {
  }
  EXPECT_EQ(write_text(pipe.writer.get(), "x").error(), std::errc::resource_unavailable_try_again);
}

TEST(file, writing_to_a_pipe_without_reader_is_an_error_and_no_signal) {
  ASSERT_NE(std::signal(SIGPIPE, SIG_DFL), SIG_ERR); // a signal that gets through would end this test
  pipe_pair pipe;
  pipe.reader = file{};
  EXPECT_EQ(write_text(pipe.writer.get(), "x").error(), std::errc::broken_pipe);
  std::string text = "x";
  const io_slice slice{text.data(), text.size()};
  EXPECT_EQ(write(pipe.writer.get(), {&slice, 1}).error(), std::errc::broken_pipe);
  sigset_t pending;
  ASSERT_EQ(sigpending(&pending), 0);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

TEST(file, a_borrowed_descriptor_stays_open) {
  pipe_pair pipe;
  {
    const file borrowed = file::borrowing(pipe.reader.get());
  }
  EXPECT_TRUE(status(pipe.reader.get()).has_value());
  const int number = pipe.reader.get();
  {
    const file owned = std::move(pipe.reader);
  }
  EXPECT_FALSE(status(number).has_value());
}

TEST(file, access_modes_are_those_of_the_opening) {
  pipe_pair pipe;
  EXPECT_EQ(access_mode(pipe.reader.get()).value(), (std::pair{true, false}));
  EXPECT_EQ(access_mode(pipe.writer.get()).value(), (std::pair{false, true}));
  EXPECT_EQ(access_mode(-1).error(), std::errc::bad_file_descriptor);
}

TEST(file, a_wake_descriptor_is_readable_for_good_once_it_was_signalled) {
  const wake_fd wake = wake_fd::create().value();
  poll_item item{wake.get(), wants_input, 0};
  EXPECT_EQ(poll({&item, 1}, std::chrono::nanoseconds{0}).value(), 0u);
  std::thread signaller([&] { wake.signal(); });
  EXPECT_EQ(poll({&item, 1}, std::nullopt).value(), 1u);
  signaller.join();
  wake.signal();
  EXPECT_EQ(poll({&item, 1}, std::nullopt).value(), 1u);
}

TEST(file, a_poll_is_never_early) {
  const wake_fd wake = wake_fd::create().value();
  poll_item item{wake.get(), wants_input, 0};
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(poll({&item, 1}, std::chrono::milliseconds{3}).value(), 0u);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds{3});
}

TEST(file, a_directory_is_read_on_from_where_an_entry_says) {
  const file directory = open_directory("/proc/self").value();
  directory_reader reader{directory.get()};
  ASSERT_TRUE(reader.start(0).has_value());
  directory_entry entry;
  std::set<std::string> all;
  std::vector<std::pair<std::uint64_t, std::string>> order;
  while (reader.next(entry).value()) {
    EXPECT_TRUE(all.emplace(entry.name).second) << entry.name;
    order.emplace_back(entry.next, entry.name);
  }
  EXPECT_TRUE(all.contains(".") && all.contains("..") && all.contains("status"));
  for (std::size_t i = 0; i + 1 < order.size(); i += 7) {
    ASSERT_TRUE(reader.start(order[i].first).has_value());
    ASSERT_TRUE(reader.next(entry).value());
    EXPECT_EQ(entry.name, order[i + 1].second);
  }
  EXPECT_EQ(reader.start(~std::uint64_t{0}).error(), std::errc::invalid_argument);
}

} // namespace
} // namespace weir::rt::os
