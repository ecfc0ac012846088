// SPDX-License-Identifier: Apache-2.0
#include "os/thread.hpp"

#include "os/futex.hpp"

#include <weir/detail/atomic.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <memory>

namespace {

using weir::rt::duration;
using namespace weir::rt;
namespace detail = weir::detail;

std::string name_of_this_thread() {
  std::string name;
  std::getline(std::ifstream("/proc/thread-self/comm") >> std::ws, name);
  return name;
}

TEST(thread, a_started_thread_runs_once_under_its_name_cut_to_fifteen_bytes) {
  std::string name;
  int runs = 0;
  auto started = os::thread::start({.name = "weir-worker-number-7"}, [&, owned = std::make_unique<int>(5)] {
    name = name_of_this_thread();
    runs += *owned;
  });
  ASSERT_TRUE(started.has_value());
  started->join();
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(name, "weir-worker-num");
  EXPECT_FALSE(started->is_joinable());
}

TEST(thread, a_join_with_a_deadline_says_whether_the_thread_has_ended) {
  detail::atomic<std::uint32_t> ends{0};
  auto started = os::thread::start({.name = "late"}, [&] {
    while (ends.load() == 0) os::futex_wait(ends, 0);
  });
  ASSERT_TRUE(started.has_value());
  EXPECT_FALSE(started->join_until({}));
  EXPECT_FALSE(started->join_until(now() + std::chrono::milliseconds(2)));
  EXPECT_TRUE(started->is_joinable());
  ends.store(1);
  os::futex_wake_all(ends);
  EXPECT_TRUE(started->join_until(now() + std::chrono::minutes(1)));
  EXPECT_FALSE(started->is_joinable());
}

TEST(thread, a_thread_that_cannot_be_made_is_an_error_and_its_closure_is_destroyed) {
  auto owned = std::make_shared<int>(1);
  auto started = os::thread::start({.name = "x", .stack_bytes = std::size_t{1} << 52}, [owned] {});
  ASSERT_FALSE(started.has_value());
  EXPECT_TRUE(started.error());
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(thread, cpu_time_of_a_thread_grows_with_its_work) {
  duration before = os::this_thread_cpu_time();
  duration after = before;
  while (after < before + duration(2'000'000)) { // ends when it has grown
    after = os::this_thread_cpu_time();
    EXPECT_GE(after, before);
  }
  EXPECT_GE(os::process_cpu_time(), after - before);
}

TEST(thread, cpu_time_of_another_thread_can_be_read) {
  weir::detail::atomic<bool> is_read{false};
  auto started = os::thread::start({}, [&is_read] {
    while (!is_read.load()) {
    }
  });
  ASSERT_TRUE(started.has_value());
  while (started->cpu_time() == duration::zero()) os::yield_thread();
  is_read.store(true);
  started->join();
  EXPECT_EQ(started->cpu_time(), duration::zero());
}

TEST(thread_death_test, a_thread_dropped_while_joinable_is_a_broken_contract) {
  EXPECT_DEATH(
      {
        auto started = os::thread::start({}, [] {});
        started.value() = os::thread();
      },
      "joined or detached");
}

} // namespace
