// SPDX-License-Identifier: Apache-2.0
#include "base/intrusive_list.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using weir::rt::intrusive_list;
using weir::rt::list_link;

struct second_tag {};
struct item : list_link<>, list_link<second_tag> {
  explicit item(int v) : value(v) {}
  int value;
};

std::vector<int> drain(intrusive_list<item>& list) {
  std::vector<int> values;
  while (item* next = list.pop_front()) values.push_back(next->value);
  return values;
}

TEST(intrusive_list, elements_leave_in_the_order_they_came) {
  intrusive_list<item> list;
  item a(1), b(2), c(3);
  list.push_back(a);
  list.push_back(b);
  list.push_front(c);
  EXPECT_EQ(list.size(), 3u);
  EXPECT_EQ(list.back().value, 2);
  EXPECT_EQ(drain(list), (std::vector{3, 1, 2}));
  EXPECT_EQ(list.pop_front(), nullptr);
  EXPECT_EQ(list.pop_back(), nullptr);
}

TEST(intrusive_list, an_element_leaves_from_the_middle_and_can_come_back) {
  intrusive_list<item> list;
  item a(1), b(2), c(3);
  for (item* each : {&a, &b, &c}) list.push_back(*each);
  list.erase(b);
  EXPECT_FALSE(static_cast<list_link<>&>(b).is_linked());
  list.push_back(b);
  EXPECT_EQ(drain(list), (std::vector{1, 3, 2}));
}

TEST(intrusive_list, splice_keeps_order_and_counts) {
  intrusive_list<item> list;
  intrusive_list<item> other;
  item a(1), b(2), c(3);
  list.push_back(a);
  other.push_back(b);
  other.push_back(c);
  list.splice_back(other);
  EXPECT_TRUE(other.empty());
  EXPECT_EQ(other.size(), 0u);
  intrusive_list<item> moved(std::move(list));
  EXPECT_EQ(moved.size(), 3u);
  EXPECT_EQ(drain(moved), (std::vector{1, 2, 3}));
}

TEST(intrusive_list, one_element_is_on_two_lists_with_different_tags) {
  intrusive_list<item> first;
  intrusive_list<item, second_tag> second;
  item a(1);
  first.push_back(a);
  second.push_back(a);
  first.erase(a);
  EXPECT_EQ(second.pop_front(), &a);
}

TEST(intrusive_list, for_each_allows_erasing_the_visited_element) {
  intrusive_list<item> list;
  item a(1), b(2), c(3);
  for (item* each : {&a, &b, &c}) list.push_back(*each);
  list.for_each([&](item& each) {
    if (each.value != 2) list.erase(each);
  });
  EXPECT_EQ(drain(list), (std::vector{2}));
}

} // namespace
