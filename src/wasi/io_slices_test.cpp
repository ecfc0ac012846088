// SPDX-License-Identifier: Apache-2.0
#include "wasi/io_slices.hpp"

#include "wasi/testing.hpp"

namespace weir::wasi {
namespace {

using testing::errc;
using testing::fake_memory;

TEST(io_slices, empty_pieces_are_left_out) {
  fake_memory memory;
  io_slices slices;
  EXPECT_EQ(slices.load(memory.view(), memory.vector({{100, 0}, {200, 5}, {300, 0}, {400, 6}}), 4), errc::success);
  EXPECT_EQ(slices.pieces().size(), 2u);
  EXPECT_EQ(slices.bytes(), 11u);
}

TEST(io_slices, an_array_that_does_not_fit_into_the_memory_is_a_fault) {
  fake_memory memory;
  io_slices slices;
  EXPECT_EQ(slices.load(memory.view(), memory.size() - 8, 2), errc::fault);
  EXPECT_EQ(slices.load(memory.view(), 0, 0xffff'ffff), errc::fault);
  EXPECT_EQ(slices.load(memory.view(), 0xffff'fff8, 1), errc::fault);
}

TEST(io_slices, a_piece_that_does_not_fit_into_the_memory_is_a_fault) {
  fake_memory memory;
  for (const auto& [buf, len] : {std::pair{memory.size() - 4, 5u}, {0u, 0xffff'ffffu}, {0xffff'ffffu, 1u}}) {
    io_slices slices;
    EXPECT_EQ(slices.load(memory.view(), memory.vector({{64, 1}, {buf, len}}), 2), errc::fault);
  }
}

TEST(io_slices, a_longer_array_is_cut_to_1024_pieces) {
  fake_memory memory;
  const auto array = memory.room(3000 * 8);
  for (testing::u32 i = 0; i < 3000; ++i) {
    memory.set(array + 8 * i, testing::u32{64});
    memory.set(array + 8 * i + 4, testing::u32{2});
  }
  io_slices slices;
  EXPECT_EQ(slices.load(memory.view(), array, 3000), errc::success);
  EXPECT_EQ(slices.pieces().size(), 1024u);
  EXPECT_EQ(slices.bytes(), 2048u);
}

TEST(io_slices, the_sum_is_cut_below_two_to_the_31) {
  fake_memory memory{std::size_t{5} << 20};
  const auto array = memory.room(1024 * 8);
  for (testing::u32 i = 0; i < 1024; ++i) {
    memory.set(array + 8 * i, testing::u32{0});
    memory.set(array + 8 * i + 4, testing::u32{4} << 20);
  }
  io_slices slices;
  EXPECT_EQ(slices.load(memory.view(), array, 1024), errc::success);
  EXPECT_EQ(slices.bytes(), io_slices::most_bytes);
}

TEST(io_slices, advancing_goes_over_whole_pieces_and_into_the_next) {
  fake_memory memory;
  io_slices slices;
  EXPECT_EQ(slices.load(memory.view(), memory.vector({{100, 3}, {200, 5}}), 2), errc::success);
  slices.advance(3);
  EXPECT_EQ(slices.pieces().size(), 1u);
  slices.advance(2);
  EXPECT_EQ(slices.pieces().front().size, 3u);
  EXPECT_EQ(slices.pieces().front().data, memory.view().slice(202, 1)->data());
  slices.advance(3);
  EXPECT_TRUE(slices.empty());
  EXPECT_TRUE(slices.pieces().empty());
}

} // namespace
} // namespace weir::wasi
