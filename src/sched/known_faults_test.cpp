// SPDX-License-Identifier: Apache-2.0
// Faults of other schedulers that this one must not have; doc/design/executor-tests.md has the list.
#include <weir/current.hpp>

#include "sched/test_support.hpp"

#include <string>

namespace weir::testing {
namespace {

class known_faults : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(permits, known_faults, tested_permits);

task<int> answer() { co_return 42; }

// Schedulers kept in statics: one pool a process, and failures at its second shutdown.
TEST_P(known_faults, two_runtimes_live_and_die_interleaved_a_thousand_times) { // peers 6
  constexpr int rounds = is_sanitized ? 100 : 1000;
  std::optional<runtime> older(std::in_place, runtime_options{.permits = GetParam()});
  for (int round = 0; round != rounds; ++round) {
    runtime younger({.permits = GetParam()});
    auto both = [](runtime& other) -> task<int> {
      co_return (co_await other.spawn(answer())).value() + (co_await spawn(answer())).value();
    };
    EXPECT_EQ(older->spawn(both(younger)).wait().value(), 84);
    EXPECT_EQ(younger.spawn(both(*older)).wait().value(), 84);
    older.emplace(std::move(younger));
  }
}

/// block_on in one place: its value, or the error's text.
std::string try_block_on(runtime& rt) {
  try {
    return std::to_string(rt.block_on(answer()));
  } catch (const std::system_error& failure) {
    return failure.code() == errc::called_inside_region ? "refused" : failure.what();
  }
}

// A nested block_on that panics, or is allowed by a loophole.
TEST_P(known_faults, block_on_has_one_answer_in_every_place) { // peers 8, complaint 10
  runtime rt({.permits = GetParam()});
  runtime other({.permits = GetParam()});
  auto on_worker = [&]() -> task<std::string> { co_return try_block_on(rt); };
  auto in_region = [&]() -> task<std::string> { co_return blocking([&] { return try_block_on(rt); }); };
  auto in_root = [&]() -> task<std::string> { co_return rt.block_on(on_worker()); };
  auto entered_elsewhere = [&]() -> task<std::string> {
    auto inside = other.enter();
    co_return try_block_on(rt);
  };
  for (runtime* from : {&rt, &other}) {
    EXPECT_EQ(from->spawn(on_worker()).wait().value(), "42");
    EXPECT_EQ(from->spawn(in_region()).wait().value(), "refused");
    EXPECT_EQ(from->spawn(in_root()).wait().value(), "42");
    EXPECT_EQ(from->spawn(entered_elsewhere()).wait().value(), "42");
    EXPECT_EQ(from->spawn_fiber([&] { return try_block_on(rt); }).wait().value(), "42");
    EXPECT_EQ(from->spawn_fiber([&] { return blocking([&] { return try_block_on(rt); }); }).wait().value(), "refused");
    EXPECT_EQ(from->spawn_blocking([&] { return try_block_on(rt); }).wait().value(), "42");
  }
  EXPECT_EQ(try_block_on(rt), "42");
  EXPECT_EQ(blocking([&] { return try_block_on(rt); }), "42"); // outside a runtime a region is a plain call
}

// A waiter that helps runs unrelated work on top of the caller, which holds what that work needs.
TEST_P(known_faults, wait_that_holds_a_mutex_is_given_no_work_that_takes_it) { // peers 9
  for (int round = 0; round != 50; ++round) {
    std::mutex held; // of the caller's thread: work on top of it would wait for itself
    runtime rt({.permits = GetParam()});
    detail::atomic<int> turns{0};
    auto unrelated = [&]() -> task<> {
      blocking([&] {
        std::lock_guard guard(held);
        turns.fetch_add(1);
      });
      co_return;
    };
    auto holder = [&]() -> task<int> {
      std::lock_guard guard(held);
      for (int i = 0; i != 3; ++i) static_cast<void>(spawn(unrelated()));
      auto child = spawn(answer());
      int value = child.wait().value(); // blocks this thread
      co_return value + block_on(answer());
    };
    EXPECT_EQ(rt.spawn(holder()).wait().value(), 84);
    EXPECT_TRUE(eventually([&] { return turns.load() == 3; }));
    rt.shutdown(); // the last one may still be letting go of the mutex
  }
}

// A thread that cannot be made leaves a closure in the queue for ever.
TEST_P(known_faults, closures_run_though_the_system_gives_no_more_threads) { // peers 10
  detail::atomic<bool> fails{false};
  manual_setup setup;
  setup.permits = GetParam();
  setup.make_thread = [&](rt::os::thread_options options, void (*function)(void*),
                          void* argument) -> std::expected<rt::os::thread, std::error_code> {
    if (fails.load()) return std::unexpected(std::make_error_code(std::errc::resource_unavailable_try_again));
    return rt::os::thread::start_raw(std::move(options), function, argument);
  };
  manual_runtime rt(setup);
  fails.store(true);
  detail::atomic<int> runs{0};
  std::vector<join_handle<void>> closures;
  for (int i = 0; i != 64; ++i) closures.push_back(rt->spawn_blocking([&] { runs.fetch_add(1); }));
  for (auto& each : closures) each.wait().value();
  EXPECT_EQ(runs.load(), 64);
  EXPECT_EQ(rt.snapshot().threads, rt.snapshot().permits + 1);
}

// The joiner on another thread frees the stack that the ending fiber is still on.
TEST_P(known_faults, fiber_that_ends_has_left_its_stack_when_its_joiner_goes_on) { // peers 13
  runtime rt({.permits = GetParam()});
  constexpr int rounds = is_sanitized ? 100 : 500;
  auto joins = [&]() -> task<> {
    for (int round = 0; round != rounds; ++round) {
      std::vector<join_handle<int>> fibers;
      for (int i = 0; i != 4; ++i) {
        fibers.push_back(spawn_fiber([i] {
          volatile char deep[2048] = {};
          deep[i] = 1;
          this_fiber::yield();
          return static_cast<int>(deep[i]);
        }));
      }
      for (auto& each : fibers) EXPECT_EQ((co_await each).value(), 1);
    }
  };
  auto here = rt.spawn(joins());
  for (int round = 0; round != rounds; ++round) EXPECT_EQ(rt.spawn_fiber([] { return 7; }).wait().value(), 7);
  here.wait().value();
}

} // namespace
} // namespace weir::testing
