// SPDX-License-Identifier: Apache-2.0
#include "sched/registry.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace weir::rt {
namespace {

struct listed_task final : detail::task_header {
  explicit listed_task(std::uint64_t word) : task_header(none, detail::task_kind::coroutine) { state.store(word); }

private:
  static constexpr detail::task_operations none{};
};

TEST(registry, close_asks_every_task_to_stop_and_owns_the_parked_ones) {
  registry all(1);
  listed_task parked(task_state::join);
  listed_task queued(task_state::initial);
  listed_task running(task_state::running);
  for (listed_task* each : {&parked, &queued, &running}) EXPECT_TRUE(all.add(*each, 3));
  EXPECT_EQ(all.size(), 3u);
  task_chain owned = all.close();
  EXPECT_EQ(owned.pop_front(), &parked);
  EXPECT_EQ(owned.pop_front(), nullptr);
  for (listed_task* each : {&parked, &queued, &running}) EXPECT_NE(each->state.load() & task_state::cancel, 0u);
  EXPECT_FALSE(all.remove(queued));
  EXPECT_FALSE(all.remove(parked));
  EXPECT_TRUE(all.remove(running));
  EXPECT_TRUE(all.is_drained());
}

TEST(registry, closed_registry_admits_nothing) { // C39
  registry all(1);
  EXPECT_FALSE(all.is_drained());
  EXPECT_EQ(all.close().size, 0u);
  EXPECT_TRUE(all.is_drained());
  listed_task late(task_state::initial);
  EXPECT_FALSE(all.add(late, 0));
}

TEST(registry, removers_that_race_learn_that_it_is_drained) {
  for (int round = 0; round != 500; ++round) {
    registry all(1);
    listed_task one(task_state::running);
    listed_task other(task_state::running);
    ASSERT_TRUE(all.add(one, 0));
    ASSERT_TRUE(all.add(other, 1));
    EXPECT_EQ(all.close().size, 0u);
    bool first_learns = false;
    std::thread first([&] { first_learns = all.remove(one); });
    bool second_learns = all.remove(other);
    first.join();
    EXPECT_TRUE(first_learns || second_learns);
  }
}

} // namespace
} // namespace weir::rt
