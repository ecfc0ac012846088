// SPDX-License-Identifier: Apache-2.0
#include <weir/check/history.hpp>

#include <deque>
#include <optional>

#include <gtest/gtest.h>
#include <weir/check/atomic.hpp>
#include <weir/check/model.hpp>

namespace check = weir::check;
using enum std::memory_order;

namespace {

using items = std::deque<int>;

std::optional<int> take_first(items& of) {
  if (of.empty()) return std::nullopt;
  const int first = of.front();
  of.pop_front();
  return first;
}

// A queue of two places whose takers claim a place and then look whether it is filled.
struct small_queue {
  check::atomic<int> places[2] = {check::atomic<int>{0}, check::atomic<int>{0}};
  check::atomic<int> filled{0};
  check::atomic<int> taken{0};

  void push(int value) {
    const int at = filled.load(relaxed);
    places[at].store(value, relaxed);
    filled.store(at + 1, release);
  }
  std::optional<int> pop() {
    for (int at = taken.load(acquire);;) {
      if (at == filled.load(acquire)) return std::nullopt;
      const int value = places[at].load(relaxed);
      if (taken.compare_exchange_strong(at, at + 1, acq_rel, acquire)) return value;
    }
  }
  std::optional<int> pop_without_claim() {
    const int at = taken.load(acquire);
    if (at == filled.load(acquire)) return std::nullopt;
    const int value = places[at].load(relaxed);
    taken.store(at + 1, release);
    return value;
  }
};

check::exploration two_takers(bool claims, check::engine_kind engine = check::engine_kind::exhaustive) {
  check::model_options options;
  options.engine = engine;
  return check::explore(
      "two takers",
      [claims](check::model& m) {
        check::history<items> calls;
        small_queue queue;
        const auto pop = [&] {
          return calls.call(
              "pop()", [&] { return claims ? queue.pop() : queue.pop_without_claim(); },
              [](items& of) { return take_first(of); });
        };
        for (const int value : {1, 2})
          calls.call(
              value == 1 ? "push(1)" : "push(2)", [&] { queue.push(value); },
              [value](items& of) { of.push_back(value); });
        m.spawn("taker", [&] { pop(); });
        pop();
        m.join_all();
        calls.require_linearizable();
      },
      options);
}

// One thread writes twice, the other reads twice.
check::exploration read_twice(std::memory_order store_order, std::memory_order load_order, bool writes_two) {
  return check::explore("register", [=](check::model& m) {
    check::history<int> calls{0};
    check::atomic<int> value{0};
    check::atomic<int> other{0};
    const auto write = [&](check::atomic<int>& to, const char* name, int what) {
      calls.call(name, [&] { to.store(what, store_order); }, [what](int& of) { of = what; });
    };
    m.spawn("writer", [&] {
      write(value, "write(1)", 1);
      write(writes_two ? value : other, "write(2)", 2);
    });
    for (int round = 0; round < 2; ++round)
      calls.call(
          "read()", [&] { return round == 0 && !writes_two ? other.load(load_order) : value.load(load_order); },
          [](int& of) { return of; });
    m.join_all();
    calls.require_linearizable();
  });
}

} // namespace

TEST(history, calls_that_some_order_explains_pass) {
  const check::exploration found = two_takers(true);
  EXPECT_TRUE(found.passed()) << found.report;
  EXPECT_GT(found.executions, 2U);
  EXPECT_TRUE(read_twice(release, acquire, true).passed());
}

TEST(history, a_value_that_is_taken_twice_fails_with_the_calls_as_columns) {
  for (const check::engine_kind engine : {check::engine_kind::exhaustive, check::engine_kind::bounded,
                                          check::engine_kind::random, check::engine_kind::pct}) {
    const check::exploration found = two_takers(false, engine);
    ASSERT_EQ(found.failure, check::failure_kind::not_linearizable) << to_string(engine) << found.report;
    EXPECT_EQ(found.report.find("NOT LINEARIZABLE  model two takers"), 0U) << found.report;
    EXPECT_NE(found.report.find("\n 1   push(1)  "), std::string::npos) << found.report;
    EXPECT_NE(found.report.find("\n 2   push(2)  "), std::string::npos) << found.report;
    EXPECT_NE(found.report.find(" after 1\n"), std::string::npos) << found.report;
    EXPECT_NE(found.report.find("pop() = 1"), std::string::npos) << found.report;
    EXPECT_NE(found.report.find("the longest order that fits: 1, 2, "), std::string::npos) << found.report;
    EXPECT_NE(found.report.find("calls pop()"), std::string::npos) << found.report;
    EXPECT_NE(found.report.find("returns 1"), std::string::npos) << found.report;
    const auto again = check::replay("two takers", [](check::model&) {}, found.replay_string);
    EXPECT_EQ(again.failure, check::failure_kind::nondeterminism);
  }
}

TEST(history, only_happens_before_orders_calls_of_different_threads) {
  // What a relaxed load sees orders nothing, so a read may come first or last, whatever it returns.
  EXPECT_TRUE(read_twice(relaxed, relaxed, true).passed()) << read_twice(relaxed, relaxed, true).report;
  // Two registers are no single one: who has read 2 from the second must not read 0 from the first.
  EXPECT_EQ(read_twice(release, acquire, false).failure, check::failure_kind::not_linearizable);
}

TEST(history, a_rule_may_allow_more_than_one_result) {
  const auto explore = [](bool is_strict) {
    return check::explore("try", [is_strict](check::model& m) {
      check::history<int> calls{1}; // how many are left
      check::atomic<bool> is_held{false};
      check::atomic<int> left{1};
      const auto try_take = [&] {
        const auto real = [&] {
          if (is_held.exchange(true, acquire)) return false; // somebody else is at it
          const int before = left.load(relaxed);
          if (before == 1 && m.choose(2) == 0) left.store(0, relaxed);
          const bool took = before != left.load(relaxed);
          is_held.store(false, release);
          return took;
        };
        if (is_strict) {
          calls.call("try_take()", real, [](int& of) { return of > 0 && of-- > 0; });
        } else {
          calls.call("try_take()", real, [](int& of, const bool& took) { return !took || of-- > 0; });
        }
      };
      m.spawn("other", try_take);
      try_take();
      m.join_all();
      calls.require_linearizable();
    });
  };
  EXPECT_EQ(explore(true).failure, check::failure_kind::not_linearizable);
  EXPECT_TRUE(explore(false).passed()) << explore(false).report;
}

TEST(history, the_order_may_need_a_step_back) {
  // Both pushes overlap; only the order 2, 1 explains the pops, and the search comes to 1 first.
  const check::exploration found = check::explore("back", [](check::model& m) {
    check::history<items> calls;
    check::atomic<int> line{0}; // digits, the first pushed is the lowest
    const auto push = [&](int value) {
      calls.call(
          value == 1 ? "push(1)" : "push(2)",
          [&] {
            for (int before = line.load(relaxed);;)
              if (line.compare_exchange_strong(before, before == 0 ? value : before + 10 * value, acq_rel, relaxed))
                return;
          },
          [value](items& of) { of.push_back(value); });
    };
    m.spawn("other", [&] { push(2); });
    push(1);
    m.join_all();
    m.sometimes("two is first", line.load(relaxed) == 12);
    for (int round = 0; round < 2; ++round)
      calls.call(
          "pop()",
          [&]() -> std::optional<int> {
            const int now = line.load(relaxed);
            line.store(now / 10, relaxed);
            return now % 10;
          },
          [](items& of) { return take_first(of); });
    calls.require_linearizable();
  });
  EXPECT_TRUE(found.passed()) << found.report;
}
