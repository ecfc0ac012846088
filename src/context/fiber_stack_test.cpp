// SPDX-License-Identifier: Apache-2.0
#include "context/fiber_stack.hpp"

#include <gtest/gtest.h>

namespace {

using namespace weir::rt;

TEST(fiber_stack, a_stack_has_whole_pages_above_its_guard_page) {
  auto stack = fiber_stack::map(10'000);
  ASSERT_TRUE(stack.has_value());
  EXPECT_EQ(stack->usable().size(), os::round_up_to_pages(10'000));
  stack->usable().front() = stack->usable().back() = std::byte{1};
}

TEST(fiber_stack, a_stack_that_does_not_fit_is_an_error_and_counts_as_not_in_use) {
  EXPECT_FALSE(fiber_stack::map(~std::size_t{0}).has_value());
  stack_pool pool({.stack_bytes = std::size_t{1} << 60});
  EXPECT_EQ(pool.take().error(), std::errc::not_enough_memory);
  EXPECT_EQ(pool.counts().in_use, 0u);
}

TEST(fiber_stack, the_newest_stack_is_reused_first) {
  stack_pool pool({.stack_bytes = 16'384});
  auto first = pool.take();
  auto second = pool.take();
  std::byte* newest = second->usable().data();
  pool.give(std::move(*first));
  pool.give(std::move(*second));
  auto third = pool.take();
  EXPECT_EQ(third->usable().data(), newest);
  EXPECT_EQ(pool.counts().mapped_ever, 2u);
  pool.give(std::move(*third));
}

TEST(fiber_stack, a_pool_keeps_no_more_than_its_bound_and_trim_empties_it) {
  stack_pool pool({.stack_bytes = 16'384, .max_cached = 2});
  std::vector<fiber_stack> taken;
  for (int i = 0; i < 5; ++i) taken.push_back(std::move(pool.take().value()));
  EXPECT_EQ(pool.counts().in_use, 5u);
  for (fiber_stack& stack : taken) pool.give(std::move(stack));
  EXPECT_EQ(pool.counts().in_use, 0u);
  EXPECT_EQ(pool.counts().cached, 2u);
  pool.trim();
  EXPECT_EQ(pool.counts().cached, 0u);
}

TEST(fiber_stack_death_test, the_page_below_the_stack_faults) {
  auto stack = fiber_stack::map(16'384);
  ASSERT_TRUE(stack.has_value());
  auto write_at = [&](std::ptrdiff_t offset) {
    *const_cast<volatile std::byte*>(stack->usable().data() + offset) = std::byte{1};
  };
  write_at(0);
  EXPECT_DEATH(write_at(-1), "");
  EXPECT_DEATH(write_at(-static_cast<std::ptrdiff_t>(os::page_bytes())), "");
}

} // namespace
