// SPDX-License-Identifier: Apache-2.0
#include <weir/check/futex.hpp>
#include <weir/check/model.hpp>
#include <weir/check/time.hpp>

#include <gtest/gtest.h>

namespace check = weir::check;
using std::memory_order;

namespace {

TEST(model_time, never_goes_back_along_happens_before) {
  const check::exploration found = check::explore("stamp", [](check::model& m) {
    check::atomic<std::uint64_t> stamp{0};
    m.spawn("writer", [&] {
      const std::uint64_t at = check::now();
      stamp.store(at + 1, memory_order::release);
    });
    const std::uint64_t seen = stamp.load(memory_order::acquire);
    const std::uint64_t here = check::now();
    m.require(here + 1 >= seen, "the reader comes after the writer");
    m.sometimes("no tick passes", seen == 1 && here == 0);
    m.sometimes("time passes at the writer", seen == 2 && here == 1);
    m.sometimes("time passes at both", seen == 2 && here == 2);
    m.join_all();
  });
  EXPECT_TRUE(found.passed()) << found.report << found.verdict;
}

TEST(model_time, orders_nothing) {
  const check::exploration found = check::explore("look", [](check::model& m) {
    check::atomic<int> data{0};
    m.spawn("writer", [&] {
      data.store(1, memory_order::relaxed);
      static_cast<void>(check::now());
    });
    const std::uint64_t at = check::now();
    m.require(at == 0 || data.load(memory_order::relaxed) == 1, "a tick was after the data");
    m.join_all();
  });
  EXPECT_EQ(found.failure, check::failure_kind::requirement);
}

TEST(model_time, a_wait_that_times_out_is_past_its_deadline) {
  const check::exploration found = check::explore("deadline", [](check::model& m) {
    check::atomic<std::uint32_t> word{0};
    m.spawn("waker", [&] {
      word.store(1, memory_order::release);
      check::futex_wake(word);
    });
    const std::uint64_t deadline = check::now() + 1;
    bool is_late = false;
    while (!is_late && word.load(memory_order::acquire) == 0)
      is_late = !check::futex_wait(word, 0, true) && check::now() >= deadline;
    m.sometimes("it is woken in time", !is_late);
    m.sometimes("it is late", is_late);
    m.join_all();
  });
  EXPECT_TRUE(found.passed()) << found.report << found.verdict;
}

TEST(model_time, passes_no_further_than_the_options_say) {
  check::model_options options;
  options.ticks = 2;
  const check::exploration found = check::explore(
      "three looks",
      [](check::model& m) {
        std::uint64_t last = 0;
        for (int look = 0; look < 3; ++look) last = check::now();
        m.require(last <= 2, "two ticks pass at most");
        m.sometimes("two ticks pass", last == 2);
      },
      options);
  EXPECT_TRUE(found.passed()) << found.report << found.verdict;
  EXPECT_EQ(found.executions, 7u) << "of the eight ways that ticks may pass at three looks, all but three ticks";
}

} // namespace
