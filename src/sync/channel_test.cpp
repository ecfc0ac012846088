// SPDX-License-Identifier: Apache-2.0
#include <weir/channel.hpp>
#include <weir/stop.hpp>

#include "sync/test_support.hpp"

#include <memory>
#include <numeric>
#include <string>

namespace weir::testing {
namespace {

constexpr std::size_t capacities[] = {0, 1, 2, 16};

TEST(channel, try_forms_take_what_is_there_and_keep_a_value_that_does_not_fit) {
  channel<std::unique_ptr<int>> two(2);
  for (int i = 0; i != 2; ++i) EXPECT_TRUE(two.try_send(std::make_unique<int>(i)).has_value());
  auto third = std::make_unique<int>(2);
  EXPECT_EQ(two.try_send(std::move(third)).error(), make_error_code(sync_errc::would_block));
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(two.size(), 2U);
  EXPECT_EQ(**two.try_receive(), 0);
  EXPECT_TRUE(two.try_send(std::move(third)).has_value());
  EXPECT_EQ(**two.try_receive(), 1);
  EXPECT_EQ(**two.try_receive(), 2);
  EXPECT_EQ(two.try_receive().error(), make_error_code(sync_errc::would_block));
  channel<int> none;
  EXPECT_EQ(none.try_send(1).error(), make_error_code(sync_errc::would_block));
}

TEST(channel, close_refuses_values_and_gives_out_what_is_inside) {
  channel<std::string> some(4);
  EXPECT_TRUE(some.send("first").wait().has_value());
  EXPECT_TRUE(some.try_send("second").has_value());
  some.close();
  EXPECT_EQ(some.send("late").wait().error(), make_error_code(sync_errc::closed));
  EXPECT_EQ(some.try_send("late").error(), make_error_code(sync_errc::closed));
  EXPECT_EQ(some.receive().wait().value(), "first");
  EXPECT_EQ(some.receive().wait().value(), "second");
  EXPECT_EQ(some.receive().wait().error(), make_error_code(sync_errc::closed));
  EXPECT_EQ(some.try_receive().error(), make_error_code(sync_errc::closed));
}

TEST(channel, temporaries_with_inner_pointers_survive_co_await) {
  channel<std::string> some(1);
  live_runtime rt;
  auto body = [&]() -> task<> {
    EXPECT_TRUE((co_await some.send(std::string("short"))).has_value());
    EXPECT_EQ((co_await some.receive()).value(), "short");
    EXPECT_TRUE((co_await some.send("one")).has_value());
    EXPECT_EQ((co_await with_stop(stop_token(), some.receive())).value().value(), "one");
  };
  rt->spawn(body()).wait().value();
}

TEST(channel, values_of_one_sender_arrive_in_order) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    for (std::size_t capacity : capacities) {
      channel<int> numbers(capacity);
      live_runtime rt({.permits = count});
      auto send = [&]() -> task<> {
        for (int i = 0; i != 500; ++i) EXPECT_TRUE((co_await numbers.send(i)).has_value());
        numbers.close();
      };
      auto receive = [&]() -> task<int> {
        int next = 0;
        while (auto value = co_await numbers.receive()) EXPECT_EQ(*value, next++);
        co_return next;
      };
      auto sender = rt->spawn(send());
      EXPECT_EQ(rt->spawn(receive()).wait().value(), 500);
      sender.wait().value();
    }
  }
}

TEST(channel, send_of_a_rendezvous_ends_when_a_receiver_is_there) {
  channel<int> none;
  live_runtime rt({.permits = 1});
  bool is_sent = false;
  auto send = [&]() -> task<> {
    EXPECT_TRUE((co_await none.send(7)).has_value());
    is_sent = true;
  };
  auto body = [&]() -> task<> {
    auto sender = spawn(send());
    for (int i = 0; i != 8; ++i) co_await yield();
    EXPECT_FALSE(is_sent);
    EXPECT_EQ((co_await none.receive()).value(), 7);
    co_await sender;
    EXPECT_TRUE(is_sent);
  };
  rt->spawn(body()).wait().value();
}

TEST(channel, tasks_fibers_and_threads_send_and_receive_every_value_once) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    for (std::size_t capacity : capacities) {
      constexpr int each = 100;
      channel<int> numbers(capacity);
      detail::atomic<int> senders{4};
      detail::atomic<long> sum{0};
      detail::atomic<int> received{0};
      live_runtime rt({.permits = count});
      way_runner runner(*rt);
      for (int who = 0; who != 4; ++who) {
        auto ended = [&] {
          if (senders.fetch_sub(1) == 1) numbers.close();
        };
        auto got = [&](int value) {
          sum.fetch_add(value);
          received.fetch_add(1);
        };
        runner.start(
            all_ways[who],
            [&, who, ended]() -> task<> {
              for (int i = 0; i != each; ++i) EXPECT_TRUE((co_await numbers.send(who * each + i)).has_value());
              ended();
            },
            [&, who, ended] {
              for (int i = 0; i != each; ++i) EXPECT_TRUE(numbers.send(who * each + i).wait().has_value());
              ended();
            });
        runner.start(
            all_ways[who],
            [&, got]() -> task<> {
              while (auto value = co_await numbers.receive()) got(*value);
            },
            [&, got] {
              while (auto value = numbers.receive().wait()) got(*value);
            });
      }
      runner.join();
      EXPECT_EQ(received.load(), 4 * each);
      EXPECT_EQ(sum.load(), 4L * each * (4 * each - 1) / 2);
    }
  }
}

TEST(channel, value_promised_to_a_receiver_that_is_stopped_goes_to_the_next) {
  for (std::size_t capacity : capacities) {
    channel<std::unique_ptr<int>> some(capacity);
    live_runtime rt({.permits = 1});
    auto receive = [&]() -> task<int> { co_return **(co_await some.receive()); };
    auto body = [&]() -> task<> {
      auto first = spawn(receive());
      auto second = spawn(receive());
      for (int i = 0; i != 4; ++i) co_await yield();
      EXPECT_TRUE(some.try_send(std::make_unique<int>(5)).has_value()); // promised to the first
      first.abort();
      EXPECT_TRUE((co_await first).is_stopped());
      EXPECT_EQ((co_await second).value(), 5);
      auto third = spawn(receive());
      for (int i = 0; i != 4; ++i) co_await yield();
      EXPECT_TRUE(some.try_send(std::make_unique<int>(6)).has_value());
      third.abort();
      EXPECT_TRUE((co_await third).is_stopped());
      EXPECT_EQ(**some.try_receive(), 6); // free again
    };
    rt->spawn(body()).wait().value();
  }
}

TEST(channel, stopped_sender_has_sent_all_or_nothing_and_its_value_is_destroyed_once) {
  for (std::size_t capacity : capacities) {
    detail::atomic<int> destroyed{0};
    channel<destruction_probe> some(capacity);
    live_runtime rt({.permits = 1});
    auto fill = [&] {
      for (std::size_t i = 0; i != capacity; ++i) EXPECT_TRUE(some.try_send(destruction_probe(destroyed)).has_value());
    };
    auto send = [&]() -> task<> { static_cast<void>(co_await some.send(destruction_probe(destroyed))); };
    auto body = [&]() -> task<> {
      fill();
      auto sender = spawn(send());
      for (int i = 0; i != 4; ++i) co_await yield();
      sender.abort();
      EXPECT_TRUE((co_await sender).is_stopped());
      EXPECT_EQ(destroyed.load(), 1);
      EXPECT_EQ(some.size(), capacity);
    };
    rt->spawn(body()).wait().value();
    while (some.try_receive().has_value()) {
    }
    EXPECT_EQ(destroyed.load(), static_cast<int>(capacity) + 1);
  }
}

TEST(channel, close_races_suspend_and_nobody_is_left_waiting) { // peers.md 4
  live_runtime rt({.permits = 2});
  for (std::size_t capacity : capacities) {
    for (int round = 0; round != 100; ++round) {
      channel<int> some(capacity);
      auto send = [&]() -> task<bool> { co_return (co_await some.send(1)).has_value(); };
      auto receive = [&]() -> task<bool> { co_return (co_await some.receive()).has_value(); };
      std::vector<join_handle<bool>> senders;
      std::vector<join_handle<bool>> receivers;
      for (int i = 0; i != 3; ++i) {
        senders.push_back(rt->spawn(send()));
        receivers.push_back(rt->spawn(receive()));
      }
      some.close();
      std::size_t sent = 0;
      std::size_t received = 0;
      for (auto& each : senders) sent += each.wait().value() ? 1U : 0U;
      for (auto& each : receivers) received += each.wait().value() ? 1U : 0U;
      EXPECT_EQ(sent, received + some.size());
    }
  }
}

TEST(channel, storm_of_stops_loses_and_doubles_no_value) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    live_runtime rt({.permits = count});
    for (std::size_t capacity : capacities) {
      for (int round = 0; round != 20; ++round) {
        channel<int> numbers(capacity);
        detail::atomic<long> sent{0};
        detail::atomic<long> received{0};
        stop_source source;
        // A receiver takes one value in each life; what it took counts before it can be stopped again.
        auto receive = [&](bool with_token) -> task<> {
          for (;;) {
            if (with_token) {
              auto outcome = co_await with_stop(source.get_token(), numbers.receive());
              if (outcome.is_stopped()) co_return;
              if (!outcome.value().has_value()) co_return;
              received.fetch_add(*outcome.value());
            } else {
              auto value = co_await numbers.receive();
              if (!value.has_value()) co_return;
              received.fetch_add(*value);
            }
          }
        };
        auto send = [&](int from) -> task<> {
          for (int i = 0; i != 50; ++i) {
            if (!(co_await numbers.send(from + i)).has_value()) co_return;
            sent.fetch_add(from + i);
          }
        };
        std::vector<join_handle<void>> senders;
        std::vector<join_handle<void>> receivers;
        for (int i = 0; i != 6; ++i) receivers.push_back(rt->spawn(receive(i % 3 == 2)));
        for (int i = 0; i != 3; ++i) senders.push_back(rt->spawn(send(1000 * i)));
        for (std::size_t i = 0; i < receivers.size(); i += 3) receivers[i].abort();
        source.request_stop();
        for (auto& each : senders) each.wait().value(); // two receivers are left
        numbers.close();
        for (auto& each : receivers) static_cast<void>(each.wait());
        ASSERT_EQ(sent.load(), received.load());
        ASSERT_EQ(numbers.size(), 0U);
      }
    }
  }
}

TEST(channel, receiver_may_destroy_it_after_the_last_value) { // peers.md 12
  live_runtime rt({.permits = 2});
  for (waiting_way way : all_ways) {
    for (int round = 0; round != 200; ++round) {
      auto one = std::make_unique<channel<int>>(1);
      auto* at = one.get();
      way_runner runner(*rt);
      runner.start(
          way,
          [&]() -> task<> {
            EXPECT_EQ((co_await one->receive()).value(), 1);
            one.reset();
          },
          [&] {
            EXPECT_EQ(one->receive().wait().value(), 1);
            one.reset();
          });
      EXPECT_TRUE(at->try_send(1).has_value());
    }
  }
}

} // namespace
} // namespace weir::testing
