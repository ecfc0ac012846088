// SPDX-License-Identifier: Apache-2.0
#include <weir/stop.hpp>

#include <weir/mutex.hpp>

#include "sync/test_support.hpp"

namespace weir::testing {
namespace {

TEST(stop, wait_that_is_stopped_has_a_third_outcome_in_each_way_of_waiting) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    event never;
    stop_source source;
    detail::atomic<int> waiting{0};
    detail::atomic<int> stopped{0};
    live_runtime rt({.permits = count});
    way_runner runner(*rt);
    for (waiting_way way : all_ways) {
      runner.start(
          way,
          [&]() -> task<> {
            waiting.fetch_add(1);
            auto outcome = co_await with_stop(source.get_token(), never.waiting());
            stopped.fetch_add(outcome.is_stopped() ? 1 : 0);
          },
          [&] {
            waiting.fetch_add(1);
            auto outcome = with_stop(source.get_token(), never.waiting()).wait();
            stopped.fetch_add(outcome.is_stopped() ? 1 : 0);
          });
    }
    ASSERT_TRUE(eventually([&] { return waiting.load() == 4; }));
    EXPECT_EQ(stopped.load(), 0);
    EXPECT_TRUE(source.request_stop());
    EXPECT_FALSE(source.request_stop());
    runner.join();
    EXPECT_EQ(stopped.load(), 4);
  }
}

TEST(stop, wait_that_need_not_wait_succeeds_and_one_that_would_is_stopped_at_once) {
  stop_source source;
  source.request_stop();
  semaphore permits(1);
  live_runtime rt;
  auto body = [&]() -> task<> {
    auto first = co_await with_stop(source.get_token(), permits.acquire());
    EXPECT_TRUE(first.has_value() && first.value().has_value());
    auto second = co_await with_stop(source.get_token(), permits.acquire());
    EXPECT_TRUE(second.is_stopped());
  };
  rt->spawn(body()).wait().value();
  EXPECT_TRUE(with_stop(source.get_token(), permits.acquire()).wait().is_stopped());
  permits.release();
  EXPECT_EQ(permits.available(), 1U);
}

TEST(stop, token_can_be_awaited_and_no_token_never_stops) {
  stop_source source;
  live_runtime rt;
  auto body = [&]() -> task<> { co_await source.get_token(); };
  auto handle = rt->spawn(body());
  source.request_stop();
  handle.wait().value();
  EXPECT_FALSE(stop_token().stop_requested());
  EXPECT_FALSE(stop_token().stop_possible());
  event set;
  set.set();
  EXPECT_TRUE(with_stop(stop_token(), set.waiting()).wait().has_value());
}

TEST(stop, who_learns_of_the_stop_may_destroy_the_source_at_once) {
  live_runtime rt({.permits = 2});
  for (waiting_way way : all_ways) {
    for (int round = 0; round != 200; ++round) {
      auto source = std::make_unique<stop_source>();
      stop_source* at = source.get();
      event never;
      way_runner runner(*rt);
      runner.start(
          way,
          [&]() -> task<> {
            EXPECT_TRUE((co_await with_stop(source->get_token(), never.waiting())).is_stopped());
            source.reset();
          },
          [&] {
            EXPECT_TRUE(with_stop(source->get_token(), never.waiting()).wait().is_stopped());
            source.reset();
          });
      at->request_stop();
    }
  }
}

TEST(stop, storm_of_stops_grants_and_aborts_keeps_every_permit) { // peers.md 15: cancel_storm
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    live_runtime rt({.permits = count});
    for (int round = 0; round != 60; ++round) {
      semaphore permits(1);
      stop_source source;
      auto body = [&]() -> task<> {
        for (int i = 0; i != 20; ++i) {
          auto outcome = co_await with_stop(source.get_token(), permits.acquire());
          if (outcome.is_stopped()) co_return;
          co_await yield();
          permits.release();
        }
      };
      auto uncut = [&]() -> task<> {
        for (int i = 0; i != 20; ++i) {
          auto outcome = co_await with_stop(source.get_token(), permits.acquire());
          if (outcome.is_stopped()) co_return;
          permits.release();
        }
      };
      std::vector<join_handle<void>> handles;
      for (int i = 0; i != 4; ++i) handles.push_back(rt->spawn(body()));
      for (int i = 0; i != 4; ++i) handles.push_back(rt->spawn(uncut()));
      std::thread stopper([&] { source.request_stop(); });
      for (std::size_t i = 4; i < handles.size(); i += 2) handles[i].abort();
      stopper.join();
      for (auto& each : handles) static_cast<void>(each.wait());
      ASSERT_EQ(permits.available(), 1U);
    }
  }
}

TEST(stop, requests_in_a_circle_and_from_two_threads_end) { // peers.md 16
  for (int round = 0; round != 200; ++round) {
    detail::stop_state one;
    detail::stop_state two;
    detail::stop_registration to_two;
    detail::stop_registration to_one;
    auto pass = [](void* state) noexcept { static_cast<detail::stop_state*>(state)->request(); };
    ASSERT_TRUE(to_two.attach(one, pass, &two));
    ASSERT_TRUE(to_one.attach(two, pass, &one));
    std::thread other([&] { two.request(); });
    one.request();
    other.join();
    EXPECT_TRUE(one.is_requested() && two.is_requested());
    to_two.detach();
    to_one.detach();
  }
}

// Two stops whose owners wait for each other's tasks: nothing runs inside a request, so neither waits for the other.
TEST(stop, two_requesters_whose_waiters_join_each_other_do_not_deadlock) { // peers.md 16: cancel_callback_cross_join
  live_runtime rt({.permits = 2});
  for (int round = 0; round != 100; ++round) {
    stop_source sources[2];
    event never;
    event ended[2];
    auto body = [&](std::size_t mine) -> task<> {
      EXPECT_TRUE((co_await with_stop(sources[mine].get_token(), never.waiting())).is_stopped());
      ended[mine].set();
      co_await ended[1 - mine];
    };
    auto first = rt->spawn(body(0));
    auto second = rt->spawn(body(1));
    std::thread other([&] { sources[1].request_stop(); });
    sources[0].request_stop();
    other.join();
    first.wait().value();
    second.wait().value();
  }
}

TEST(stop, follows_a_std_stop_token) {
  std::stop_source outside;
  stop_source source;
  stop_link link(outside.get_token(), source);
  EXPECT_FALSE(source.stop_requested());
  event never;
  live_runtime rt;
  auto body = [&]() -> task<bool> { co_return (co_await with_stop(source.get_token(), never.waiting())).is_stopped(); };
  auto handle = rt->spawn(body());
  outside.request_stop();
  EXPECT_TRUE(handle.wait().value());
}

TEST(stop, std_stop_token_follows_and_its_callbacks_run_in_a_task_of_their_own) {
  stop_source source;
  live_runtime rt;
  event called;
  bool was_in_a_task = false;
  detail::atomic<bool> is_ready{false};
  auto body = [&]() -> task<> {
    std_stop bridge(source.get_token());
    std::stop_callback callback(bridge.get_token(), [&] {
      was_in_a_task = detail::current_task() != nullptr;
      called.set();
    });
    is_ready.store(true);
    co_await called;
    EXPECT_TRUE(bridge.get_token().stop_requested());
  };
  auto unstopped = [&]() -> task<> {
    std::stop_token token;
    {
      std_stop bridge(source.get_token());
      token = bridge.get_token();
    }
    for (int i = 0; i != 8; ++i) co_await yield();
    EXPECT_FALSE(token.stop_requested());
  };
  rt->spawn(unstopped()).wait().value();
  auto handle = rt->spawn(body());
  ASSERT_TRUE(eventually([&] { return is_ready.load(); }));
  source.request_stop();
  handle.wait().value();
  EXPECT_TRUE(was_in_a_task);
}

TEST(stop, task_can_see_that_it_was_asked_to_stop) {
  live_runtime rt;
  detail::atomic<bool> is_running{false};
  auto body = [&]() -> task<> {
    is_running.store(true);
    while (!this_task::stop_requested()) std::this_thread::yield();
    co_await yield();
  };
  auto handle = rt->spawn(body());
  ASSERT_TRUE(eventually([&] { return is_running.load(); }));
  handle.abort();
  EXPECT_TRUE(handle.wait().is_stopped());
  EXPECT_FALSE(this_task::stop_requested());
}

} // namespace
} // namespace weir::testing
