// SPDX-License-Identifier: Apache-2.0
// Blocking regions with a clock and a monitor that the test moves, so that every handoff is decided by the test.
#include "sched/test_support.hpp"

#include <sys/socket.h>
#include <unistd.h>

namespace weir::testing {
namespace {

constexpr auto grace = 100us;

task<> block_on_gate(gate& until) {
  blocking([&] { until.wait(); });
  co_return;
}

task<> add(detail::atomic<int>& to) {
  to.fetch_add(1);
  co_return;
}

TEST(region, returns_what_the_call_returns_and_is_a_plain_call_outside_a_runtime) { // test 20, C9
  int local = 1;
  int& same = blocking([&]() -> int& { return local; });
  EXPECT_EQ(&same, &local);
  EXPECT_THROW(blocking([] { throw std::runtime_error("left"); }), std::runtime_error);
}

TEST(region, short_calls_hand_nothing_over) { // test 8, C10, C15
  manual_runtime rt({.permits = 1});
  auto nested = []() -> task<int> {
    int sum = 0;
    for (int i = 0; i != 10'000; ++i) sum += blocking([] { return blocking([] { return 1; }); });
    co_return sum;
  };
  detail::atomic<int> waits{0};
  auto caller = rt->spawn(nested());
  auto queued = rt->spawn(add(waits));
  EXPECT_EQ(caller.wait().value(), 10'000);
  queued.wait().value();
  EXPECT_EQ(rt.snapshot().handoffs, 0u);
  EXPECT_EQ(rt.snapshot().spawned_threads, 2u);
}

TEST(region, old_call_keeps_its_permit_while_nothing_is_queued) { // test 9, C13
  gate end;
  manual_runtime rt({.permits = 1});
  auto caller = rt->spawn(block_on_gate(end));
  ASSERT_TRUE(rt.wait_for_regions(1));
  rt.advance(10s);
  rt.scan();
  EXPECT_EQ(rt.snapshot().handoffs, 0u);
  end.open();
  caller.wait().value();
}

TEST(region, permit_is_taken_at_the_grace_and_not_before) { // test 10, C12, C13
  gate end;
  manual_runtime rt({.permits = 1});
  detail::atomic<int> runs{0};
  auto caller = rt->spawn(block_on_gate(end));
  ASSERT_TRUE(rt.wait_for_regions(1));
  auto queued = rt->spawn(add(runs));
  rt.advance(grace - 1ns);
  rt.scan();
  EXPECT_EQ(rt.snapshot().handoffs, 0u);
  EXPECT_EQ(runs.load(), 0);
  rt.advance(1ns);
  rt.scan();
  EXPECT_EQ(rt.snapshot().handoffs, 1u);
  queued.wait().value();
  EXPECT_FALSE(caller.is_done());
  end.open();
  caller.wait().value();
  EXPECT_EQ(rt.snapshot().handoffs, 1u);
}

TEST(region, age_counts_from_the_entry_of_the_present_call) { // test 11, C11
  gate first;
  gate second;
  manual_runtime rt({.permits = 1});
  auto twice = [&]() -> task<> {
    blocking([&] { first.wait(); });
    blocking([&] { second.wait(); });
    co_return;
  };
  auto caller = rt->spawn(twice());
  ASSERT_TRUE(rt.wait_for_regions(1));
  std::uint64_t generation = rt.core().permit_at(0).word().generation;
  detail::atomic<int> runs{0};
  auto queued = rt->spawn(add(runs));
  rt.advance(grace);
  first.open();
  ASSERT_TRUE(eventually([&] { return rt.core().permit_at(0).word().generation == generation + 1; }));
  rt.scan();
  EXPECT_EQ(rt.snapshot().handoffs, 0u);
  rt.advance(grace);
  rt.scan();
  EXPECT_EQ(rt.snapshot().handoffs, 1u);
  queued.wait().value();
  second.open();
  caller.wait().value();
}

// Starts `calls` blocked calls that fill all permits, and `queued` tasks behind them.
struct blocked_runtime {
  gate end;
  manual_runtime rt;
  detail::atomic<int> runs{0};
  std::vector<join_handle<void>> tasks;

  blocked_runtime(std::size_t calls, std::size_t queued, manual_setup setup) : rt(setup) {
    for (std::size_t i = 0; i != calls; ++i) tasks.push_back(rt->spawn(block_on_gate(end)));
    EXPECT_TRUE(rt.wait_for_regions(calls));
    for (std::size_t i = 0; i != queued; ++i) tasks.push_back(rt->spawn(add(runs)));
  }
  void finish() {
    end.open();
    for (auto& each : tasks) each.wait().value();
  }
};

TEST(region, one_scan_takes_as_many_calls_as_there_is_demand) { // tests 12 and 13, C14
  for (std::size_t queued : {4u, 1u}) {
    blocked_runtime blocked(4, queued, {.permits = 4});
    blocked.rt.advance(grace);
    blocked.rt.scan();
    EXPECT_EQ(blocked.rt.snapshot().handoffs, queued);
    EXPECT_EQ(blocked.rt.snapshot().threads, queued == 4 ? 8u : 5u);
    ASSERT_TRUE(eventually([&] { return blocked.runs.load() == static_cast<int>(queued); }));
    blocked.finish();
  }
}

TEST(region, call_keeps_its_permit_at_the_thread_cap) { // test 14, C6
  gate end;
  manual_runtime rt({.permits = 1, .max_threads = 2});
  detail::atomic<int> runs{0};
  auto first = rt->spawn(block_on_gate(end));
  ASSERT_TRUE(rt.wait_for_regions(1));
  auto second = rt->spawn(block_on_gate(end));
  rt.advance(grace);
  rt.scan();
  EXPECT_EQ(rt.snapshot().handoffs, 1u);
  ASSERT_TRUE(rt.wait_for_regions(1));
  auto third = rt->spawn(add(runs));
  rt.advance(grace);
  rt.scan();
  EXPECT_EQ(rt.snapshot().handoffs, 1u);
  EXPECT_EQ(rt.snapshot().capacity_delays, 1u);
  EXPECT_EQ(rt.snapshot().threads, 2u);
  EXPECT_EQ(runs.load(), 0);
  end.open();
  third.wait().value();
  first.wait().value();
  second.wait().value();
}

TEST(region, failed_thread_creation_is_counted_and_may_succeed_later) { // test 15, C7
  detail::atomic<bool> fails{false};
  manual_setup setup{.permits = 1};
  setup.make_thread = [&](rt::os::thread_options options, void (*function)(void*),
                          void* argument) -> std::expected<rt::os::thread, std::error_code> {
    if (fails.load()) return std::unexpected(std::make_error_code(std::errc::resource_unavailable_try_again));
    return rt::os::thread::start_raw(std::move(options), function, argument);
  };
  gate end;
  manual_runtime rt(setup);
  detail::atomic<int> runs{0};
  auto first = rt->spawn(block_on_gate(end));
  ASSERT_TRUE(rt.wait_for_regions(1));
  auto second = rt->spawn(block_on_gate(end)); // takes the spare
  rt.advance(grace);
  rt.scan();
  ASSERT_TRUE(rt.wait_for_regions(1));
  auto third = rt->spawn(add(runs));
  fails.store(true);
  rt.advance(grace);
  rt.scan();
  EXPECT_EQ(rt.snapshot().spawn_failures, 1u);
  EXPECT_EQ(rt.snapshot().handoffs, 1u);
  EXPECT_EQ(rt.snapshot().active, 1u);
  fails.store(false);
  rt.scan();
  EXPECT_EQ(rt.snapshot().handoffs, 2u);
  third.wait().value();
  end.open();
  first.wait().value();
  second.wait().value();
}

TEST(region, exception_leaves_after_the_permit_is_back) { // test 16, C10
  gate end;
  manual_runtime rt({.permits = 1});
  auto caught = [&]() -> task<int> {
    bool was_active = false;
    try {
      blocking([&] {
        end.wait();
        throw std::runtime_error("inside");
      });
    } catch (const std::runtime_error&) {
      was_active = rt.snapshot().active == 1;
    }
    auto child = spawn([]() -> task<int> { co_return 42; }());
    co_return was_active ? (co_await child).value() : -1;
  };
  auto caller = rt->spawn(caught());
  ASSERT_TRUE(rt.wait_for_regions(1));
  detail::atomic<int> runs{0};
  auto queued = rt->spawn(add(runs));
  rt.advance(grace);
  rt.scan();
  queued.wait().value();
  end.open();
  EXPECT_EQ(caller.wait().value(), 42);
  EXPECT_EQ(rt.snapshot().handoffs, 1u);
}

TEST(region, abort_destroys_nothing_until_the_call_returns) { // test 17, C17
  gate end;
  manual_runtime rt({.permits = 1});
  detail::atomic<int> destroyed{0};
  detail::atomic<int> written{0};
  auto borrow = [&](destruction_probe) -> task<> {
    char buffer[4] = {};
    blocking([&] {
      end.wait();
      buffer[0] = 'x';
    });
    written.store(buffer[0]);
    co_await yield();
  };
  auto caller = rt->spawn(borrow(destruction_probe(destroyed)));
  ASSERT_TRUE(rt.wait_for_regions(1));
  caller.abort();
  detail::atomic<int> runs{0};
  auto queued = rt->spawn(add(runs));
  rt.advance(grace);
  rt.scan();
  queued.wait().value();
  EXPECT_EQ(destroyed.load(), 0);
  end.open();
  EXPECT_TRUE(caller.wait().is_stopped());
  EXPECT_EQ(destroyed.load(), 1);
  EXPECT_EQ(written.load(), 'x');
}

TEST(region, blocked_read_is_fed_by_a_task_that_waits_for_its_permit) { // test 18
  runtime rt({.permits = 1});
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  auto read_one = [](int from) -> task<char> {
    char byte = 0;
    ssize_t count = blocking([&] { return ::read(from, &byte, 1); });
    co_return count == 1 ? byte : '?';
  };
  auto write_one = [](int to) -> task<bool> { co_return ::write(to, "w", 1) == 1; };
  auto reader = rt.spawn(read_one(ends[0]));
  ASSERT_TRUE(eventually([&] { return rt.snapshot().in_regions == 1; }));
  auto writer = rt.spawn(write_one(ends[1]));
  EXPECT_EQ(reader.wait().value(), 'w');
  EXPECT_TRUE(writer.wait().value());
  EXPECT_GE(rt.snapshot().handoffs, 1u);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(region, child_that_only_the_blocked_permit_has_runs) { // test 19, C16
  gate end;
  manual_runtime rt({.permits = 1, .max_threads = 2});
  detail::atomic<int> runs{0};
  auto parent = [&]() -> task<> {
    spawn(add(runs)).detach();
    blocking([&] { end.wait(); });
    co_return;
  };
  auto caller = rt->spawn(parent());
  ASSERT_TRUE(rt.wait_for_regions(1));
  EXPECT_EQ(rt.core().permit_at(0).queues.normal().size(), 1u);
  rt.advance(grace);
  rt.scan();
  ASSERT_TRUE(eventually([&] { return runs.load() == 1; }));
  end.open();
  caller.wait().value();
}

TEST(region, spawn_inside_a_region_goes_to_the_injector) {
  gate end;
  manual_runtime rt({.permits = 1});
  detail::atomic<int> runs{0};
  auto parent = [&]() -> task<> {
    blocking([&] {
      spawn(add(runs)).detach();
      end.wait();
    });
    co_return;
  };
  auto caller = rt->spawn(parent());
  ASSERT_TRUE(rt.wait_for_regions(1));
  ASSERT_TRUE(eventually([&] { return rt.core().injected(task_priority::normal).size() == 1; }));
  end.open();
  caller.wait().value();
  ASSERT_TRUE(eventually([&] { return runs.load() == 1; }));
}

TEST(region, race_of_return_and_monitor_never_polls_a_task_twice_at_once) { // test 21, C11, C43
  for (int round = 0; round != 64; ++round) {
    manual_runtime rt({.permits = 1});
    detail::atomic<int> inside{0};
    detail::atomic<bool> overlapped{false};
    detail::atomic<int> runs{0};
    detail::atomic<bool> starts{false};
    detail::waker self;
    detail::atomic<bool> has_waker{false};
    auto caller_body = [&]() -> task<> {
      self = detail::waker(*detail::current_task());
      has_waker.store(true);
      for (int i = 0; i != 20; ++i) {
        if (inside.fetch_add(1) != 0) overlapped.store(true);
        blocking([&] {
          while (!starts.load()) std::this_thread::yield();
        });
        inside.fetch_sub(1);
        co_await yield();
      }
    };
    auto caller = rt->spawn(caller_body());
    ASSERT_TRUE(rt.wait_for_regions(1));
    std::vector<join_handle<void>> queued;
    for (int i = 0; i != 8; ++i) queued.push_back(rt->spawn(add(runs)));
    rt.advance(grace);
    ASSERT_TRUE(has_waker.load());
    std::thread waking([&] {
      starts.store(true);
      for (int i = 0; i != 8; ++i) self.wake();
    });
    for (int i = 0; i != 20; ++i) {
      rt.advance(grace);
      rt.scan();
    }
    waking.join();
    caller.wait().value();
    for (auto& each : queued) each.wait().value();
    EXPECT_FALSE(overlapped.load());
    ASSERT_TRUE(eventually([&] { return rt.snapshot().active == 0; }));
  }
}

TEST(region, callers_get_their_permit_back_in_the_order_of_return) { // tests 27 and 28, C18, C19
  gate end_a;
  gate end_b;
  gate holding;
  gate release;
  manual_runtime rt({.permits = 1});
  std::string log;
  auto caller = [&](gate& until, char name) -> task<> {
    blocking([&] { until.wait(); });
    log.push_back(name);
    co_return;
  };
  auto hold = [&]() -> task<> {
    holding.open();
    release.wait(); // unmarked: keeps the permit
    for (int i = 0; i != 10; ++i) {
      co_await yield(); // a returner gets the permit at the first boundary
      log.push_back('h');
    }
  };
  auto a = rt->spawn(caller(end_a, 'A'));
  ASSERT_TRUE(rt.wait_for_regions(1));
  auto b = rt->spawn(caller(end_b, 'B'));
  rt.advance(grace);
  rt.scan(); // A's permit runs B
  ASSERT_TRUE(eventually([&] { return rt.snapshot().handoffs == 1 && rt.snapshot().in_regions == 1; }));
  auto holder = rt->spawn(hold());
  rt.advance(grace);
  rt.scan(); // B's permit runs the holder
  holding.wait();
  EXPECT_EQ(rt.snapshot().handoffs, 2u);
  end_a.open();
  ASSERT_TRUE(eventually([&] { return rt.snapshot().returning == 1; }));
  end_b.open();
  ASSERT_TRUE(eventually([&] { return rt.snapshot().returning == 2; }));
  release.open();
  a.wait().value();
  b.wait().value();
  holder.wait().value();
  EXPECT_EQ(log, "ABhhhhhhhhhh");
}

TEST(region, free_permit_goes_to_a_returner_at_once) { // test 30, I8
  gate end;
  manual_runtime rt({.permits = 1});
  detail::atomic<int> runs{0};
  auto caller = rt->spawn(block_on_gate(end));
  ASSERT_TRUE(rt.wait_for_regions(1));
  auto queued = rt->spawn(add(runs));
  rt.advance(grace);
  rt.scan();
  queued.wait().value();
  ASSERT_TRUE(eventually([&] { return rt.snapshot().active == 0; }));
  end.open();
  caller.wait().value();
}

TEST(region, return_during_close_finishes) { // test 31
  gate end;
  manual_runtime rt({.permits = 1});
  detail::atomic<int> runs{0};
  auto caller = rt->spawn(block_on_gate(end));
  ASSERT_TRUE(rt.wait_for_regions(1));
  auto queued = rt->spawn(add(runs));
  rt.advance(grace);
  rt.scan();
  queued.wait().value();
  EXPECT_FALSE(rt->shutdown_for(0ns));
  end.open();
  EXPECT_TRUE(rt->shutdown_for(60s));
  EXPECT_EQ(rt.snapshot().threads, 0u);
}

TEST(region, one_returner_stops_one_worker) { // test 29, C19
  gate end;
  manual_runtime rt({.permits = 4});
  auto caller = rt->spawn(block_on_gate(end));
  ASSERT_TRUE(rt.wait_for_regions(1));
  detail::atomic<bool> stop{false};
  detail::atomic<int> spinning{0};
  auto spin = [&]() -> task<> {
    spinning.fetch_add(1);
    while (!stop.load()) co_await yield();
  };
  std::vector<join_handle<void>> spinners;
  for (int i = 0; i != 3; ++i) spinners.push_back(rt->spawn(spin()));
  ASSERT_TRUE(eventually([&] { return spinning.load() == 3; }));
  spinners.push_back(rt->spawn(spin()));
  // The fourth may be taken up by any permit that yields; the call's permit is taken while it is queued.
  ASSERT_TRUE(eventually([&] {
    rt.advance(grace);
    rt.scan();
    return rt.snapshot().handoffs == 1;
  }));
  std::uint64_t handoffs = rt.snapshot().handoffs;
  end.open();
  caller.wait().value();
  EXPECT_EQ(rt.snapshot().handoffs, handoffs);
  EXPECT_EQ(rt.snapshot().threads, 5u);
  stop.store(true);
  for (auto& each : spinners) each.wait().value();
}

} // namespace
} // namespace weir::testing
