// SPDX-License-Identifier: Apache-2.0
#include "wasi/fd_table.hpp"

#include "wasi/testing.hpp"

namespace weir::wasi {
namespace {

using abi::errc;

descriptor readable() {
  descriptor made;
  made.can_read = true;
  return made;
}

descriptor preopened() {
  descriptor made;
  made.type = rt::os::file_type::directory;
  made.preopen_name = "/box";
  return made;
}

TEST(fd_table, the_lowest_free_number_is_given) {
  fd_table files{10};
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(files.insert({}).value(), i);
  EXPECT_EQ(files.remove(2), errc::success);
  EXPECT_EQ(files.remove(1), errc::success);
  EXPECT_EQ(files.insert({}).value(), 1u);
  EXPECT_EQ(files.insert({}).value(), 2u);
  EXPECT_EQ(files.insert({}).value(), 4u);
}

TEST(fd_table, the_limit_counts_what_is_open) {
  fd_table files{2};
  EXPECT_TRUE(files.insert({}).has_value());
  EXPECT_TRUE(files.insert({}).has_value());
  EXPECT_EQ(files.insert({}).error(), errc::mfile);
  EXPECT_EQ(files.remove(0), errc::success);
  EXPECT_EQ(files.insert({}).value(), 0u);
}

TEST(fd_table, a_number_that_is_not_open_is_bad) {
  fd_table files{4};
  EXPECT_EQ(files.find(0), nullptr);
  EXPECT_EQ(files.find(0xffff'ffff), nullptr);
  EXPECT_EQ(files.remove(0), errc::badf);
  (void)files.insert({});
  EXPECT_EQ(files.remove(0), errc::success);
  EXPECT_EQ(files.remove(0), errc::badf);
}

TEST(fd_table, renumbering_moves_the_descriptor_with_what_it_may_do) {
  fd_table files{4};
  (void)files.insert({});
  (void)files.insert(readable());
  EXPECT_EQ(files.renumber(1, 0), errc::success);
  EXPECT_TRUE(files.find(0)->can_read);
  EXPECT_FALSE(files.find(0)->can_write);
  EXPECT_EQ(files.find(1), nullptr);
  EXPECT_EQ(files.insert({}).value(), 1u);
}

TEST(fd_table, renumbering_needs_both_numbers_open) {
  fd_table files{4};
  (void)files.insert({});
  EXPECT_EQ(files.renumber(0, 1), errc::badf);
  EXPECT_EQ(files.renumber(1, 0), errc::badf);
  EXPECT_EQ(files.renumber(0, 0), errc::success);
}

TEST(fd_table, a_preopened_directory_keeps_its_number) {
  fd_table files{4};
  (void)files.insert(preopened());
  (void)files.insert(readable());
  EXPECT_EQ(files.renumber(0, 1), errc::notsup);
  EXPECT_EQ(files.renumber(1, 0), errc::notsup);
  EXPECT_TRUE(files.find(0)->preopen_name.has_value());
  EXPECT_TRUE(files.find(1)->can_read);
}

} // namespace
} // namespace weir::wasi
