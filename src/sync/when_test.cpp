// SPDX-License-Identifier: Apache-2.0
#include <weir/when_all.hpp>
#include <weir/when_any.hpp>

#include "sync/test_support.hpp"

#include <stdexcept>
#include <string>

namespace weir::testing {
namespace {

task<int> give(int value, int turns = 1) {
  for (int i = 0; i != turns; ++i) co_await yield();
  co_return value;
}

task<std::string> say(std::string what) {
  co_await yield();
  co_return what;
}

task<> nothing() { co_await yield(); }

task<int> fail_with(std::string what) {
  co_await yield();
  throw std::runtime_error(what);
}

TEST(when, all_gives_every_value_in_order) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    live_runtime rt({.permits = count});
    auto body = [&]() -> task<> {
      auto [number, text, none] = co_await when_all(give(1), say("two"), nothing());
      EXPECT_EQ(number, 1);
      EXPECT_EQ(text, "two");
      EXPECT_EQ(none, std::monostate());
      std::vector<task<int>> many;
      for (int i = 0; i != 20; ++i) many.push_back(give(i, 20 - i));
      auto values = co_await when_all(std::move(many));
      for (int i = 0; i != 20; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
      EXPECT_TRUE((co_await when_all(std::vector<task<int>>())).empty());
    };
    rt->spawn(body()).wait().value();
  }
}

TEST(when, all_stops_the_others_at_the_first_error_and_they_are_gone) {
  live_runtime rt;
  event never;
  detail::atomic<int> destroyed{0};
  auto wait = [&](destruction_probe) -> task<> { co_await never; };
  auto body = [&]() -> task<> {
    bool has_thrown = false;
    try {
      co_await when_all(wait(destruction_probe(destroyed)), fail_with("all"), wait(destruction_probe(destroyed)));
    } catch (const std::runtime_error& why) {
      has_thrown = std::string(why.what()) == "all";
    }
    EXPECT_TRUE(has_thrown);
    EXPECT_EQ(destroyed.load(), 2);
  };
  rt->spawn(body()).wait().value();
}

TEST(when, any_gives_the_first_and_the_losers_are_stopped_and_gone) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    live_runtime rt({.permits = count});
    event never;
    detail::atomic<int> destroyed{0};
    auto wait = [&](destruction_probe) -> task<std::string> {
      co_await never;
      co_return "never";
    };
    auto body = [&]() -> task<> {
      auto first = co_await when_any(wait(destruction_probe(destroyed)), give(3), nothing());
      EXPECT_NE(first.index, 0U);
      if (first.index == 1) {
        EXPECT_EQ(std::get<1>(first.value), 3);
      }
      EXPECT_EQ(destroyed.load(), 1);
      EXPECT_TRUE(first.loser_errors.empty());
      std::vector<task<std::string>> many;
      for (int i = 0; i != 5; ++i) many.push_back(wait(destruction_probe(destroyed)));
      many.push_back(say("said"));
      auto said = co_await when_any(std::move(many));
      EXPECT_EQ(said.index, 5U);
      EXPECT_EQ(said.value, "said");
      EXPECT_EQ(destroyed.load(), 6);
    };
    rt->spawn(body()).wait().value();
  }
}

TEST(when, any_rethrows_the_winners_error_and_keeps_the_losers) { // peers.md 17
  live_runtime rt({.permits = 2});
  detail::atomic<bool> is_running{false};
  auto fail_when_stopped = [&]() -> task<int> {
    co_await yield();
    is_running.store(true);
    while (!this_task::stop_requested()) std::this_thread::yield();
    throw std::runtime_error("loser");
  };
  auto win = [&]() -> task<int> {
    while (!is_running.load()) co_await yield();
    co_return 1;
  };
  auto fail = [&]() -> task<int> {
    while (!is_running.load()) co_await yield();
    throw std::runtime_error("winner");
  };
  auto body = [&]() -> task<> {
    bool has_thrown = false;
    try {
      co_await when_any(fail(), fail_when_stopped());
    } catch (const std::runtime_error& why) {
      has_thrown = std::string(why.what()) == "winner";
    }
    EXPECT_TRUE(has_thrown);
    is_running.store(false);
    auto won = co_await when_any(fail_when_stopped(), win());
    EXPECT_EQ(won.index, 1U);
    EXPECT_EQ(won.loser_errors.size(), 1U);
  };
  rt->spawn(body()).wait().value();
}

TEST(when, stop_of_the_owner_stops_all) {
  live_runtime rt;
  event never;
  detail::atomic<int> waiting{0};
  auto wait = [&]() -> task<> {
    waiting.fetch_add(1);
    co_await never;
  };
  auto wait_for_all = [&]() -> task<> { co_await when_all(wait(), wait()); };
  auto wait_for_any = [&]() -> task<> { static_cast<void>(co_await when_any(wait(), wait())); };
  auto all = rt->spawn(wait_for_all());
  auto any = rt->spawn(wait_for_any());
  ASSERT_TRUE(eventually([&] { return waiting.load() == 4; }));
  all.abort();
  any.abort();
  EXPECT_TRUE(all.wait().is_stopped());
  EXPECT_TRUE(any.wait().is_stopped());
}

} // namespace
} // namespace weir::testing
