// SPDX-License-Identifier: Apache-2.0
#include "check/explorer.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "check/brute_force.hpp"
#include "check/litmus_run.hpp"
#include "check/random_litmus.hpp"

using namespace weir::check::detail;

namespace {

using enum memory_order;

// Gives a thread's body the operations by value; the body is left by an exception when its execution is cut.
class thread_view {
public:
  thread_view(explorer& engine, unsigned thread) : engine_(engine), thread_(thread) {}

  [[nodiscard]] unsigned self() const { return thread_; }

  std::uint64_t run(operation op) {
    std::uint64_t value = 0;
    const step_result result = engine_.perform(thread_, op, value);
    EXPECT_NE(result, step_result::diverged);
    if (result != step_result::done) throw cut{};
    return value;
  }
  std::uint64_t load(int at, memory_order order = relaxed) {
    return run({.kind = operation_kind::load, .order = order, .location = at});
  }
  void store(int at, std::uint64_t value, memory_order order = relaxed) {
    run({.kind = operation_kind::store, .order = order, .location = at, .operand = value});
  }
  std::uint64_t add(int at, std::uint64_t value, memory_order order = relaxed) {
    return run({.kind = operation_kind::add, .order = order, .location = at, .operand = value});
  }
  bool cas(int at, std::uint64_t from, std::uint64_t to, memory_order order = relaxed, memory_order failure = relaxed) {
    return run({.kind = operation_kind::compare_exchange,
                .order = order,
                .failure = failure,
                .location = at,
                .operand = to,
                .expected = from}) == from;
  }
  std::uint64_t choose(std::uint64_t bound) { return run({.kind = operation_kind::choose, .operand = bound}); }

  struct cut {};

private:
  explorer& engine_;
  unsigned thread_;
};

// A string that tells two complete graphs apart.
std::string shape_of(const graph& g) {
  std::string out;
  const auto name = [&](event_id id) {
    return is_initial(id) ? "i" + std::to_string(-1 - id)
                          : std::to_string(g[id].thread) + "." + std::to_string(g[id].index);
  };
  std::vector<std::string> lines;
  for (event_id id = 0; id < g.size(); ++id) {
    if (g[id].is_read()) lines.push_back(name(id) + "<" + name(g[id].source));
    if (g[id].op.kind == operation_kind::choose) lines.push_back(name(id) + "?" + std::to_string(g[id].value));
    if (g[id].is_write()) lines.push_back(name(id) + "@" + std::to_string(g[id].position));
  }
  std::sort(lines.begin(), lines.end());
  for (const std::string& line : lines) out += line + ' ';
  return out;
}

// Explores a program, one body for all threads, and checks that no graph is visited twice and none is cut.
std::uint64_t executions_of(unsigned threads, std::size_t locations, const std::function<void(thread_view&)>& body) {
  explorer engine;
  std::set<std::string> shapes;
  engine.start(std::vector<std::uint64_t>(locations, 0));
  while (engine.next_execution()) {
    bool is_complete = true;
    for (unsigned thread = 0; thread < threads && is_complete; ++thread) {
      thread_view view(engine, thread);
      try {
        body(view);
      } catch (thread_view::cut&) {
        is_complete = false;
      }
    }
    if (!is_complete) continue;
    engine.finish_execution(true);
    EXPECT_TRUE(shapes.insert(shape_of(engine.current())).second);
  }
  EXPECT_EQ(engine.counts().dead_ends, 0U);
  return engine.counts().executions;
}

std::uint64_t factorial(std::uint64_t n) { return n < 2 ? 1 : n * factorial(n - 1); }

} // namespace

TEST(explorer, read_modify_writes_of_n_threads_have_n_factorial_executions) {
  for (const memory_order order : {relaxed, acq_rel, seq_cst})
    for (unsigned n = 1; n <= 7; ++n)
      EXPECT_EQ(executions_of(n, 1, [&](thread_view& t) { t.add(0, 1, order); }), factorial(n));
}

TEST(explorer, eight_read_modify_writes_have_40320_executions) {
  EXPECT_EQ(executions_of(8, 1, [](thread_view& t) { t.add(0, 1); }), 40'320U);
}

TEST(explorer, a_ring_of_stores_and_loads_has_two_to_the_n_executions) {
  for (unsigned n = 2; n <= 8; ++n) {
    const auto ring = [n](memory_order order) {
      return [n, order](thread_view& t) {
        t.store(static_cast<int>(t.self()), 1, order);
        t.load(static_cast<int>((t.self() + 1) % n), order);
      };
    };
    EXPECT_EQ(executions_of(n, n, ring(relaxed)), std::uint64_t{1} << n);
    EXPECT_EQ(executions_of(n, n, ring(seq_cst)), (std::uint64_t{1} << n) - 1) << "all zero is forbidden";
  }
}

TEST(explorer, two_rounds_of_load_and_compare_exchange_have_26_and_2325_executions) {
  const auto rounds = [](thread_view& t) {
    for (int round = 0; round < 2; ++round) {
      const std::uint64_t seen = t.load(0);
      t.cas(0, seen, seen + 1);
    }
  };
  EXPECT_EQ(executions_of(2, 1, rounds), 26U);
  EXPECT_EQ(executions_of(3, 1, rounds), 2'325U);
}

TEST(explorer, choices_multiply_and_each_combination_is_visited_once) {
  EXPECT_EQ(executions_of(2, 1, [](thread_view& t) { t.choose(3); }), 9U);
  // A choice behind a read that is revisited is made afresh.
  const std::uint64_t both = executions_of(2, 1, [](thread_view& t) {
    if (t.self() == 0) {
      t.load(0);
      t.choose(2);
    } else {
      t.choose(2);
      t.store(0, 1);
    }
  });
  EXPECT_EQ(both, 8U);
}

// WEIR_RANDOM_PROGRAMS says how many; the acceptance takes 5,000.
TEST(explorer, agrees_with_brute_force_on_random_programs) {
  const char* asked = std::getenv("WEIR_RANDOM_PROGRAMS");
  const int count = asked != nullptr ? std::atoi(asked) : 300;
  litmus_generator programs(20'260'801);
  explorer engine;
  int executions = 0;
  int racy = 0;
  for (int at = 0; at < count; ++at) {
    const litmus_program program = programs.next();
    const litmus_verdict expected = brute_force(program);
    const litmus_verdict found = explore_litmus(engine, program);
    ASSERT_EQ(found.states, expected.states) << program.name;
    ASSERT_EQ(found.executions, expected.executions) << program.name;
    ASSERT_EQ(found.has_race, expected.has_race) << program.name;
    ASSERT_EQ(found.dead_ends, 0U) << program.name;
    executions += static_cast<int>(found.executions);
    racy += found.has_race ? 1 : 0;
  }
  std::printf("%d programs agree: %d executions, %d with a race\n", count, executions, racy);
  EXPECT_GT(executions, 5 * count);
  EXPECT_GT(racy, count / 50);
}
