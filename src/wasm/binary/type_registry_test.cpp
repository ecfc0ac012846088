// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/type_registry.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace weir::wasm::detail {
namespace {

TEST(type_registry, equal_types_have_equal_ids) {
  type_registry registry;
  const auto a = registry.intern({{i32}, {i64}});
  const auto b = registry.intern({{i64}, {i32}});
  EXPECT_NE(a, b);
  EXPECT_EQ(registry.intern({{i32}, {i64}}), a);
  EXPECT_NE(registry.intern({{i32, i64}, {}}), a);
  EXPECT_EQ(registry.size(), 3u);
  EXPECT_EQ(registry.type(b), (func_type{{i64}, {i32}}));
}

TEST(type_registry, threads_agree_on_ids) {
  type_registry registry;
  constexpr std::uint32_t count = 500;
  const auto type = [](std::uint32_t i) {
    return func_type{std::vector<value_type>(i % 25, i32), std::vector<value_type>(i / 25, f64)};
  };
  std::vector<std::uint32_t> ids[4];
  std::vector<std::thread> threads;
  for (auto& mine : ids)
    threads.emplace_back([&registry, &mine, &type] {
      for (std::uint32_t i = 0; i < count; ++i) mine.push_back(registry.intern(type(i)));
    });
  for (std::thread& one : threads) one.join();
  for (const auto& mine : ids) EXPECT_EQ(mine, ids[0]);
  EXPECT_EQ(registry.size(), count);
  for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(registry.type(ids[0][i]), type(i));
}

} // namespace
} // namespace weir::wasm::detail
