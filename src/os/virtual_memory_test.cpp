// SPDX-License-Identifier: Apache-2.0
#include "os/virtual_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using namespace weir::rt::os;

void write(std::byte* at) { *const_cast<volatile std::byte*>(at) = std::byte{1}; }

TEST(virtual_memory, sizes_round_up_to_pages_and_do_not_wrap) {
  EXPECT_EQ(round_up_to_pages(0), 0u);
  EXPECT_EQ(round_up_to_pages(1), page_bytes());
  EXPECT_EQ(round_up_to_pages(page_bytes()), page_bytes());
  EXPECT_EQ(round_up_to_pages(~std::size_t{0}), 0u);
}

TEST(virtual_memory, committed_memory_reads_zero_and_keeps_its_content_when_more_is_committed) {
  auto range = address_range::reserve(std::size_t{1} << 36);
  ASSERT_TRUE(range.has_value());
  ASSERT_TRUE(range->commit(0, page_bytes()).has_value());
  EXPECT_EQ(range->data()[17], std::byte{0});
  range->data()[17] = std::byte{42};
  ASSERT_TRUE(range->commit(0, 3 * page_bytes()).has_value());
  EXPECT_EQ(range->data()[17], std::byte{42});
  EXPECT_EQ(range->data()[2 * page_bytes()], std::byte{0});
}

TEST(virtual_memory, decommitted_and_discarded_memory_reads_zero_when_it_is_back) {
  auto range = address_range::reserve(4 * page_bytes());
  ASSERT_TRUE(range && range->commit(0, 4 * page_bytes()));
  range->data()[0] = range->data()[page_bytes()] = std::byte{9};
  range->discard(0, page_bytes());
  EXPECT_EQ(range->data()[0], std::byte{0});
  ASSERT_TRUE(range->decommit(page_bytes(), page_bytes()));
  ASSERT_TRUE(range->commit(page_bytes(), page_bytes()));
  EXPECT_EQ(range->data()[page_bytes()], std::byte{0});
}

TEST(virtual_memory, huge_memory_is_aligned_to_its_size_and_zero) {
  for (std::size_t bytes : {page_bytes(), std::size_t{2} << 20}) {
    auto* data = static_cast<std::byte*>(map_huge(bytes));
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % bytes, 0u);
    EXPECT_EQ(data[0], std::byte{0});
    EXPECT_EQ(data[bytes - 1], std::byte{0});
    write(data + bytes - 1);
    unmap(data, bytes);
  }
  EXPECT_EQ(map_huge(std::size_t{1} << 62), nullptr);
}

TEST(virtual_memory, a_range_that_does_not_fit_is_an_error) {
  auto range = address_range::reserve(std::size_t{1} << 62);
  ASSERT_FALSE(range.has_value());
  EXPECT_EQ(range.error(), std::errc::not_enough_memory);
}

TEST(virtual_memory, moving_leaves_the_source_empty) {
  auto range = address_range::reserve(1);
  ASSERT_TRUE(range.has_value());
  std::byte* data = range->data();
  address_range other = std::move(*range);
  EXPECT_TRUE(range->empty());
  EXPECT_EQ(other.data(), data);
}

TEST(virtual_memory_death_test, reserved_decommitted_and_guarded_parts_fault) {
  auto range = address_range::reserve(4 * page_bytes());
  ASSERT_TRUE(range && range->commit(0, 3 * page_bytes()));
  ASSERT_TRUE(range->guard(page_bytes(), page_bytes()));
  ASSERT_TRUE(range->decommit(2 * page_bytes(), page_bytes()));
  write(range->data() + page_bytes() - 1);
  EXPECT_DEATH(write(range->data() + page_bytes()), "");
  EXPECT_DEATH(write(range->data() + 2 * page_bytes() - 1), "");
  EXPECT_DEATH(write(range->data() + 2 * page_bytes()), "");
  EXPECT_DEATH(write(range->data() + 3 * page_bytes()), "");
}

TEST(virtual_memory_death_test, a_part_outside_the_range_is_a_broken_contract) {
  auto range = address_range::reserve(2 * page_bytes());
  ASSERT_TRUE(range.has_value());
  EXPECT_DEATH(static_cast<void>(range->commit(page_bytes(), 2 * page_bytes())), "inside the reserved range");
  EXPECT_DEATH(static_cast<void>(range->commit(1, page_bytes())), "whole pages");
}

} // namespace
