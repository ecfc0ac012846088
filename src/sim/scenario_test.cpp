// SPDX-License-Identifier: Apache-2.0
#include <weir/sim.hpp>

#include <weir/channel.hpp>
#include <weir/time.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#if WEIR_HAS_ASAN
// The leak checker knows the stacks of a run that failed, and not the heap that the sanitizer may keep variables in instead.
extern "C" const char* __asan_default_options() { // NOLINT(bugprone-reserved-identifier)
  return "detect_stack_use_after_return=0";
}
#endif

namespace weir::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

WEIR_SIM_TEST(every_request_is_served_in_order) {
  sim.seeds(60).faults(fault_plan::all()).finish_within(60s);
  auto& requests = sim.make<channel<int>>(2u);
  auto& served = sim.make<int>(0);
  sim.on("client", [&]() -> task<void> {
    for (int i = 0; i != 20; ++i) {
      sometimes("the client is ahead", i > served + 1);
      auto sending = requests.send(i);
      static_cast<void>(co_await sending);
    }
  });
  sim.on("server", [&]() -> task<void> {
    for (int i = 0; i != 20; ++i) {
      auto receiving = requests.receive();
      const auto got = co_await receiving;
      require(got.has_value() && *got == i, "requests come in order");
      ++served;
    }
  });
  sim.always("what is served was asked", [&] { return served <= 20; });
  sim.finally("all is served", [&] { return served == 20; });
}

WEIR_SIM_TEST(an_invariant_that_breaks) {
  sim.seeds(20).permits(1);
  auto& value = sim.make<int>(0);
  sim.at(3s, [&] { value = 1; });
  sim.on("node", [&]() -> task<void> { co_await sleep_for(10s); });
  sim.always("the value is zero", [&] { return value == 0; });
}

WEIR_SIM_TEST(a_fiber_that_throws) {
  sim.seeds(3);
  sim.on("node", [] {
    sleep_for(1ms).wait();
    throw std::runtime_error("the disk is full");
  });
}

WEIR_SIM_TEST(two_nodes_that_wait_for_each_other) {
  sim.seeds(3).permits(2);
  auto& one = sim.make<channel<int>>(1u);
  auto& two = sim.make<channel<int>>(1u);
  sim.on("left", [&]() -> task<void> {
    auto receiving = one.receive();
    static_cast<void>(co_await receiving);
  });
  sim.on("right", [&]() -> task<void> {
    auto receiving = two.receive();
    static_cast<void>(co_await receiving);
  });
}

const registered_test& find(std::string_view name) {
  for (const registered_test& each : registered_tests())
    if (each.name == name) return each;
  throw std::logic_error("no such test");
}

TEST(scenario, a_test_that_holds_passes_with_all_faults) {
  const search_result found = play(find("every_request_is_served_in_order"));
  EXPECT_TRUE(found.passed()) << found.report();
  EXPECT_GT(found.runs, 60u);
}

TEST(scenario, a_broken_invariant_fails_soon_after_the_event_that_breaks_it) {
  const search_result found = play(find("an_invariant_that_breaks"), {.is_in_process = true});
  ASSERT_TRUE(found.failing_seed.has_value());
  EXPECT_EQ(found.failing.failure, failure_kind::requirement);
  EXPECT_THAT(found.report(), HasSubstr("the value is zero"));
  EXPECT_GE(found.failing.time, 3s);
  EXPECT_LT(found.failing.time, 4s);
}

TEST(scenario, an_exception_fails_the_run_with_its_text) {
  const search_result found = play(find("a_fiber_that_throws"));
  ASSERT_TRUE(found.failing_seed.has_value());
  EXPECT_EQ(found.failing.failure, failure_kind::exception);
  EXPECT_THAT(found.report(), HasSubstr("the disk is full"));
}

TEST(scenario, tasks_that_wait_for_ever_are_a_deadlock) {
  const search_result found = play(find("two_nodes_that_wait_for_each_other"));
  ASSERT_TRUE(found.failing_seed.has_value());
  EXPECT_EQ(found.failing.failure, failure_kind::deadlock);
  EXPECT_THAT(found.report(), HasSubstr("1 tasks"));
}

} // namespace
} // namespace weir::sim
