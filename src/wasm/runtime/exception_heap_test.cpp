// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/exception_heap.hpp"

#include <gtest/gtest.h>

namespace weir::wasm::detail {
namespace {

std::uint64_t bits_of(const exception_object& object) { return reference_to(&object); }

void fill(exception_heap& heap, tag_object& tag) {
  while (!heap.is_due()) heap.add(tag, nullptr, 0);
}

TEST(exception_heap, what_nobody_names_is_freed) {
  exception_heap heap;
  tag_object tag;
  fill(heap, tag);
  heap.begin();
  heap.finish();
  EXPECT_EQ(heap.size(), 0u);
}

TEST(exception_heap, a_root_keeps_what_its_values_name) {
  exception_heap heap;
  tag_object tag;
  const std::uint64_t number = 42;
  const exception_object& inner = heap.add(tag, &number, 1);
  const std::uint64_t link = bits_of(inner);
  const exception_object& outer = heap.add(tag, &link, 1);
  fill(heap, tag);
  heap.begin();
  heap.mark(bits_of(outer));
  heap.finish();
  EXPECT_EQ(heap.size(), 2u);
  EXPECT_EQ(inner.values.at(0), 42u);
}

TEST(exception_heap, numbers_that_are_no_address_keep_nothing) {
  exception_heap heap;
  tag_object tag;
  const exception_object& one = heap.add(tag, nullptr, 0);
  heap.begin();
  heap.mark(0);
  heap.mark(bits_of(one) + 1);
  heap.mark(~std::uint64_t{0});
  heap.finish();
  EXPECT_EQ(heap.size(), 0u);
}

TEST(exception_heap, a_pinned_exception_stays) {
  exception_heap heap;
  tag_object tag;
  heap.add(tag, nullptr, 0).is_pinned = true;
  heap.begin();
  heap.finish();
  EXPECT_EQ(heap.size(), 1u);
}

TEST(exception_heap, the_next_collection_waits_for_twice_as_many) {
  exception_heap heap;
  tag_object tag;
  fill(heap, tag);
  const std::size_t first = heap.size();
  for (int i = 0; i < 3000; ++i) heap.add(tag, nullptr, 0).is_pinned = true;
  heap.begin();
  heap.finish();
  EXPECT_EQ(heap.size(), 3000u);
  fill(heap, tag);
  EXPECT_EQ(heap.size(), 6000u);
  EXPECT_LT(first, 3000u);
}

} // namespace
} // namespace weir::wasm::detail
