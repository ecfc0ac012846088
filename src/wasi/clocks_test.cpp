// SPDX-License-Identifier: Apache-2.0
#include "wasi/testing.hpp"

namespace weir::wasi {
namespace {

using namespace testing;
using namespace detail;

class frozen_clock final : public clock_source {
public:
  std::optional<std::chrono::nanoseconds> now(clock_id which) override {
    if (which == clock_id::thread_cpu) return std::nullopt;
    return which == clock_id::realtime ? std::chrono::nanoseconds{-1} : std::chrono::nanoseconds{42};
  }
  std::optional<std::chrono::nanoseconds> resolution(clock_id) override { return std::chrono::milliseconds{1}; }
  bool sleep(clock_id, std::chrono::nanoseconds, const cancel_token&) override { return true; }
};

struct times {
  fake_guest guest;
  u32 out = guest.memory().room(8);
  errc now(u32 id) { return clock_time_get(guest.state(), guest.view(), id, 0, out); }
  u64 value() { return guest.memory().at<u64>(out); }
};

TEST(clocks, the_monotonic_clock_does_not_go_back) {
  times clock{fake_guest{context_options{}}};
  ASSERT_EQ(clock.now(1), errc::success);
  const u64 first = clock.value();
  ASSERT_EQ(clock.now(1), errc::success);
  EXPECT_GE(clock.value(), first);
}

TEST(clocks, the_real_clock_is_the_hosts) {
  times clock{fake_guest{context_options{}}};
  const auto before = std::chrono::system_clock::now().time_since_epoch();
  ASSERT_EQ(clock.now(0), errc::success);
  EXPECT_GE(clock.value(), static_cast<u64>(std::chrono::nanoseconds{before}.count()));
}

TEST(clocks, processor_time_is_not_offered) {
  times clock{fake_guest{context_options{}}};
  EXPECT_EQ(clock.now(2), errc::inval);
  EXPECT_EQ(clock.now(3), errc::inval);
  EXPECT_EQ(clock.now(4), errc::inval);
  EXPECT_EQ(clock.now(0xffff'ffff), errc::inval);
  EXPECT_EQ(clock_res_get(clock.guest.state(), clock.guest.view(), 2, clock.out), errc::inval);
}

TEST(clocks, a_source_of_the_hosts_choice_is_asked) {
  times clock{fake_guest{context_options{.clocks = std::make_shared<frozen_clock>()}}};
  ASSERT_EQ(clock.now(1), errc::success);
  EXPECT_EQ(clock.value(), 42u);
  ASSERT_EQ(clock.now(2), errc::success);
  EXPECT_EQ(clock.now(3), errc::inval);
  EXPECT_EQ(clock.now(0), errc::overflow); // before 1970
  ASSERT_EQ(clock_res_get(clock.guest.state(), clock.guest.view(), 0, clock.out), errc::success);
  EXPECT_EQ(clock.value(), 1'000'000u);
}

TEST(clocks, a_result_outside_the_memory_is_a_fault) {
  times clock{fake_guest{context_options{}}};
  const u32 end = clock.guest.memory().size();
  EXPECT_EQ(clock_time_get(clock.guest.state(), clock.guest.view(), 0, 0, end - 7), errc::fault);
  EXPECT_EQ(clock_res_get(clock.guest.state(), clock.guest.view(), 0, 0xffff'ffff), errc::fault);
}

} // namespace
} // namespace weir::wasi
