// SPDX-License-Identifier: Apache-2.0
// Stops of one task at a time: handles that outlive their task, and stops that are waited for.
#include <weir/event.hpp>
#include <weir/scoped_handle.hpp>

#include "sched/test_support.hpp"

#include <set>

namespace weir::testing {
namespace {

class abort_of_a_task : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(permits, abort_of_a_task, tested_permits);

task<int> give(int value) {
  co_await yield();
  co_return value;
}

TEST_P(abort_of_a_task, by_stale_handles_leaves_the_tasks_that_came_later_alone) { // test 56, C40
  manual_runtime rt({.permits = GetParam()});
  constexpr int count = 128;
  for (int round = 0; round != 8; ++round) {
    std::vector<abort_handle> stale;
    std::set<std::uint64_t> ids;
    for (int i = 0; i != count; ++i) {
      auto old = rt->spawn(give(i));
      stale.push_back(old.get_abort_handle());
      ids.insert(old.id());
      EXPECT_EQ(old.wait().value(), i);
    }
    EXPECT_EQ(ids.size(), std::size_t{count}); // a handle keeps its block: no later task is there
    std::vector<join_handle<int>> later;
    for (int i = 0; i != count; ++i) {
      later.push_back(rt->spawn(give(i)));
      EXPECT_FALSE(ids.contains(later.back().id()));
      stale[static_cast<std::size_t>(i)].abort();
    }
    for (const abort_handle& each : stale) each.abort();
    for (int i = 0; i != count; ++i) EXPECT_EQ(later[static_cast<std::size_t>(i)].wait().value(), i);
  }
}

TEST_P(abort_of_a_task, by_handles_of_a_block_that_is_used_again_leaves_its_new_task_alone) { // test 56, C40
  manual_runtime rt({.permits = GetParam()});
  std::set<std::uint64_t> places;
  [[maybe_unused]] int used_again = 0;
  for (int i = 0; i != 1000; ++i) {
    auto old = rt->spawn(give(i));
    if (!places.insert(old.id()).second) ++used_again;
    {
      abort_handle late = old.get_abort_handle();
      EXPECT_EQ(old.wait().value(), i);
      late.abort();
    } // the last reference: the block may be used again
    auto next = rt->spawn(give(-i));
    if (!places.insert(next.id()).second) ++used_again;
    EXPECT_EQ(next.wait().value(), -i);
  }
#if !WEIR_HAS_ASAN // which keeps freed memory away
  EXPECT_GT(used_again, 0);
#endif
}

TEST_P(abort_of_a_task, that_is_waited_for_ends_when_the_captures_are_gone) { // complaint 15
  event never;
  manual_runtime rt({.permits = GetParam()});
  for (int round = 0; round != 50; ++round) {
    detail::atomic<int> destroyed{0};
    auto body = [](event& until, destruction_probe) -> task<> { co_await until; };
    scoped_handle first(rt->spawn(body(never, destruction_probe(destroyed))));
    EXPECT_TRUE(first.abort_and_wait().is_stopped());
    EXPECT_EQ(destroyed.load(), 1);
    auto stops_and_joins = [&]() -> task<> {
      scoped_handle second(spawn(body(never, destruction_probe(destroyed))));
      if (round % 2 == 0) co_await yield();
      EXPECT_TRUE((co_await second.abort_and_join()).is_stopped());
      EXPECT_EQ(destroyed.load(), 2);
    };
    rt->spawn(stops_and_joins()).wait().value();
  }
}

TEST_P(abort_of_a_task, that_is_waited_for_beside_stale_handles_stops_only_its_own_task) { // test 56, complaint 15
  event signal;
  manual_runtime rt({.permits = GetParam()});
  auto body = [](event& until) -> task<int> {
    co_await until;
    co_return 42;
  };
  std::vector<abort_handle> stale;
  for (int i = 0; i != 128; ++i) {
    scoped_handle<int> old(rt->spawn(body(signal)));
    auto plain = old.release();
    stale.push_back(plain.get_abort_handle());
    scoped_handle<int> again(std::move(plain));
    EXPECT_TRUE(again.abort_and_wait().is_stopped());
  }
  scoped_handle lives(rt->spawn(body(signal)));
  scoped_handle stopped(rt->spawn(body(signal)));
  for (const abort_handle& each : stale) each.abort();
  EXPECT_TRUE(stopped.abort_and_wait().is_stopped());
  EXPECT_FALSE(lives.is_done());
  signal.set();
  EXPECT_EQ(lives.wait().value(), 42);
}

} // namespace
} // namespace weir::testing
