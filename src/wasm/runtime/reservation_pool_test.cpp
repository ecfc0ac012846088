// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/reservation_pool.hpp"

#include <gtest/gtest.h>

namespace weir::wasm::detail {
namespace {

TEST(reservation_pool, committed_bytes_are_zero_and_writable) {
  reservation_pool pool;
  auto taken = pool.take(2 * page_bytes, 4 * page_bytes);
  ASSERT_TRUE(taken) << taken.error().to_string();
  std::byte* base = taken->range.data();
  EXPECT_EQ(base[0], std::byte{0});
  base[2 * page_bytes - 1] = std::byte{7};
  EXPECT_EQ(base[2 * page_bytes - 1], std::byte{7});
  pool.give_back(*taken, 2 * page_bytes);
}

TEST(reservation_pool, a_range_given_back_is_used_again_and_zero) {
  reservation_pool pool;
  auto first = pool.take(page_bytes, page_bytes);
  ASSERT_TRUE(first);
  std::byte* base = first->range.data();
  base[17] = std::byte{1};
  pool.give_back(*first, page_bytes);
  EXPECT_EQ(pool.idle(), 1u);
  auto second = pool.take(page_bytes, page_bytes);
  ASSERT_TRUE(second);
  EXPECT_EQ(pool.idle(), 0u);
  EXPECT_EQ(second->range.data(), base);
  EXPECT_EQ(base[17], std::byte{0});
}

TEST(reservation_pool, a_memory_of_no_pages_has_a_range) {
  reservation_pool pool;
  auto taken = pool.take(0, 0);
  ASSERT_TRUE(taken);
  EXPECT_NE(taken->range.data(), nullptr);
}

TEST(reservation_pool, without_room_for_a_whole_range_the_maximum_is_reserved) {
  reservation_pool pool{std::size_t{1} << 62};
  auto taken = pool.take(page_bytes, 10 * page_bytes);
  ASSERT_TRUE(taken) << taken.error().to_string();
  EXPECT_EQ(taken->usable, 10 * page_bytes);
  EXPECT_TRUE(taken->range.commit(page_bytes, 9 * page_bytes));
  pool.give_back(*taken, 10 * page_bytes);
  EXPECT_EQ(pool.idle(), 0u);
}

TEST(reservation_pool, without_room_for_the_maximum_a_part_of_it_is_reserved) {
  reservation_pool pool{std::size_t{1} << 62};
  auto taken = pool.take(page_bytes, std::uint64_t{1} << 62);
  ASSERT_TRUE(taken) << taken.error().to_string();
  EXPECT_GE(taken->usable, page_bytes);
  EXPECT_LT(taken->usable, std::uint64_t{1} << 48);
  EXPECT_EQ(taken->usable % page_bytes, 0u);
}

TEST(reservation_pool, without_any_address_space_the_error_says_so) {
  reservation_pool pool{std::size_t{1} << 62};
  auto taken = pool.take(std::uint64_t{1} << 61, std::uint64_t{1} << 61);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, errc::limit_exceeded);
  EXPECT_NE(taken.error().message.find("there is no address space for a memory of"), std::string::npos);
}

} // namespace
} // namespace weir::wasm::detail
