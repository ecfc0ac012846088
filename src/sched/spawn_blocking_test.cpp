// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

namespace weir::testing {
namespace {

TEST(spawn_blocking, gives_its_value_or_exception_and_needs_no_permit) {
  for (std::size_t permits : {1u, 2u, 0u}) {
    gate end;
    gate held;
    manual_runtime rt({.permits = permits});
    auto hold = [&]() -> task<> {
      held.open();
      end.wait(); // unmarked: keeps a permit
      co_return;
    };
    auto holder = rt->spawn(hold());
    held.wait();
    int local = 41;
    EXPECT_EQ(rt->spawn_blocking([&] { return ++local; }).wait().value(), 42);
    EXPECT_EQ(&rt->spawn_blocking([&]() -> int& { return local; }).wait().value(), &local);
    EXPECT_THROW(rt->spawn_blocking([] { throw std::runtime_error("closure"); }).wait().value(), std::runtime_error);
    EXPECT_EQ(rt.snapshot().polls, 1u);
    end.open();
    holder.wait().value();
  }
}

TEST(spawn_blocking, is_awaited_by_a_task) {
  manual_runtime rt({.permits = 1});
  auto body = []() -> task<int> {
    auto closure = spawn_blocking([] { return 42; });
    co_return (co_await std::move(closure)).value();
  };
  EXPECT_EQ(rt->spawn(body()).wait().value(), 42);
}

TEST(spawn_blocking, every_closure_of_a_burst_runs_once) { // test 25, without its time
  for (std::size_t permits : {1u, 2u, 0u}) {
    manual_runtime rt({.permits = permits, .max_threads = 40, .make_thread = rt::os::thread::start_raw});
    std::vector<detail::atomic<int>> runs(128);
    std::vector<join_handle<void>> all;
    for (auto& each : runs) {
      all.push_back(rt->spawn_blocking([&each] {
        block_for(1ms);
        each.fetch_add(1);
      }));
    }
    for (auto& each : all) each.wait().value();
    for (auto& each : runs) EXPECT_EQ(each.load(), 1);
    EXPECT_LE(rt.snapshot().spawned_threads, 40u);
    EXPECT_EQ(rt.snapshot().queued_closures, 0u);
  }
}

TEST(spawn_blocking, closures_from_many_threads_all_run) { // complaints 4 and 5, I17
  for (std::size_t cap : {3u, 16u}) {
    manual_runtime rt({.permits = 2, .max_threads = cap});
    detail::atomic<int> runs{0};
    std::vector<std::thread> spawners;
    for (int i = 0; i != 4; ++i) {
      spawners.emplace_back([&] {
        for (int j = 0; j != 500; ++j) rt->spawn_blocking([&] { runs.fetch_add(1); }).detach();
      });
    }
    for (auto& each : spawners) each.join();
    EXPECT_TRUE(eventually([&] { return runs.load() == 2000; }));
  }
}

TEST(spawn_blocking, at_the_cap_a_worker_without_work_runs_it) { // I17
  gate end;
  manual_runtime rt({.permits = 1, .max_threads = 2});
  auto block = [&]() -> task<> {
    blocking(expect_long, [&] { end.wait(); });
    co_return;
  };
  auto caller = rt->spawn(block());
  ASSERT_TRUE(rt.wait_for_regions(1));
  detail::atomic<int> runs{0};
  auto note = [&]() -> task<> {
    runs.fetch_add(1);
    co_return;
  };
  rt->spawn(note()).wait().value(); // the spare has the permit now
  ASSERT_TRUE(eventually([&] { return rt.snapshot().active == 0; }));
  EXPECT_EQ(rt->spawn_blocking([] { return 42; }).wait().value(), 42);
  EXPECT_EQ(rt.snapshot().threads, 2u);
  // Work that comes while it runs there takes its turn after it, and is not lost.
  EXPECT_EQ(rt->spawn_blocking([&] {
                rt->spawn(note()).detach();
                return 1;
              })
                .wait()
                .value(),
            1);
  EXPECT_TRUE(eventually([&] { return runs.load() == 2; }));
  end.open();
  caller.wait().value();
}

TEST(spawn_blocking, abort_before_it_starts_destroys_it_once) {
  gate end;
  manual_runtime rt({.permits = 1, .max_threads = 2});
  auto first = rt->spawn_blocking([&] { end.wait(); });  // the spare
  auto second = rt->spawn_blocking([&] { end.wait(); }); // the worker of the free permit
  ASSERT_TRUE(eventually([&] { return rt.snapshot().queued_closures == 0; }));
  detail::atomic<int> destroyed{0};
  bool entered = false;
  auto third = rt->spawn_blocking([&, probe = destruction_probe(destroyed)] { entered = true; });
  EXPECT_EQ(rt.snapshot().queued_closures, 1u);
  third.abort();
  end.open();
  EXPECT_TRUE(third.wait().is_stopped());
  EXPECT_FALSE(entered);
  EXPECT_EQ(destroyed.load(), 1);
  EXPECT_TRUE(first.wait().has_value());
  EXPECT_TRUE(second.wait().has_value());
}

TEST(spawn_blocking, shutdown_waits_for_those_that_run_and_stops_the_others) {
  gate end;
  manual_runtime rt({.permits = 1, .max_threads = 2});
  detail::atomic<int> running{0};
  auto run = [&] {
    running.fetch_add(1);
    end.wait();
  };
  auto first = rt->spawn_blocking(run);
  auto second = rt->spawn_blocking(run);
  ASSERT_TRUE(eventually([&] { return running.load() == 2; }));
  std::vector<join_handle<void>> others;
  for (int i = 0; i != 8; ++i) others.push_back(rt->spawn_blocking([] {}));
  EXPECT_FALSE(rt->shutdown_for(0ns));
  end.open();
  EXPECT_TRUE(rt->shutdown_for(60s));
  EXPECT_TRUE(first.wait().has_value());
  EXPECT_TRUE(second.wait().has_value());
  for (auto& each : others) EXPECT_TRUE(each.wait().is_stopped());
  EXPECT_EQ(rt.snapshot().threads, 0u);
  EXPECT_TRUE(rt->spawn_blocking([] {}).wait().is_stopped());
}

TEST(spawn_blocking, closure_may_spawn_wait_and_block_on) {
  manual_runtime rt({.permits = 1});
  auto answer = []() -> task<int> { co_return 21; };
  int sum = rt->spawn_blocking([&] {
                auto root = [&]() -> task<int> { co_return (co_await spawn(answer())).value(); };
                return block_on(root()) + spawn(answer()).wait().value();
              })
                .wait()
                .value();
  EXPECT_EQ(sum, 42);
}

TEST(spawn_blocking, closure_cannot_shut_its_runtime_down) { // complaint 32
  manual_runtime rt({.permits = 1});
  bool was_refused = rt->spawn_blocking([&] {
                         try {
                           rt->shutdown();
                         } catch (const std::system_error& failure) {
                           return failure.code() == errc::called_from_worker;
                         }
                         return false;
                       })
                         .wait()
                         .value();
  EXPECT_TRUE(was_refused);
}

TEST(spawn_blocking, burst_over_the_limit_still_gets_every_thread_of_the_cap) {
  gate end;
  runtime rt({.permits = 1, .max_threads = 12, .eager_limit = 3});
  detail::atomic<int> inside{0};
  std::vector<join_handle<void>> all;
  for (int i = 0; i != 8; ++i) {
    all.push_back(rt.spawn_blocking([&] {
      if (inside.fetch_add(1) + 1 == 8) end.open();
      end.wait(); // opens when all of them are here at once
    }));
  }
  for (auto& each : all) each.wait().value();
}

} // namespace
} // namespace weir::testing
