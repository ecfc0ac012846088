// SPDX-License-Identifier: Apache-2.0
#include "wasi/guest_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace weir::wasi {
namespace {

TEST(guest_memory, a_slice_ends_at_the_last_byte_and_not_after_it) {
  std::array<std::byte, 16> bytes{};
  const guest_memory memory{bytes};
  EXPECT_TRUE(memory.contains(12, 4));
  EXPECT_TRUE(memory.contains(16, 0));
  EXPECT_FALSE(memory.contains(13, 4));
  EXPECT_FALSE(memory.contains(17, 0));
  EXPECT_FALSE(memory.load<std::uint32_t>(13).has_value());
}

TEST(guest_memory, an_address_and_a_size_whose_sum_overflows_are_outside) {
  std::array<std::byte, 16> bytes{};
  const guest_memory memory{bytes};
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_FALSE(memory.contains(most, 2));
  EXPECT_FALSE(memory.contains(2, most));
  EXPECT_FALSE(memory.contains(most, most));
  EXPECT_FALSE(memory.contains(0xffff'fffc, 8));
}

TEST(guest_memory, a_memory_without_bytes_has_only_the_empty_slice) {
  EXPECT_TRUE(guest_memory{}.contains(0, 0));
  EXPECT_FALSE(guest_memory{}.contains(0, 1));
}

TEST(guest_memory, numbers_are_stored_at_any_alignment_and_in_little_endian_order) {
  std::array<std::byte, 16> bytes{};
  const guest_memory memory{bytes};
  EXPECT_TRUE(memory.store(3, std::uint32_t{0x01020304}));
  EXPECT_EQ(bytes[3], std::byte{4});
  EXPECT_EQ(bytes[6], std::byte{1});
  EXPECT_EQ(memory.load<std::uint32_t>(3), 0x01020304u);
}

} // namespace
} // namespace weir::wasi
