// SPDX-License-Identifier: Apache-2.0
#include <weir/check/model.hpp>

#include <memory>
#include <stdexcept>

#include "os/virtual_memory.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <weir/check.hpp>
#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/futex.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using enum std::memory_order;

namespace {

check::exploration message_passing(std::memory_order publish, std::memory_order observe) {
  return check::explore("message passing", [=](check::model& m) {
    check::atomic<int> ready{0};
    check::cell<int> data{0};
    ready.name("ready");
    m.spawn("writer", [&] {
      data.set(42);
      ready.store(1, publish);
    });
    m.spawn("reader", [&] {
      const bool is_ready = ready.load(observe) == 1;
      m.sometimes("the reader sees the flag", is_ready);
      if (is_ready) m.require(data.get() == 42, "the data is there");
    });
    m.join_all();
  });
}

} // namespace

TEST(model, message_passing_needs_release_and_acquire) {
  const check::exploration good = message_passing(release, acquire);
  EXPECT_TRUE(good.passed()) << good.report;
  EXPECT_EQ(good.executions, 2U);
  EXPECT_EQ(message_passing(relaxed, acquire).failure, check::failure_kind::data_race);
  EXPECT_EQ(message_passing(release, relaxed).failure, check::failure_kind::data_race);
}

TEST(model, a_report_names_both_sides_of_a_race_and_the_order_that_is_missing) {
  const check::exploration racy = message_passing(relaxed, acquire);
  EXPECT_NE(racy.report.find("DATA RACE  model message passing"), std::string::npos) << racy.report;
  EXPECT_NE(racy.report.find("writes data"), std::string::npos) << racy.report;
  EXPECT_NE(racy.report.find("ready.store(1) relaxed"), std::string::npos) << racy.report;
  ASSERT_EQ(racy.fixes.size(), 1U) << racy.report;
  EXPECT_NE(racy.fixes[0].find("store: relaxed -> release"), std::string::npos) << racy.report;
  const check::exploration both = message_passing(relaxed, relaxed);
  ASSERT_FALSE(both.fixes.empty()) << both.report;
  EXPECT_NE(both.fixes[0].find("load: relaxed -> acquire"), std::string::npos) << both.report;
  EXPECT_NE(both.fixes[0].find("store: relaxed -> release"), std::string::npos) << both.report;
}

TEST(model, a_failure_is_data_for_tools) {
  const check::exploration found = message_passing(relaxed, acquire);
  ASSERT_EQ(found.failure, check::failure_kind::data_race);
  const auto read = nlohmann::json::parse(found.report_json);
  EXPECT_EQ(read["failure"], "data race");
  EXPECT_EQ(read["replay"], found.replay_string);
  std::size_t about = 0;
  const nlohmann::json* flag = nullptr;
  for (const auto& step : read["steps"]) {
    about += step.contains("is_about") ? 1 : 0;
    if (step.value("operation", "") == "load" && step["read"] == 1) flag = &step;
  }
  EXPECT_EQ(about, 2U);
  ASSERT_NE(flag, nullptr);
  const auto& source = read["steps"][(*flag)["source"].get<std::size_t>() - 1];
  EXPECT_EQ(source["operation"], "store");
  EXPECT_EQ(source["order"], "relaxed");
  EXPECT_EQ(source["location"], (*flag)["location"]);
  const std::string rf =
      "  s" + (*flag)["source"].dump() + " -> s" + (*flag)["step"].dump() + " [color=darkgreen, label=rf];\n";
  EXPECT_NE(found.graphviz.find(rf), std::string::npos) << found.graphviz;
  EXPECT_TRUE(found.graphviz.starts_with("digraph execution {\n"));
  EXPECT_EQ(check::replay("message passing", [](check::model&) {}, "w1:x").graphviz, "");
  EXPECT_EQ(message_passing(release, acquire).report_json, "");
}

TEST(model, a_failure_replays_from_its_string) {
  const auto body = [](check::model& m) {
    check::atomic<int> x{0};
    check::atomic<int> y{0};
    int seen[2] = {1, 1};
    m.spawn("a", [&] {
      x.store(1, relaxed);
      seen[0] = y.load(relaxed);
    });
    m.spawn("b", [&] {
      y.store(1, relaxed);
      seen[1] = x.load(relaxed);
    });
    m.join_all();
    m.require(seen[0] + seen[1] != 0, "one of them sees the other");
  };
  const check::exploration found = check::explore("store buffering", body);
  ASSERT_EQ(found.failure, check::failure_kind::requirement);
  for (int round = 0; round < 1'000; ++round) {
    const check::exploration again = check::replay("store buffering", body, found.replay_string);
    ASSERT_EQ(again.failure, check::failure_kind::requirement) << again.report;
  }
  EXPECT_EQ(check::replay("another", body, found.replay_string).failure, check::failure_kind::nondeterminism);
  EXPECT_EQ(check::replay("store buffering", body, found.replay_string + "a").failure,
            check::failure_kind::nondeterminism);
}

TEST(model, counts_executions_like_the_engine_without_threads) {
  for (unsigned threads = 1; threads <= 5; ++threads) {
    std::uint64_t factorial = 1;
    for (unsigned at = 2; at <= threads; ++at) factorial *= at;
    const check::exploration found = check::explore("counter", [=](check::model& m) {
      check::atomic<unsigned> count{0};
      for (unsigned at = 0; at < threads; ++at) m.spawn("adder", [&] { count.fetch_add(1, relaxed); });
      m.join_all();
      m.require(count.load(relaxed) == threads, "nothing is lost");
    });
    EXPECT_TRUE(found.passed()) << found.report;
    EXPECT_EQ(found.executions, factorial);
    EXPECT_EQ(found.dead_ends, 0U);
  }
}

TEST(model, a_spinning_thread_waits_for_a_write) {
  const auto spin = [](bool writes) {
    return check::explore("spin", [=](check::model& m) {
      check::atomic<int> flag{0};
      m.spawn("waiter", [&] {
        while (flag.load(acquire) == 0) check::spin_hint();
      });
      if (writes) flag.store(1, release);
      m.join_all();
    });
  };
  const check::exploration good = spin(true);
  EXPECT_TRUE(good.passed()) << good.report;
  EXPECT_EQ(good.executions, 1U);
  const check::exploration stuck = spin(false);
  EXPECT_EQ(stuck.failure, check::failure_kind::livelock);
  EXPECT_NE(stuck.report.find("main joins waiter, waiter spins"), std::string::npos) << stuck.report;
}

TEST(model, a_lock_that_spins_excludes) {
  const auto lock = [](std::memory_order take, std::memory_order give) {
    return check::explore("spin lock", [=](check::model& m) {
      check::atomic<bool> is_held{false};
      check::cell<int> count{0};
      for (int at = 0; at < 3; ++at)
        m.spawn("worker", [&] {
          while (is_held.exchange(true, take)) check::spin_hint();
          count.set(count.get() + 1);
          is_held.store(false, give);
        });
      m.join_all();
      m.require(count.get() == 3, "no increment is lost");
    });
  };
  const check::exploration good = lock(acquire, release);
  EXPECT_TRUE(good.passed()) << good.report;
  EXPECT_EQ(lock(relaxed, release).failure, check::failure_kind::data_race);
  EXPECT_EQ(lock(acquire, relaxed).failure, check::failure_kind::data_race);
}

TEST(model, a_sleeper_is_woken_unless_the_waker_looks_too_early) {
  const auto park = [](bool checks_before_storing) {
    return check::explore("park", [=](check::model& m) {
      check::atomic<std::uint32_t> word{0};
      word.name("word");
      m.spawn("sleeper", [&] {
        while (word.load(acquire) == 0) check::futex_wait(word, 0);
      });
      m.spawn("waker", [&] {
        if (checks_before_storing) check::futex_wake(word);
        word.store(1, release);
        if (!checks_before_storing) check::futex_wake(word);
      });
      m.join_all();
    });
  };
  const check::exploration good = park(false);
  EXPECT_TRUE(good.passed()) << good.report;
  const check::exploration lost = park(true);
  EXPECT_EQ(lost.failure, check::failure_kind::lost_wakeup);
  EXPECT_NE(lost.report.find("sleeps for ever"), std::string::npos) << lost.report;
}

TEST(model, a_wake_that_is_skipped_on_a_stale_count_is_lost_and_two_fences_repair_it) {
  const auto park = [](bool has_fences) {
    return [=](check::model& m) {
      check::atomic<std::uint32_t> word{0};
      check::atomic<int> sleepers{0};
      m.spawn("sleeper", [&] {
        sleepers.fetch_add(1, acq_rel);
        if (has_fences) check::fence(seq_cst);
        while (word.load(acquire) == 0) check::futex_wait(word, 0);
      });
      word.store(1, release);
      if (has_fences) check::fence(seq_cst);
      if (sleepers.load(seq_cst) != 0) check::futex_wake(word);
      m.join_all();
    };
  };
  const check::exploration lost = check::explore("park", park(false));
  EXPECT_EQ(lost.failure, check::failure_kind::lost_wakeup);
  EXPECT_EQ(lost.report.find("LOST WAKE-UP  model park"), 0U) << lost.report;
  ASSERT_FALSE(lost.fixes.empty()) << lost.report;
  EXPECT_NE(lost.fixes[0].find("fetch_add: a seq_cst fence behind it"), std::string::npos) << lost.report;
  const check::exploration good = check::explore("park", park(true));
  EXPECT_TRUE(good.passed()) << good.report;
  for (const check::mutant& at : check::explore_mutants("park", park(true)))
    if (at.name.find("fence: seq_cst") != std::string::npos) {
      EXPECT_EQ(at.killed_by, check::failure_kind::lost_wakeup) << at.name;
    }
}

TEST(model, finds_leaks_and_uses_after_destruction) {
  const check::exploration leak = check::explore("leak", [](check::model&) {
    const auto kept = std::make_unique<std::unique_ptr<int>>(std::make_unique<int>(1));
    check::atomic<int*> elsewhere{kept->release()};
  });
  EXPECT_EQ(leak.failure, check::failure_kind::leak);
  const check::exploration touch = check::explore("signal, then touch", [](check::model& m) {
    auto done = std::make_unique<check::atomic<int>>(0);
    m.spawn("signaller", [&, word = done.get()] {
      word->store(1, release);
      word->load(relaxed);
    });
    while (done->load(acquire) == 0) check::spin_hint();
    done.reset();
    m.join_all();
  });
  EXPECT_EQ(touch.failure, check::failure_kind::lifetime) << touch.report;
  const check::exploration freed = check::explore("freed", [](check::model&) {
    auto* const word = new check::atomic<int>(0);
    auto* const data = new check::cell<int>(0);
    delete data;
    static_cast<void>(data->get());
    delete word;
  });
  EXPECT_EQ(freed.failure, check::failure_kind::lifetime);
  EXPECT_NE(freed.report.find("main uses plain data in memory that was freed ("), std::string::npos) << freed.report;
  const check::exploration wrong = check::explore("wrong order", [](check::model&) {
    check::atomic<int> word{0};
    static_cast<void>(word.load(release));
  });
  EXPECT_EQ(wrong.failure, check::failure_kind::wrong_order);
}

TEST(model, goals_that_are_never_reached_are_reported) {
  const check::exploration found = check::explore("goal", [](check::model& m) {
    m.sometimes("never", false);
    m.sometimes("at times", m.choose(3) == 2);
  });
  EXPECT_EQ(found.failure, check::failure_kind::none);
  EXPECT_FALSE(found.passed());
  EXPECT_EQ(found.never_reached, std::vector<std::string>{"never"});
  EXPECT_EQ(found.executions, 3U);
}

TEST(model, exceptions_and_differences_between_runs_are_failures) {
  const check::exploration thrown = check::explore("thrown", [](check::model& m) {
    m.spawn("thrower", [] { throw std::runtime_error("no way on"); });
    m.join_all();
  });
  EXPECT_EQ(thrown.failure, check::failure_kind::exception);
  EXPECT_NE(thrown.report.find("no way on"), std::string::npos);
  int runs = 0;
  const check::exploration changing = check::explore("changing", [&](check::model& m) {
    check::atomic<int> word{0};
    m.choose(2);
    if (runs++ == 0) word.store(1, relaxed);
    m.choose(2);
  });
  EXPECT_EQ(changing.failure, check::failure_kind::nondeterminism);
}

TEST(model, a_failed_check_of_the_code_is_a_failure_of_the_model) {
  const check::exploration found = check::explore("check", [](check::model& m) {
    check::atomic<int> word{0};
    m.spawn("other", [&] { word.store(1, relaxed); });
    WEIR_CHECK(word.load(relaxed) == 0, "the other thread is late");
    m.join_all();
  });
  EXPECT_EQ(found.failure, check::failure_kind::requirement);
  EXPECT_NE(found.report.find("check failed: the other thread is late ("), std::string::npos) << found.report;
}

TEST(model, the_next_model_of_a_thread_runs_in_the_memory_of_the_last) {
  std::uintptr_t heap = 0;
  std::uintptr_t stack = 0;
  const auto body = [&](check::model& m) {
    m.spawn("child", [&] {
      int local = 0;
      const auto block = std::make_unique<int>();
      heap = reinterpret_cast<std::uintptr_t>(block.get());
      stack = reinterpret_cast<std::uintptr_t>(&local);
    });
    m.join_all();
  };
  ASSERT_TRUE(check::explore("first", body).passed());
  const std::uintptr_t first_heap = heap;
  const std::uintptr_t first_stack = stack;
  // Memory that was mapped anew would lie somewhere else than what the first model left unmapped and this takes.
  const auto between = weir::rt::os::address_range::reserve(std::size_t{1} << 20U);
  ASSERT_TRUE(between);
  ASSERT_TRUE(check::explore("second", body).passed());
  EXPECT_EQ(heap, first_heap);
  EXPECT_EQ(stack, first_stack);
}

TEST(model, a_run_at_its_limit_is_not_complete) {
  check::model_options options;
  options.max_executions = 10;
  const check::exploration found = check::explore("limit", [](check::model& m) { m.choose(100); }, options);
  EXPECT_EQ(found.failure, check::failure_kind::none);
  EXPECT_FALSE(found.is_complete);
  EXPECT_FALSE(found.passed());
}

TEST(model, the_table_calls_a_search_that_stopped_early_bounded) {
  check::registered_model model;
  model.name = "limit";
  model.body = [](check::model& m) { m.choose(100); };
  const check::model_verdict whole = check::verify(model);
  model.options.max_executions = 10;
  const check::model_verdict part = check::verify(model);
  EXPECT_FALSE(part.passed());
  const std::string table = check::table_of(std::vector{whole, part});
  EXPECT_NE(table.find("\nlimit | exhaustive | 100 | 0 | 2 | none | verified | 0 of 0 | 0\n"), std::string::npos)
      << table;
  EXPECT_NE(table.find("\nlimit | exhaustive | 10 | 0 | 2 | 10 executions | bounded | 0 of 0 | 0\n"), std::string::npos)
      << table;
}

TEST(model, every_weakened_order_of_message_passing_is_noticed) {
  const auto body = [](check::model& m) {
    check::atomic<int> ready{0};
    check::cell<int> data{0};
    m.spawn("writer", [&] {
      data.set(1);
      ready.store(check::is_mutated("forgets to publish") ? 0 : 1, release);
    });
    while (ready.load(acquire) == 0) check::spin_hint();
    m.require(data.get() == 1, "the data is there");
    m.join_all();
  };
  const auto mutants = check::explore_mutants("message passing", body, {"forgets to publish"});
  ASSERT_EQ(mutants.size(), 3U);
  for (const check::mutant& at : mutants) EXPECT_FALSE(at.is_survivor()) << at.name;
  EXPECT_EQ(mutants[2].killed_by, check::failure_kind::livelock);
}
