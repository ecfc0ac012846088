// SPDX-License-Identifier: Apache-2.0

// The engines that go through executions step by step, the estimate, limits, and what becomes of a failure.

#include <algorithm>
#include <set>

#include "check/bounded_search.hpp"
#include "check/litmus_run.hpp"
#include "check/litmus_stepper.hpp"
#include "check/random_litmus.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/futex.hpp>
#include <weir/check/model.hpp>
#include <weir/check/registry.hpp>
#include <weir/check/settings.hpp>

namespace check = weir::check;
using check::engine_kind;
using namespace weir::check::detail;
using enum std::memory_order;

namespace {

void make_seq_cst(litmus_thread& list) {
  for (litmus_instruction& at : list) {
    at.op.order = seq_cst;
    at.op.failure = seq_cst;
    at.op.is_plain = false;
    make_seq_cst(at.then);
  }
}

struct bounded_states {
  std::set<litmus_state> states;
  std::uint64_t runs = 0;
  bool left_some_out = false;
};

bounded_states search(const litmus_program& program, unsigned preemptions, bool reduces) {
  bounded_search by(preemptions, reduces);
  litmus_stepper stepper(program);
  bounded_states out;
  do {
    out.states.insert(stepper.run(by));
    ++out.runs;
    EXPECT_FALSE(by.has_diverged());
  } while (by.advance());
  out.left_some_out = by.left_some_out();
  return out;
}

check::model_options with(engine_kind engine, unsigned preemptions = 2) {
  check::model_options options;
  options.engine = engine;
  options.preemptions = preemptions;
  return options;
}

// Two increments made of a load and a store: the bug needs one preemption.
void lost_update(check::model& m) {
  check::atomic<int> count{0};
  for (int at = 0; at < 2; ++at) m.spawn("adder", [&] { count.store(count.load(seq_cst) + 1, seq_cst); });
  m.join_all();
  m.require(count.load(seq_cst) == 2, "nothing is lost");
}

void racy_publication(check::model& m) {
  check::atomic<int> ready{0};
  check::cell<int> data{0};
  m.spawn("writer", [&] {
    data.set(1);
    ready.store(1, relaxed);
  });
  m.spawn("reader", [&] {
    if (ready.load(acquire) == 1) m.require(data.get() == 1, "the data is there");
  });
  m.join_all();
}

void lost_wake(check::model& m) {
  check::atomic<std::uint32_t> word{0};
  m.spawn("sleeper", [&] {
    while (word.load(acquire) == 0) check::futex_wait(word, 0);
  });
  m.spawn("waker", [&] {
    check::futex_wake(word);
    word.store(1, release);
  });
  m.join_all();
}

void adders(check::model& m, unsigned threads, unsigned rounds) {
  check::atomic<unsigned> count{0};
  for (unsigned at = 0; at < threads; ++at)
    m.spawn("adder", [&] {
      for (unsigned round = 0; round < rounds; ++round) count.fetch_add(1, relaxed);
    });
  m.join_all();
  m.require(count.load(relaxed) == threads * rounds, "nothing is lost");
}

} // namespace

TEST(engines, the_bounded_search_without_a_bound_reaches_what_seq_cst_programs_allow) {
  litmus_generator programs(7);
  explorer engine;
  for (int at = 0; at < 300; ++at) {
    litmus_program program = programs.next();
    for (litmus_thread& thread : program.threads) make_seq_cst(thread);
    const bounded_states found = search(program, 1'000, true);
    ASSERT_EQ(found.states, explore_litmus(engine, program).states) << program.name;
    ASSERT_FALSE(found.left_some_out);
  }
}

TEST(engines, the_bounded_search_reaches_what_every_schedule_within_the_bound_reaches) {
  litmus_generator programs(11);
  std::uint64_t runs = 0;
  std::uint64_t all_runs = 0;
  std::size_t narrowed = 0;
  for (int at = 0; at < 150; ++at) {
    const litmus_program program = programs.next();
    std::size_t before = 0;
    for (unsigned preemptions = 0; preemptions <= 3; ++preemptions) {
      const bounded_states found = search(program, preemptions, true);
      const bounded_states every = search(program, preemptions, false);
      ASSERT_EQ(found.states, every.states) << program.name << " with " << preemptions;
      runs += found.runs;
      all_runs += every.runs;
      narrowed += before != 0 && before < found.states.size() ? 1 : 0;
      before = found.states.size();
    }
  }
  EXPECT_LT(runs * 2, all_runs) << "the reduction saves little";
  EXPECT_GT(narrowed, 20U) << "the bound makes no difference to these programs";
}

TEST(engines, drawn_steps_stay_within_the_memory_model_and_reach_most_of_it) {
  litmus_generator programs(5);
  explorer engine;
  int equal = 0;
  constexpr int count = 60;
  for (int at = 0; at < count; ++at) {
    const litmus_program program = programs.next();
    const std::set<litmus_state> allowed = explore_litmus(engine, program).states;
    litmus_stepper stepper(program);
    random_strategy by(1, 4);
    std::set<litmus_state> seen;
    for (int run = 0; run < 20'000 && seen.size() < allowed.size(); ++run) {
      seen.insert(stepper.run(by));
    }
    ASSERT_TRUE(std::includes(allowed.begin(), allowed.end(), seen.begin(), seen.end())) << program.name;
    equal += seen == allowed ? 1 : 0;
  }
  EXPECT_GE(equal * 100, count * 95);
}

TEST(engines, drawn_steps_keep_the_order_of_seq_cst) {
  litmus_generator programs(6);
  explorer engine;
  for (int at = 0; at < 200; ++at) {
    litmus_program program = programs.next();
    for (litmus_thread& thread : program.threads) make_seq_cst(thread);
    const std::set<litmus_state> allowed = explore_litmus(engine, program).states;
    litmus_stepper stepper(program);
    random_strategy by(1, 4);
    for (int run = 0; run < 1'000; ++run) ASSERT_TRUE(allowed.contains(stepper.run(by))) << program.name;
  }
}

TEST(engines, a_preemption_bound_of_two_needs_no_more_executions_than_orders_of_the_steps) {
  for (const auto& [threads, most] : {std::pair{4U, 24U}, std::pair{5U, 120U}}) {
    const check::exploration found =
        check::explore("adders", [&](check::model& m) { adders(m, threads, 1); }, with(engine_kind::bounded));
    EXPECT_TRUE(found.found_nothing()) << found.report << found.verdict;
    EXPECT_LE(found.executions, most);
    EXPECT_GE(found.executions, threads);
  }
}

TEST(engines, a_bug_needs_as_many_preemptions_as_it_needs) {
  const check::exploration none = check::explore("lost update", lost_update, with(engine_kind::bounded, 0));
  EXPECT_TRUE(none.found_nothing()) << none.report;
  EXPECT_NE(none.verdict.find("schedules with more were left out"), std::string::npos) << none.verdict;
  const check::exploration one = check::explore("lost update", lost_update, with(engine_kind::bounded, 1));
  EXPECT_EQ(one.failure, check::failure_kind::requirement);
}

TEST(engines, each_finds_the_bugs_and_each_failure_replays) {
  struct bug {
    void (*body)(check::model&);
    check::failure_kind kind;
  };
  for (const bug& at :
       {bug{lost_update, check::failure_kind::requirement}, bug{racy_publication, check::failure_kind::data_race},
        bug{lost_wake, check::failure_kind::lost_wakeup}})
    for (const engine_kind engine :
         {engine_kind::exhaustive, engine_kind::bounded, engine_kind::random, engine_kind::pct, engine_kind::pos}) {
      const check::exploration found = check::explore("bug", at.body, with(engine));
      ASSERT_EQ(found.failure, at.kind) << to_string(engine) << found.report;
      EXPECT_EQ(found.verdict, "failed: " + std::string(to_string(at.kind)));
      for (int round = 0; round < 1'000; ++round)
        ASSERT_EQ(check::replay("bug", at.body, found.replay_string).failure, at.kind) << to_string(engine);
    }
}

TEST(engines, a_failure_replays_whoever_started_its_threads_first) {
  const auto body = [](check::model& m) {
    check::atomic<int> count{0};
    const auto add = [&] { count.store(count.load(seq_cst) + 1, seq_cst); };
    for (int at = 0; at < 2; ++at)
      m.spawn("parent", [&] {
        const unsigned child = m.spawn("child", add);
        add();
        m.join(child);
      });
    m.join(1);
    m.join(2);
    m.require(count.load(seq_cst) == 4, "nothing is lost");
  };
  check::model_options options = with(engine_kind::random);
  options.shrinks = false;
  for (options.seed = 1; options.seed < 20; ++options.seed) {
    const check::exploration found = check::explore("family", body, options);
    ASSERT_EQ(found.failure, check::failure_kind::requirement);
    const check::exploration again = check::replay("family", body, found.replay_string);
    EXPECT_EQ(again.failure, check::failure_kind::requirement) << found.report << again.report;
  }
}

TEST(engines, the_same_seed_gives_the_same_run) {
  for (const engine_kind engine : {engine_kind::random, engine_kind::pct, engine_kind::pos}) {
    check::model_options options = with(engine);
    std::set<std::string> failures;
    for (options.seed = 1; options.seed < 9; ++options.seed) {
      const check::exploration first = check::explore("bug", racy_publication, options);
      const check::exploration second = check::explore("bug", racy_publication, options);
      EXPECT_EQ(first.replay_string, second.replay_string);
      EXPECT_EQ(first.executions, second.executions);
      failures.insert(std::to_string(first.executions));
    }
    EXPECT_GT(failures.size(), 1U) << "the seed makes no difference";
  }
}

TEST(engines, only_a_search_of_every_execution_is_called_verified) {
  const auto body = [](check::model& m) { adders(m, 2, 2); };
  const check::exploration whole = check::explore("adders", body);
  EXPECT_TRUE(whole.passed());
  EXPECT_EQ(whole.verdict, "verified: 6 executions");
  for (const engine_kind engine : {engine_kind::bounded, engine_kind::random, engine_kind::pct, engine_kind::pos}) {
    const check::exploration part = check::explore("adders", body, with(engine));
    EXPECT_TRUE(part.found_nothing()) << part.report << part.verdict;
    EXPECT_FALSE(part.passed());
    EXPECT_EQ(part.verdict.find("verified"), std::string::npos) << part.verdict;
  }
  EXPECT_EQ(check::explore("adders", body, with(engine_kind::bounded)).verdict.find("bounded: every schedule with"),
            0U);
  const std::string pct = check::explore("adders", body, with(engine_kind::pct)).verdict;
  EXPECT_EQ(
      pct.find("sampled: 20,000 runs from seed 1; a bug that needs 3 ordered steps is met with a probability of at "
               "least "),
      0U)
      << pct;
  EXPECT_NE(pct.find("(3 threads, "), std::string::npos) << pct;
}

TEST(engines, a_search_that_is_stopped_says_how_much_it_saw) {
  const auto body = [](check::model& m) { adders(m, 3, 4); }; // 12! / 4!^3 = 34,650 executions
  const check::exploration whole = check::explore("adders", body);
  EXPECT_TRUE(whole.passed());
  EXPECT_EQ(whole.executions, 34'650U);
  EXPECT_GT(whole.estimated_executions, 34'650 * 0.5);
  EXPECT_LT(whole.estimated_executions, 34'650 * 2.0);
  check::model_options options;
  options.max_executions = 12'000;
  const check::exploration part = check::explore("adders", body, options);
  EXPECT_FALSE(part.passed());
  EXPECT_FALSE(part.found_nothing());
  EXPECT_EQ(part.verdict.find("bounded: 12,000 of about "), 0U) << part.verdict;
  EXPECT_NE(part.verdict.find("the limit of 12,000 came first"), std::string::npos) << part.verdict;
  options = {};
  options.time_limit = std::chrono::milliseconds(20);
  const check::exploration timed = check::explore("adders", [](check::model& m) { adders(m, 4, 4); }, options);
  EXPECT_EQ(timed.verdict.find("bounded: "), 0U) << timed.verdict;
  EXPECT_NE(timed.verdict.find("the time limit of 0.02 s came first"), std::string::npos) << timed.verdict;
}

TEST(engines, a_long_search_is_announced_with_what_is_expected_of_it) {
  const auto body = [](check::model& m) { adders(m, 4, 4); }; // 16! / 4!^4 = 63,063,000 executions
  check::model_options options;
  options.max_executions = 12'000;
  testing::internal::CaptureStderr();
  static_cast<void>(check::explore("adders", body, options));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("weir::check: adders: 10,000 of about "), 0U) << said;
  EXPECT_NE(said.find("e7 executions, more than the limit of 12,000, "), std::string::npos) << said;
  options.shows_progress = false;
  testing::internal::CaptureStderr();
  static_cast<void>(check::explore("adders", body, options));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(engines, an_estimate_that_meets_a_failure_reports_it) {
  // Fails in the executions where the last of many values is seen at once: the search comes to them late.
  const auto body = [](check::model& m) {
    unsigned sum = 0;
    for (int at = 0; at < 5; ++at) sum += m.choose(8);
    m.require(sum != 35 && sum != 34, "not all the last");
  };
  const check::exploration found = check::explore("late", body);
  EXPECT_EQ(found.failure, check::failure_kind::requirement);
  EXPECT_EQ(check::replay("late", body, found.replay_string).failure, check::failure_kind::requirement);
}

TEST(engines, a_failure_is_shrunk_to_what_it_needs) {
  const auto body = [](check::model& m) {
    check::atomic<int> noise{0};
    check::atomic<int> count{0};
    for (int at = 0; at < 2; ++at)
      m.spawn("adder", [&] {
        for (int round = 0; round < 3; ++round) noise.fetch_add(1, relaxed);
        static_cast<void>(m.choose(4));
        count.store(count.load(seq_cst) + 1, seq_cst);
      });
    m.spawn("noise", [&] {
      for (int round = 0; round < 8; ++round) noise.store(round, relaxed);
    });
    m.join(1);
    m.join(2);
    m.require(count.load(seq_cst) == 2, "nothing is lost");
    m.join_all();
  };
  for (const engine_kind engine : {engine_kind::random, engine_kind::bounded}) {
    check::model_options options = with(engine);
    const check::exploration found = check::explore("noisy", body, options);
    ASSERT_EQ(found.failure, check::failure_kind::requirement) << found.verdict;
    if (engine == engine_kind::random) {
      EXPECT_NE(found.report.find("\nshrunk from "), std::string::npos) << found.report;
      EXPECT_NE(found.report.find(" 1 preemption, 0 stale values or choices in "), std::string::npos) << found.report;
    }
    EXPECT_EQ(found.report.find("noise.store"), std::string::npos) << found.report;
    EXPECT_EQ(check::replay("noisy", body, found.replay_string).failure, check::failure_kind::requirement);
    options.shrinks = false;
    const check::exploration whole = check::explore("noisy", body, options);
    EXPECT_LE(found.replay_string.size(), whole.replay_string.size());
  }
}

TEST(engines, a_failure_is_a_trace_for_perfetto) {
  const check::exploration found = check::explore("bug", racy_publication, with(engine_kind::random));
  const auto trace = nlohmann::json::parse(found.perfetto);
  std::size_t slices = 0;
  std::size_t about = 0;
  std::set<std::string> tracks;
  std::map<int, std::pair<int, int>> arrows;
  for (const auto& at : trace["traceEvents"]) {
    slices += at["ph"] == "X" ? 1 : 0;
    about += at["ph"] == "X" && at["args"].contains("is_about") ? 1 : 0;
    if (at["ph"] == "M" && at["name"] == "thread_name") tracks.insert(at["args"]["name"]);
    if (at["ph"] == "s") ++arrows[at["id"].get<int>()].first;
    if (at["ph"] == "f") ++arrows[at["id"].get<int>()].second;
  }
  EXPECT_GT(slices, 5U);
  EXPECT_EQ(about, 2U);
  EXPECT_TRUE(tracks.contains("writer") && tracks.contains("reader"));
  EXPECT_FALSE(arrows.empty());
  for (const auto& [id, ends] : arrows) EXPECT_EQ(ends, std::pair(1, 1));
}

TEST(engines, settings_are_text_and_a_word_that_is_none_is_named) {
  check::model_options options;
  ASSERT_TRUE(check::apply_settings(options, "engine=pct, depth=4 seed=9 runs=12 stale=0 time=1.5 progress=off"));
  EXPECT_EQ(options.engine, engine_kind::pct);
  EXPECT_EQ(options.depth, 4U);
  EXPECT_EQ(options.seed, 9U);
  EXPECT_EQ(options.runs, 12U);
  EXPECT_EQ(options.stale_reads, 0U);
  EXPECT_EQ(options.time_limit, std::chrono::milliseconds(1'500));
  EXPECT_FALSE(options.shows_progress);
  for (const char* wrong : {"engine=loom", "depth=0", "depth=", "runs=1x", "fast", "seed=1 colour=red"}) {
    const auto refused = check::apply_settings(options, wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_NE(refused.error().find("is no setting of a search"), std::string::npos);
  }
  EXPECT_EQ(options.seed, 9U);
}

TEST(engines, the_table_names_the_engine_and_its_bound) {
  check::registered_model model;
  model.name = "adders";
  model.body = [](check::model& m) { adders(m, 2, 1); };
  std::vector<check::model_verdict> verdicts;
  model.options = with(engine_kind::bounded);
  verdicts.push_back(check::verify(model));
  model.options = with(engine_kind::pct);
  model.options.runs = 500;
  verdicts.push_back(check::verify(model));
  const std::string table = check::table_of(verdicts);
  EXPECT_NE(table.find("\nadders | bounded | 2 | "), std::string::npos) << table;
  EXPECT_NE(table.find(" | 2 preemptions | bounded | "), std::string::npos) << table;
  EXPECT_NE(table.find("\nadders | pct | 500 | "), std::string::npos) << table;
  EXPECT_NE(table.find(" | 500 runs, depth 3 | sampled | "), std::string::npos) << table;
  for (const check::model_verdict& at : verdicts) EXPECT_TRUE(at.passed());
}
