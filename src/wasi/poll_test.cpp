// SPDX-License-Identifier: Apache-2.0
#include "os/testing.hpp"
#include "wasi/testing.hpp"

#include <thread>

namespace weir::wasi {
namespace {

using namespace testing;
using namespace detail;
namespace host = rt::os::testing;

/// A clock that stands still until somebody sleeps.
class simulated_clock final : public clock_source {
public:
  std::optional<std::chrono::nanoseconds> now(clock_id which) override {
    if (which > clock_id::monotonic) return std::nullopt;
    return which == clock_id::realtime ? time + std::chrono::hours{1} : time;
  }
  std::optional<std::chrono::nanoseconds> resolution(clock_id) override { return std::chrono::nanoseconds{1}; }
  bool sleep(clock_id, std::chrono::nanoseconds duration, const cancel_token&) override {
    time += duration;
    ++sleeps;
    return true;
  }
  std::chrono::nanoseconds time{1000};
  int sleeps = 0;
};

struct poll : ::testing::Test {
  host::pipe_pair in, out;
  scratch box;
  std::shared_ptr<simulated_clock> clock = std::make_shared<simulated_clock>();
  fake_guest guest{make(clock)};
  u32 subscriptions = guest.memory().room(48 * 16), events = guest.memory().room(32 * 16),
      count = guest.memory().room(4);
  u32 added = 0;

  context_options make(std::shared_ptr<clock_source> clocks) {
    context_options options = fake_guest::options_for(box.path());
    options.standard_input = input::descriptor(in.reader.get());
    options.standard_output = output::descriptor(out.writer.get());
    if (clocks) options.clocks = std::move(clocks);
    return options;
  }
  u32 next(u64 userdata, std::uint8_t tag) {
    const u32 at = subscriptions + 48 * added++;
    for (u32 i = 0; i < 48; i += 8) guest.memory().set(at + i, u64{0});
    guest.memory().set(at, userdata);
    guest.memory().set(at + abi::subscription::tag, tag);
    return at;
  }
  void add_clock(u64 userdata, u32 id, u64 timeout, bool is_absolute = false) {
    const u32 at = next(userdata, abi::eventtype::clock);
    guest.memory().set(at + abi::subscription::clock_id, id);
    guest.memory().set(at + abi::subscription::timeout, timeout);
    guest.memory().set(at + abi::subscription::flags, static_cast<std::uint16_t>(is_absolute ? 1 : 0));
  }
  void add_fd(u64 userdata, std::uint8_t tag, u32 fd) {
    guest.memory().set(next(userdata, tag) + abi::subscription::fd, fd);
  }
  errc run() { return poll_oneoff(guest.state(), guest.view(), subscriptions, events, added, count); }
  u32 found() { return guest.memory().at<u32>(count); }
  template <class T> T field(u32 event, u32 offset) { return guest.memory().at<T>(events + 32 * event + offset); }
  u64 userdata(u32 event) { return field<u64>(event, abi::event::userdata); }
  errc error(u32 event) { return errc{field<std::uint16_t>(event, abi::event::error)}; }
};

TEST_F(poll, a_relative_time_is_waited_for_on_its_clock) {
  add_clock(7, 1, 500);
  ASSERT_EQ(run(), errc::success);
  EXPECT_EQ(found(), 1u);
  EXPECT_EQ(userdata(0), 7u);
  EXPECT_EQ(error(0), errc::success);
  EXPECT_EQ(field<std::uint8_t>(0, abi::event::type), abi::eventtype::clock);
  EXPECT_EQ(clock->time.count(), 1500);
  EXPECT_EQ(clock->sleeps, 1);
}

TEST_F(poll, an_absolute_time_counts_from_the_epoch_of_its_clock) {
  const auto hour = static_cast<u64>(std::chrono::nanoseconds{std::chrono::hours{1}}.count());
  add_clock(1, 0, hour + 1200, true);
  ASSERT_EQ(run(), errc::success);
  EXPECT_EQ(clock->time.count(), 1200);
  added = 0;
  add_clock(2, 1, 300, true); // in the past
  ASSERT_EQ(run(), errc::success);
  EXPECT_EQ(userdata(0), 2u);
  EXPECT_EQ(clock->sleeps, 1);
}

TEST_F(poll, the_earliest_of_several_times_ends_the_wait_and_only_what_is_due_is_reported) {
  add_clock(1, 1, 900);
  add_clock(2, 1, 300);
  add_clock(3, 0, 300);
  ASSERT_EQ(run(), errc::success);
  EXPECT_EQ(found(), 2u);
  EXPECT_EQ(userdata(0), 2u);
  EXPECT_EQ(userdata(1), 3u);
  EXPECT_EQ(clock->time.count(), 1300);
}

TEST_F(poll, a_time_too_far_away_to_add_is_the_latest_there_is) {
  add_clock(1, 1, ~u64{0});
  add_clock(2, 1, 5);
  ASSERT_EQ(run(), errc::success);
  EXPECT_EQ(found(), 1u);
  EXPECT_EQ(userdata(0), 2u);
}

TEST_F(poll, a_pipe_is_ready_when_it_has_bytes) {
  add_fd(1, abi::eventtype::fd_read, 0);
  add_fd(2, abi::eventtype::fd_write, 1);
  ASSERT_EQ(run(), errc::success);
  EXPECT_EQ(found(), 1u);
  EXPECT_EQ(userdata(0), 2u);
  host::write_all(in.writer, "abc");
  ASSERT_EQ(run(), errc::success);
  EXPECT_EQ(found(), 2u);
  EXPECT_EQ(userdata(0), 1u);
  EXPECT_EQ(field<u64>(0, abi::event::nbytes), 3u);
  EXPECT_EQ(field<std::uint16_t>(0, abi::event::flags), 0u);
}

TEST_F(poll, a_pipe_is_waited_for) {
  add_fd(1, abi::eventtype::fd_read, 0);
  std::thread writer([&] { host::write_all(in.writer, "x"); });
  ASSERT_EQ(run(), errc::success);
  EXPECT_EQ(userdata(0), 1u);
  writer.join();
  EXPECT_EQ(guest.read(0).value(), "x");
  in.writer = {};
  ASSERT_EQ(run(), errc::success);
  EXPECT_EQ(field<std::uint16_t>(0, abi::event::flags), abi::eventrwflag::hangup);
}

TEST_F(poll, files_and_streams_of_the_host_are_always_ready) {
  write_file(box / "file", "abcdef");
  const u32 fd = guest.open("file", {.rights = abi::right::fd_read | abi::right::fd_write}).value();
  EXPECT_EQ(guest.read(fd, 2).value(), "ab");
  add_fd(1, abi::eventtype::fd_read, fd);
  add_fd(2, abi::eventtype::fd_write, fd);
  add_fd(3, abi::eventtype::fd_write, 2);
  add_fd(4, abi::eventtype::fd_read, 0); // an empty pipe
  ASSERT_EQ(run(), errc::success);
  EXPECT_EQ(found(), 3u);
  EXPECT_EQ(field<u64>(0, abi::event::nbytes), 4u);
}

TEST_F(poll, a_subscription_that_is_wrong_is_an_event_with_an_error) {
  add_fd(1, abi::eventtype::fd_read, 99);
  add_fd(2, abi::eventtype::fd_read, 3);  // a directory
  add_fd(3, abi::eventtype::fd_write, 0); // cannot be written
  add_clock(4, 2, 5);
  add_clock(5, 77, 5);
  ASSERT_EQ(run(), errc::success);
  ASSERT_EQ(found(), 5u);
  for (u32 i = 0; i < 3; ++i) EXPECT_EQ(error(i), errc::badf);
  EXPECT_EQ(error(3), errc::inval);
  EXPECT_EQ(error(4), errc::inval);
}

TEST_F(poll, bad_arguments_are_refused) {
  EXPECT_EQ(run(), errc::inval); // nothing to wait for
  next(1, 9);
  EXPECT_EQ(run(), errc::inval);
  added = 0;
  add_clock(1, 1, 5);
  const u32 end = guest.memory().size();
  EXPECT_EQ(poll_oneoff(guest.state(), guest.view(), end - 47, events, 1, count), errc::fault);
  EXPECT_EQ(poll_oneoff(guest.state(), guest.view(), subscriptions, end - 31, 1, count), errc::fault);
  EXPECT_EQ(poll_oneoff(guest.state(), guest.view(), subscriptions, events, 1, end - 3), errc::fault);
  EXPECT_EQ(poll_oneoff(guest.state(), guest.view(), subscriptions, events, 0xffff'ffff, count), errc::inval);
  EXPECT_EQ(poll_oneoff(guest.state(), guest.view(), 0, 0, 60'000, count), errc::fault);
}

TEST_F(poll, a_time_ends_a_wait_for_a_pipe) {
  guest.state().clocks = system_clocks();
  add_fd(1, abi::eventtype::fd_read, 0);
  add_clock(2, 1, 2'000'000);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(run(), errc::success);
  EXPECT_EQ(found(), 1u);
  EXPECT_EQ(userdata(0), 2u);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds{2});
}

TEST_F(poll, waits_end_when_cancelled) {
  guest.state().clocks = system_clocks();
  for (const bool has_pipe : {false, true}) {
    added = 0;
    add_clock(1, 1, 3'600'000'000'000);
    if (has_pipe) add_fd(2, abi::eventtype::fd_read, 0);
    std::thread canceller([&] { guest.state().cancel.cancel(); });
    EXPECT_EQ(run(), errc::interrupted);
    canceller.join();
  }
}

} // namespace
} // namespace weir::wasi
