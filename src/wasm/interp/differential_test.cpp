// SPDX-License-Identifier: Apache-2.0
// Random programs run with each optimisation off and in each test mode. Whatever the translator does to make code faster, and wherever a
// guest stops or its stack moves, results, traps and memory are the same.
#include "wasm/interp/random_module.hpp"
#include "wasm/runtime/test_support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace weir::wasm {
namespace {

using namespace testing;

std::string text_of(const value& one) {
  // Which NaN an operation gives is open.
  if (one.type == f32 && std::isnan(one.f32())) return "nan ";
  if (one.type == f64 && std::isnan(one.f64())) return "nan ";
  return std::to_string(one.bits) + " ";
}

/// Everything that can be seen of a few calls of each function.
std::string behaviour(std::uint64_t seed, const engine_options& options) {
  world w{options};
  const auto compiled = wasm::module::compile(w.machine, random_module{seed}.build());
  if (!compiled) return "invalid: " + compiled.error().to_string();
  const instance guest = expect(w.names.instantiate(w.guests, *compiled));
  std::string seen;
  for (std::uint32_t i = 0; i < random_module::functions; ++i) {
    const func callee = *guest.get_func("f" + std::to_string(i));
    for (const std::int32_t n : {0, 1, -7, 1 << 20}) {
      const value arguments[] = {n, std::int64_t{n} * 3, n / 8.0, 9 - n};
      const auto outcome = callee.call(w.guests, arguments);
      seen += outcome ? text_of(outcome->front()) : std::string{to_string(outcome.error().trap)} + " ";
    }
  }
  std::uint64_t sum = 14695981039346656037u;
  for (const std::byte one : guest.get_memory("memory")->bytes())
    sum = (sum ^ static_cast<std::uint64_t>(one)) * 1099511628211u;
  return seen + "memory " + std::to_string(sum);
}

class differential : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(differential, every_setting_gives_the_same_results) {
  constexpr std::uint64_t programs = 20;
  for (std::uint64_t seed = GetParam() * programs; seed < (GetParam() + 1) * programs; ++seed) {
    const std::string plain =
        behaviour(seed, {.use_accumulator = false, .use_pinned_local = false, .use_fusion = false});
    ASSERT_FALSE(plain.starts_with("invalid")) << plain << " (seed " << seed << ")";
    EXPECT_EQ(behaviour(seed, {}), plain) << "seed " << seed;
    EXPECT_EQ(behaviour(seed, {.use_accumulator = false}), plain) << "seed " << seed;
    EXPECT_EQ(behaviour(seed, {.use_pinned_local = false}), plain) << "seed " << seed;
    EXPECT_EQ(behaviour(seed, {.use_fusion = false}), plain) << "seed " << seed;
    EXPECT_EQ(behaviour(seed, {.yields_everywhere = true}), plain) << "seed " << seed;
    EXPECT_EQ(behaviour(seed, {.moves_stack_everywhere = true}), plain) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, differential, ::testing::Range<std::uint64_t>(0, 8));

} // namespace
} // namespace weir::wasm
