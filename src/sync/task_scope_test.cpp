// SPDX-License-Identifier: Apache-2.0
#include <weir/task_scope.hpp>

#include <weir/channel.hpp>
#include <weir/scoped_handle.hpp>

#include "sync/test_support.hpp"

#include <stdexcept>
#include <string>

namespace weir::testing {
namespace {

std::string text_of(const std::exception_ptr& what) {
  try {
    std::rethrow_exception(what);
  } catch (const std::exception& why) {
    return why.what();
  }
}

task<int> give(int value) {
  co_await yield();
  co_return value;
}

task<> fail_with(std::string what) {
  co_await yield();
  throw std::runtime_error(what);
}

TEST(task_scope, join_waits_for_every_child_and_for_its_captures) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    live_runtime rt({.permits = count});
    detail::atomic<int> destroyed{0};
    auto child = [](destruction_probe, int turns) -> task<> {
      for (int i = 0; i != turns; ++i) co_await yield();
    };
    auto body = [&]() -> task<> {
      for (int round = 0; round != 50; ++round) {
        destroyed.store(0);
        task_scope scope;
        for (int i = 0; i != 8; ++i) scope.spawn(child(destruction_probe(destroyed), i));
        scope.spawn_fiber([probe = destruction_probe(destroyed)] { this_fiber::yield(); });
        co_await scope.join();
        EXPECT_EQ(destroyed.load(), 9);
        EXPECT_EQ(scope.live(), 0U);
      }
    };
    rt->spawn(body()).wait().value();
  }
}

TEST(task_scope, children_give_values_through_their_handles) {
  live_runtime rt;
  auto body = [&]() -> task<> {
    task_scope scope;
    auto first = scope.spawn(give(1));
    auto second = scope.spawn_fiber([] { return std::string("two"); });
    EXPECT_EQ((co_await first).value(), 1);
    co_await scope.join();
    EXPECT_EQ((co_await second).value(), "two");
    auto third = scope.spawn(give(3)); // a scope goes on after a join
    co_await scope.join();
    EXPECT_EQ((co_await third).value(), 3);
  };
  rt->spawn(body()).wait().value();
  task_scope outside(*rt);
  auto value = outside.spawn(give(4));
  outside.join().wait();
  EXPECT_EQ(value.wait().value(), 4);
}

TEST(task_scope, first_error_stops_the_siblings_and_the_others_are_kept) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    live_runtime rt({.permits = count});
    event never;
    auto wait = [&]() -> task<> { co_await never; };
    // Fails while it is being stopped.
    detail::atomic<bool> is_late_running{false};
    auto fail_late = [&]() -> task<> {
      co_await yield();
      is_late_running.store(true);
      while (!this_task::stop_requested()) std::this_thread::yield();
      throw std::runtime_error("second");
    };
    auto body = [&]() -> task<> {
      task_scope scope;
      auto waiting = scope.spawn(wait());
      auto fiber = scope.spawn_fiber([&] { never.wait(); });
      if (count == 2) {
        scope.spawn(fail_late());
        while (!is_late_running.load()) co_await yield();
      }
      scope.spawn(fail_with("first"));
      std::string seen;
      try {
        co_await scope.join();
      } catch (const std::runtime_error& why) {
        seen = why.what();
      }
      EXPECT_EQ(seen, "first");
      EXPECT_TRUE((co_await waiting).is_stopped());
      EXPECT_TRUE((co_await fiber).is_stopped());
      auto errors = scope.errors();
      EXPECT_EQ(errors.size(), count);
      if (errors.size() == count) {
        EXPECT_EQ(text_of(errors.front()), "first");
        if (count == 2) {
          EXPECT_EQ(text_of(errors.back()), "second");
        }
      }
    };
    rt->spawn(body()).wait().value();
  }
}

TEST(task_scope, child_of_a_stopped_scope_never_runs) {
  live_runtime rt({.permits = 1});
  bool has_run = false;
  auto child = [&]() -> task<> {
    has_run = true;
    co_return;
  };
  auto body = [&]() -> task<> {
    task_scope scope;
    auto before = scope.spawn(child()); // queued, not polled yet
    EXPECT_TRUE(scope.request_stop());
    EXPECT_FALSE(scope.request_stop());
    auto after = scope.spawn(child());
    auto fiber = scope.spawn_fiber([&] { has_run = true; });
    co_await scope.join();
    EXPECT_TRUE((co_await before).is_stopped());
    EXPECT_TRUE((co_await after).is_stopped());
    EXPECT_TRUE((co_await fiber).is_stopped());
    EXPECT_TRUE(scope.get_token().stop_requested());
  };
  rt->spawn(body()).wait().value();
  EXPECT_FALSE(has_run);
}

TEST(task_scope, destroyed_with_live_children_stops_them_and_waits) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    live_runtime rt({.permits = count});
    event never;
    detail::atomic<int> destroyed{0};
    auto child = [&](destruction_probe) -> task<> { co_await never; };
    auto body = [&]() -> task<> {
      int here = 0; // what a child may refer to
      {
        task_scope scope;
        for (int i = 0; i != 4; ++i) scope.spawn(child(destruction_probe(destroyed)));
        scope.spawn_fiber([&] {
          destruction_probe probe(destroyed);
          ++here;
          never.wait();
        });
        for (int i = 0; i != 8; ++i) co_await yield();
      }
      EXPECT_EQ(destroyed.load(), here == 1 ? 5 : 4);
    };
    rt->spawn(body()).wait().value();
    { // from a plain thread
      destroyed.store(0);
      task_scope scope(*rt);
      scope.spawn(child(destruction_probe(destroyed)));
    }
    EXPECT_EQ(destroyed.load(), 1);
  }
}

TEST(task_scope, stop_of_the_owner_travels_down_the_tree) {
  for (std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    live_runtime rt({.permits = count});
    event never;
    detail::atomic<int> live{0};
    struct counted {
      detail::atomic<int>& count;
      explicit counted(detail::atomic<int>& of) : count(of) { count.fetch_add(1); }
      ~counted() { count.fetch_sub(1); }
    };
    struct tree {
      static task<> grow(event& never, detail::atomic<int>& live, int depth) {
        counted mine(live);
        if (depth == 0) {
          co_await never;
          co_return;
        }
        task_scope scope;
        for (int i = 0; i != 2; ++i) scope.spawn(grow(never, live, depth - 1));
        co_await scope.join();
      }
    };
    for (int round = 0; round != 5; ++round) {
      auto root = rt->spawn(tree::grow(never, live, 4));
      ASSERT_TRUE(eventually([&] { return live.load() == 31; }));
      root.abort();
      EXPECT_TRUE(root.wait().is_stopped());
      EXPECT_EQ(live.load(), 0);
    }
  }
}

TEST(task_scope, closing_the_runtime_ends_a_tree_of_scopes) {
  event never;
  detail::atomic<int> waiting{0};
  live_runtime rt({.permits = 2});
  struct tree {
    static task<> grow(event& never, detail::atomic<int>& waiting, int depth) {
      if (depth == 0) {
        waiting.fetch_add(1);
        co_await never;
        co_return;
      }
      task_scope scope;
      for (int i = 0; i != 3; ++i) scope.spawn(grow(never, waiting, depth - 1));
      co_await scope.join();
    }
  };
  auto root = rt->spawn(tree::grow(never, waiting, 3));
  ASSERT_TRUE(eventually([&] { return waiting.load() == 27; }));
  EXPECT_TRUE(rt->shutdown_for(60s));
  EXPECT_TRUE(root.wait().is_stopped());
}

TEST(task_scope, with_scope_gives_the_value_of_its_function_when_all_children_are_gone) {
  live_runtime rt;
  detail::atomic<int> ended{0};
  auto child = [&]() -> task<> {
    for (int i = 0; i != 20; ++i) co_await yield();
    ended.fetch_add(1);
  };
  auto function = [&](task_scope& scope) -> task<int> {
    for (int i = 0; i != 3; ++i) scope.spawn(child());
    co_return 7;
  };
  EXPECT_EQ(rt->spawn(with_scope(function)).wait().value(), 7);
  EXPECT_EQ(ended.load(), 3);
  auto failing = [&](task_scope& scope) -> task<> {
    scope.spawn(fail_with("child"));
    event never;
    co_await never; // is a child too, so it is stopped
  };
  EXPECT_THROW(rt->spawn(with_scope(failing)).wait().value(), std::runtime_error);
}

TEST(task_scope, joiner_may_destroy_the_scope_at_once) { // peers.md 12: scope_join_last_touch
  live_runtime rt({.permits = 2});
  for (int round = 0; round != 300; ++round) {
    auto scope = std::make_unique<task_scope>(*rt);
    scope->spawn(give(1));
    scope->spawn(give(2));
    scope->join().wait();
    scope.reset();
  }
}

TEST(task_scope, storm_of_errors_stops_and_owners_that_go_away) {
  live_runtime rt({.permits = 2});
  detail::atomic<int> live{0};
  auto child = [&](int kind, channel<int>& some) -> task<> {
    struct counted {
      detail::atomic<int>& count;
      explicit counted(detail::atomic<int>& of) : count(of) { count.fetch_add(1); }
      ~counted() { count.fetch_sub(1); }
    } mine(live);
    if (kind == 0) throw std::runtime_error("storm");
    if (kind == 1) static_cast<void>(co_await some.send(kind));
    if (kind == 2) static_cast<void>(co_await some.receive());
    for (int i = 0; i != kind; ++i) co_await yield();
  };
  auto owner = [&](int seed) -> task<> {
    channel<int> some;
    task_scope scope;
    for (int i = 0; i != 6; ++i) scope.spawn(child((seed + i) % (seed % 3 == 0 ? 5 : 7), some));
    if (seed % 2 == 0) co_await yield();
    if (seed % 4 == 1) scope.request_stop();
    some.close();
    co_await scope.join();
  };
  for (int round = 0; round != 100; ++round) {
    std::vector<join_handle<void>> owners;
    for (int i = 0; i != 6; ++i) owners.push_back(rt->spawn(owner(round + i)));
    for (std::size_t i = 0; i < owners.size(); i += 2) owners[i].abort();
    for (auto& each : owners) static_cast<void>(each.wait());
    ASSERT_EQ(live.load(), 0);
  }
}

TEST(task_scope, scoped_handle_stops_its_task_when_it_is_dropped) {
  live_runtime rt;
  event never;
  detail::atomic<int> destroyed{0};
  auto body = [&](destruction_probe) -> task<int> {
    co_await never;
    co_return 1;
  };
  {
    scoped_handle dropped(rt->spawn(body(destruction_probe(destroyed))));
    scoped_handle moved(std::move(dropped));
    EXPECT_FALSE(static_cast<bool>(dropped));
  }
  EXPECT_TRUE(eventually([&] { return destroyed.load() == 1; }));
  scoped_handle stopped(rt->spawn(body(destruction_probe(destroyed))));
  EXPECT_TRUE(stopped.abort_and_wait().is_stopped());
  EXPECT_EQ(destroyed.load(), 2);
  scoped_handle kept(rt->spawn(give(5)));
  EXPECT_EQ(kept.wait().value(), 5);
  auto released = scoped_handle(rt->spawn(give(6))).release();
  EXPECT_EQ(released.wait().value(), 6);
  auto from_task = [&]() -> task<> {
    scoped_handle mine(spawn(body(destruction_probe(destroyed))));
    EXPECT_TRUE((co_await mine.abort_and_join()).is_stopped());
  };
  rt->spawn(from_task()).wait().value();
}

} // namespace
} // namespace weir::testing
