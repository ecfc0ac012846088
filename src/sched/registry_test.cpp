// SPDX-License-Identifier: Apache-2.0
#include "sched/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

namespace weir::rt {
namespace {

struct listed_task final : detail::task_header {
  explicit listed_task(std::uint64_t word) : task_header(none, detail::task_kind::coroutine) { state.store(word); }

private:
  static constexpr detail::task_operations none{};
};

// The lists of permits, which their holders use without a lock, and the shared ones.
class registry_lists : public ::testing::TestWithParam<bool> {
public:
  bool add(listed_task& task) { return GetParam() ? all.add_here(task, 0) : all.add(task, 3); }

  registry all{1};
  task_chain owned;
};

TEST_P(registry_lists, close_asks_every_task_to_stop_and_owns_the_parked_ones) {
  listed_task parked(task_state::join);
  listed_task queued(task_state::initial);
  listed_task running(task_state::running);
  for (listed_task* each : {&parked, &queued, &running}) EXPECT_TRUE(add(*each));
  EXPECT_EQ(all.totals().spawned, 3u);
  EXPECT_FALSE(all.close(owned));
  EXPECT_EQ(owned.pop_front(), &parked);
  EXPECT_EQ(owned.pop_front(), nullptr);
  for (listed_task* each : {&parked, &queued, &running}) EXPECT_NE(each->state.load() & task_state::cancel, 0u);
  EXPECT_FALSE(all.remove(queued, 0));
  EXPECT_FALSE(all.remove(parked, 0));
  EXPECT_TRUE(all.remove(running, 0));
}

TEST_P(registry_lists, closed_registry_admits_nothing) { // C39
  EXPECT_TRUE(all.close(owned));
  EXPECT_EQ(owned.size, 0u);
  listed_task late(task_state::initial);
  EXPECT_FALSE(add(late));
}

TEST_P(registry_lists, what_left_before_the_close_is_not_waited_for) {
  listed_task gone(task_state::running);
  listed_task stays(task_state::running);
  EXPECT_TRUE(add(gone));
  EXPECT_TRUE(add(stays));
  EXPECT_FALSE(all.remove(gone, 0));
  EXPECT_FALSE(all.close(owned));
  EXPECT_TRUE(all.remove(stays, 0));
}

INSTANTIATE_TEST_SUITE_P(registry, registry_lists, ::testing::Bool(),
                         [](const auto& at) { return at.param ? "of_a_permit" : "shared"; });

TEST(registry, removers_that_race_learn_that_it_is_drained) {
  for (int round = 0; round != 500; ++round) {
    registry all(2);
    task_chain owned;
    listed_task one(task_state::running);
    listed_task other(task_state::running);
    ASSERT_TRUE(all.add_here(one, 0));
    ASSERT_TRUE(all.add(other, 1));
    EXPECT_FALSE(all.close(owned));
    bool first_learns = false;
    std::thread first([&] { first_learns = all.remove(one, 0); });
    bool second_learns = all.remove(other, 1);
    first.join();
    EXPECT_NE(first_learns, second_learns);
  }
}

TEST(registry, complete_tasks_of_another_permit_leave_by_its_holder) {
  registry all(2);
  listed_task mine(task_state::complete);
  listed_task other(task_state::running);
  ASSERT_TRUE(all.add_here(mine, 0));
  ASSERT_TRUE(all.add_here(other, 0));
  EXPECT_FALSE(all.is_near(mine, 1));
  task_chain left;
  left.push_back(mine);
  EXPECT_FALSE(all.at(0).leave(left).is_closed);
  EXPECT_TRUE(all.at(0).has_leaving());
  std::size_t counted = 0;
  task_chain gone = all.at(0).collect(true, counted);
  EXPECT_EQ(gone.pop_front(), &mine);
  EXPECT_EQ(counted, 0u);
  std::size_t seen = 0;
  all.visit([&](detail::task_header& task) { seen += &task == &other ? 1 : 100; });
  EXPECT_EQ(seen, 1u);
}

TEST(registry, leaver_learns_that_many_have_gathered) {
  registry all(2);
  std::vector<std::unique_ptr<listed_task>> made;
  for (std::size_t at = 1; at <= task_list::many; ++at) {
    listed_task& task = *made.emplace_back(std::make_unique<listed_task>(task_state::complete));
    ASSERT_TRUE(all.add_here(task, 0));
    task_chain left;
    left.push_back(task);
    EXPECT_EQ(all.at(0).leave(left).have_gathered, at == task_list::many);
  }
  std::size_t counted = 0;
  EXPECT_EQ(all.at(0).collect(false, counted).size, task_list::many);
  listed_task one_more(task_state::complete);
  ASSERT_TRUE(all.add_here(one_more, 0));
  task_chain left;
  left.push_back(one_more);
  EXPECT_FALSE(all.at(0).leave(left).have_gathered);
}

TEST(registry, tasks_that_leave_a_closed_list_are_counted) {
  registry all(2);
  task_chain owned;
  listed_task last(task_state::complete);
  ASSERT_TRUE(all.add_here(last, 0));
  EXPECT_FALSE(all.close(owned));
  task_chain left;
  left.push_back(last);
  EXPECT_TRUE(all.at(0).leave(left).is_closed); // the leaver must collect
  std::size_t counted = 0;
  EXPECT_EQ(all.at(0).collect(false, counted).size, 1u);
  EXPECT_EQ(counted, 1u);
  EXPECT_TRUE(all.count_removed(counted));
}

TEST(registry, visitor_and_owner_never_use_a_list_at_once) {
  registry all(1);
  constexpr int tasks = 20'000;
  std::vector<std::unique_ptr<listed_task>> made;
  for (int at = 0; at != tasks; ++at) made.push_back(std::make_unique<listed_task>(task_state::running));
  detail::atomic<bool> is_over{false};
  std::thread visitor([&] {
    std::size_t largest = 0;
    while (!is_over.load()) {
      std::size_t seen = 0;
      all.visit([&](detail::task_header&) { ++seen; });
      largest = std::max(largest, seen);
    }
    EXPECT_LE(largest, 2u);
  });
  for (int at = 0; at != tasks; ++at) {
    EXPECT_TRUE(all.add_here(*made[static_cast<std::size_t>(at)], 0));
    if (at == 0) continue;
    EXPECT_FALSE(all.remove(*made[static_cast<std::size_t>(at - 1)], 0));
  }
  is_over.store(true);
  visitor.join();
}

} // namespace
} // namespace weir::rt
