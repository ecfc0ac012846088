// SPDX-License-Identifier: Apache-2.0
#include "base/mpsc_stack.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace {

using weir::rt::mpsc_stack;
using weir::rt::stack_link;

struct item : stack_link<> {
  int producer = 0;
  int number = 0;
};

TEST(mpsc_stack, elements_are_taken_oldest_first_and_only_the_first_push_reports_empty) {
  mpsc_stack<item> stack;
  item a, b;
  EXPECT_TRUE(stack.push(a));
  EXPECT_FALSE(stack.push(b));
  auto taken = stack.take_all();
  EXPECT_TRUE(stack.is_empty());
  EXPECT_EQ(taken.pop(), &a);
  EXPECT_EQ(taken.pop(), &b);
  EXPECT_EQ(taken.pop(), nullptr);
}

TEST(mpsc_stack, every_element_of_many_producers_is_taken_once_and_in_each_producers_order) {
  constexpr int producers = 3;
  constexpr int each = 20'000;
  mpsc_stack<item> stack;
  std::vector<std::unique_ptr<item[]>> items;
  for (int p = 0; p < producers; ++p) items.push_back(std::make_unique<item[]>(each));
  std::vector<std::thread> threads;
  for (int p = 0; p < producers; ++p) {
    threads.emplace_back([&, p] {
      for (int i = 0; i < each; ++i) {
        item& mine = items[static_cast<std::size_t>(p)][static_cast<std::size_t>(i)];
        mine.producer = p;
        mine.number = i;
        stack.push(mine);
      }
    });
  }
  int next[producers] = {};
  for (int taken = 0; taken < producers * each;) {
    auto chain = stack.take_all();
    while (item* one = chain.pop()) {
      ASSERT_EQ(one->number, next[one->producer]++);
      ++taken;
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(stack.is_empty());
}

} // namespace
