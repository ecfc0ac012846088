// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weir::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

constexpr const char* primes_to_100 = "25 primes up to 100, the largest is 97";

TEST(weir_run, a_program_prints_and_its_status_is_that_of_weir) {
  const ended run = weir({"run", example_guest("sieve"), "100"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.output, std::string{primes_to_100} + "\n");
  EXPECT_EQ(run.error, "");
  const ended refused = weir({"run", example_guest("sieve"), "1"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.error, "sieve: N must be from 2 to 1000000000\n");
}

TEST(weir_run, each_line_of_several_guests_carries_its_name) {
  const ended run = weir({"run", "--copies", "3", example_guest("sieve"), "100"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(lines(run.output), testing::UnorderedElementsAre(std::string{"sieve.1| "} + primes_to_100,
                                                               std::string{"sieve.2| "} + primes_to_100,
                                                               std::string{"sieve.3| "} + primes_to_100));
}

TEST(weir_run, errors_carry_the_name_too_and_stay_on_standard_error) {
  const ended run = weir({"run", example_guest("sieve"), "1", "---", example_guest("sieve"), "100"});
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.output, std::string{"sieve.2| "} + primes_to_100 + "\n");
  EXPECT_EQ(run.error, "sieve.1| sieve: N must be from 2 to 1000000000\n");
}

TEST(weir_run, raw_output_has_no_names) {
  const ended run = weir({"run", "--raw", "--copies", "2", example_guest("sieve"), "100"});
  EXPECT_EQ(run.output, std::string{primes_to_100} + "\n" + primes_to_100 + "\n");
}

TEST(weir_run, the_first_failing_program_on_the_command_line_decides_the_status) {
  const ended run = weir({"run", example_guest("sieve"), "100", "---", example_guest("reader"), "/none", "---",
                          example_guest("sieve"), "1"});
  EXPECT_EQ(run.status, 1);
}

TEST(weir_run, standard_input_goes_to_the_first_program_and_ends_for_the_others) {
  process run{weir_command({"run", example_guest("reader"), "---", example_guest("reader")})};
  run.write("hello\n");
  const ended left = run.finish();
  EXPECT_EQ(left.status, 0);
  EXPECT_THAT(lines(left.output),
              testing::UnorderedElementsAre("reader.1|    5 hello", "reader.1| 1 lines, 5 bytes without line ends",
                                            "reader.2| 0 lines, 0 bytes without line ends"));
}

TEST(weir_run, a_guest_that_waits_for_input_does_not_keep_the_permit) {
  process run{weir_command({"run", "--permits", "1", example_guest("reader"), "---", example_guest("sieve"), "100"})};
  EXPECT_TRUE(run.wait_for_output(primes_to_100));
  run.write("late\n");
  EXPECT_EQ(run.finish().status, 0);
}

TEST(weir_run, a_folder_is_seen_under_its_guest_name_and_nothing_else_is) {
  const scratch_folder folder;
  folder.write("one.txt", "two words\nand three more\n");
  const ended inside = weir({"run", "--dir", folder.path() + "::/in", example_guest("wordcount"), "/in"});
  EXPECT_EQ(inside.status, 0) << inside.error;
  EXPECT_THAT(inside.output, HasSubstr("1 files, 2 lines, 5 words"));
  const ended outside = weir({"run", "--dir", folder.path() + "::/in", example_guest("wordcount"), "/in/../etc"});
  EXPECT_EQ(outside.status, 1);
  const ended missing = weir({"run", "--dir", folder.file("none"), example_guest("sieve"), "100"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.error, HasSubstr(folder.file("none")));
}

TEST(weir_run, spinning_guests_on_one_permit_let_another_publish) {
  const scratch_folder folder;
  std::vector<std::string> words{"run", "--permits", "1", "--timeout", "60s", "--dir", folder.path() + "::/box", "---"};
  words.insert(words.end(), {"--copies", "8", example_guest("spin-until"), "/box/flag", "---", example_guest("publish"),
                             "/box/flag"});
  const ended run = weir(words);
  EXPECT_EQ(run.status, 0) << run.error;
  EXPECT_EQ(lines(run.output).size(), 9u) << run.output;
}

TEST(weir_run, an_invoked_function_gets_values_of_its_types_and_its_results_are_printed) {
  const std::string one = test_data("corpus/text/text.1.wasm");
  EXPECT_EQ(weir({"run", "--invoke", "one", one}).output, "1\n");
  const ended wrong = weir({"run", "--invoke", "one", one, "5"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.error, "weir: --invoke one: takes 0 arguments, not 1: its type is () -> i32\n");
  const ended unknown = weir({"run", "--invoke", "two", one});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.error, HasSubstr("it exports one"));
}

TEST(weir_run, repeated_calls_end_with_the_line_of_their_times) {
  const ended run = weir({"run", "--invoke", "one", "--repeat", "5", test_data("corpus/text/text.1.wasm")});
  EXPECT_EQ(run.status, 0);
  ASSERT_EQ(lines(run.output).size(), 2u);
  EXPECT_EQ(lines(run.output)[0], "1");
  EXPECT_THAT(lines(run.output)[1], MatchesRegex("min [0-9.]+ ms, median [0-9.]+ ms over 5 calls"));
}

TEST(weir_run, a_trap_is_134_and_shows_where) {
  const ended run = weir({"run", "--invoke", "throw", test_data("corpus/basic/basic.4.wasm")});
  EXPECT_EQ(run.status, 134);
  EXPECT_THAT(run.error, StartsWith("weir: basic.4: threw an exception that nobody caught"));
  const ended start = weir({"run", "--invoke", "none", test_data("corpus/basic/basic.3.wasm")});
  EXPECT_EQ(start.status, 2);
}

TEST(weir_run, a_guest_that_computes_for_ever_is_stopped_by_its_time_out) {
  const scratch_folder folder;
  const ended run =
      weir({"run", "--timeout", "100ms", "--dir", folder.path() + "::/box", example_guest("spin-until"), "/box/never"});
  EXPECT_EQ(run.status, 124);
  EXPECT_THAT(lines(run.error), ElementsAre(StartsWith("weir: spin-until: timed out after 100.00 ms")));
}

TEST(weir_run, a_guest_that_waits_for_ever_is_stopped_by_its_time_out) {
  process run{weir_command({"run", "--timeout", "100ms", example_guest("reader")})};
  const ended left = run.finish(false);
  EXPECT_EQ(left.status, 124);
  EXPECT_THAT(lines(left.error), ElementsAre(StartsWith("weir: reader: timed out after 100.00 ms")));
}

TEST(weir_run, an_interrupt_stops_guests_that_compute_and_guests_that_wait) {
  const scratch_folder folder;
  process run{weir_command({"run", "--permits", "2", "--dir", folder.path() + "::/box", example_guest("reader"), "---",
                            example_guest("spin-until"), "/box/never"})};
  run.write("up\n");
  ASSERT_TRUE(run.wait_for_output("reader|    2 up\n"));
  run.signal(SIGINT);
  const ended left = run.finish(false);
  EXPECT_EQ(left.status, 130);
  ASSERT_FALSE(lines(left.error).empty());
  EXPECT_EQ(lines(left.error)[0],
            "weir: interrupted: the guests stop at their next checkpoint; interrupt again to end at once");
}

TEST(weir_run, two_interrupts_end_the_process) {
  process run{weir_command({"run", example_guest("reader")})};
  run.write("up\n");
  ASSERT_TRUE(run.wait_for_output("   2 up\n"));
  run.signal(SIGINT);
  ASSERT_TRUE(run.wait_for_error("interrupt again"));
  run.signal(SIGINT);
  EXPECT_EQ(run.finish(false).status, 130);
}

/// A guest that is stuck in a host call: its output has no reader and is full.
class stuck_guest : public testing::Test {
protected:
  static std::vector<std::string> words(std::vector<std::string> options) {
    options.insert(options.begin(), "run");
    options.insert(options.end(), {example_guest("reader"), "---", example_guest("reader")});
    return weir_command(options);
  }
  static std::string many_lines() {
    std::string text;
    while (text.size() < 60'000) text += "x\n";
    return text;
  }
};

TEST_F(stuck_guest, is_given_up_on_after_its_time_out) {
  // A time-out that ends before the guests have filled their output stops them at a checkpoint and says nothing: try a longer one.
  for (auto timeout = 200ms; timeout < 20s; timeout *= 2) {
    process run{words({"--timeout", std::to_string(timeout.count()) + "ms"})};
    run.write(many_lines());
    const bool was_stuck = run.wait_for_error("stuck in a host call");
    EXPECT_EQ(run.finish(false).status, 124);
    if (was_stuck) return;
  }
  FAIL() << "no guest was given up on in a host call";
}

TEST_F(stuck_guest, is_left_at_once_by_a_second_interrupt) {
  process run{words({})};
  run.write(many_lines());
  ASSERT_TRUE(run.wait_for_output("reader.1|    1 x\n"));
  run.signal(SIGINT);
  ASSERT_TRUE(run.wait_for_error("interrupt again"));
  run.signal(SIGINT);
  EXPECT_EQ(run.finish(false).status, 130);
}

TEST(weir_run, a_termination_is_an_interrupt_with_a_status_of_its_own) {
  process run{weir_command({"run", example_guest("reader")})};
  run.write("up\n");
  ASSERT_TRUE(run.wait_for_output("   2 up\n"));
  run.signal(SIGTERM);
  EXPECT_EQ(run.finish(false).status, 143);
}

TEST(weir_run, memory_beyond_the_limit_is_refused_to_the_guest) {
  const ended grows = weir({"run", "--max-memory", "2MiB", example_guest("sieve"), "100000000"});
  EXPECT_EQ(grows.status, 1);
  EXPECT_EQ(grows.error, "sieve: not enough memory\n");
  const ended begins = weir({"run", "--max-memory", "1KiB", example_guest("sieve"), "100"});
  EXPECT_EQ(begins.status, 126);
  EXPECT_THAT(begins.error, HasSubstr("--max-memory"));
}

TEST(weir_run, the_table_of_statistics_is_on_standard_error) {
  const ended run = weir({"run", "--permits", "1", "--stats", "--copies", "2", example_guest("sieve"), "100"});
  EXPECT_EQ(lines(run.output).size(), 2u);
  const auto table = lines(run.error);
  ASSERT_EQ(table.size(), 5u) << run.error;
  EXPECT_THAT(table[0], MatchesRegex("guest +result +wall +CPU +polls +handoffs +checkpoints +peak memory"));
  EXPECT_THAT(table[1], MatchesRegex("sieve.1 +exit 0 .* pages"));
  EXPECT_THAT(table[3], MatchesRegex("total +all well .* pages"));
  EXPECT_THAT(table[4], MatchesRegex("1 permit, [0-9]+ threads?"));
}

TEST(weir_run, statistics_as_json_are_the_last_line_of_standard_output) {
  const ended run = weir({"run", "--stats=json", example_guest("sieve"), "2000000"});
  ASSERT_EQ(lines(run.output).size(), 2u);
  const auto read = nlohmann::json::parse(lines(run.output)[1]);
  EXPECT_EQ(read["guests"][0]["name"], "sieve");
  EXPECT_EQ(read["guests"][0]["status"], 0);
  EXPECT_GT(read["guests"][0]["cpu_ns"].get<std::int64_t>(), 0);
  EXPECT_GE(read["guests"][0]["polls"].get<int>(), 1);
  EXPECT_GT(read["guests"][0]["peak_memory_pages"].get<int>(), 30);
}

TEST(weir_run, usage_errors_are_2_with_one_line) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"run"},
                                                {"run", "--frob", "x.wasm"},
                                                {"run", "--timeout", "5", "x.wasm"},
                                                {"walk"},
                                                {"run", "--permits", "2", "--threads", "1", example_guest("sieve")}}) {
    const ended run = weir(words);
    EXPECT_EQ(run.status, 2) << run.error;
    EXPECT_EQ(lines(run.error).size(), 1u) << run.error;
    EXPECT_THAT(run.error, StartsWith("weir"));
    EXPECT_THAT(run.output, IsEmpty());
  }
}

TEST(weir_run, help_is_on_standard_output) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help"}, {"run", "--help"}, {"inspect", "--help"}, {"conform", "--help"}}) {
    const ended run = weir(words);
    EXPECT_EQ(run.status, 0);
    EXPECT_THAT(run.output, HasSubstr("Usage: weir"));
    EXPECT_THAT(run.error, IsEmpty());
  }
}

TEST(weir_run_sim, the_same_seed_gives_the_same_output_byte_for_byte) {
  if (!WEIR_HAS_SIMULATED_RUN) GTEST_SKIP() << "built without the simulation";
  std::vector<std::string> outputs;
  for (int seed = 1; seed <= 12; ++seed) {
    const std::vector<std::string> words{"run",      "--sim", std::to_string(seed),   "--stats", "--permits", "2",
                                         "--copies", "4",     example_guest("sieve"), "1000"};
    const ended first = weir(words);
    const ended second = weir(words);
    EXPECT_EQ(first.status, 0) << first.error;
    EXPECT_EQ(first.output, second.output);
    EXPECT_EQ(first.error, second.error);
    EXPECT_EQ(lines(first.output).size(), 4u);
    outputs.push_back(first.output);
  }
  std::ranges::sort(outputs);
  EXPECT_NE(outputs.front(), outputs.back()) << "a seed decides who comes first";
}

TEST(weir_run_sim, guests_that_spin_let_another_run_on_one_permit_under_every_seed) {
  if (!WEIR_HAS_SIMULATED_RUN) GTEST_SKIP() << "built without the simulation";
  const auto run = [](int seed) {
    const scratch_folder folder;
    return weir({"run", "--sim", std::to_string(seed), "--permits", "1", "--timeout", "10s", "--dir",
                 folder.path() + "::/box", "---", "--copies", "2", example_guest("spin-until"), "/box/flag", "---",
                 example_guest("publish"), "/box/flag"});
  };
  for (int seed = 1; seed <= 24; ++seed) {
    const ended one = run(seed);
    EXPECT_EQ(one.status, 0) << "seed " << seed << ": " << one.error;
    EXPECT_THAT(one.output, HasSubstr("spin-until.1| found"));
    EXPECT_THAT(one.output, HasSubstr("spin-until.2| found"));
    if (seed <= 6) {
      EXPECT_EQ(run(seed).output, one.output) << "seed " << seed;
    }
  }
}

TEST(weir_run_sim, a_time_out_is_virtual_time) {
  if (!WEIR_HAS_SIMULATED_RUN) GTEST_SKIP() << "built without the simulation";
  const scratch_folder folder;
  for (int seed = 1; seed <= 8; ++seed) {
    const ended run = weir({"run", "--sim", std::to_string(seed), "--timeout", "2ms", "--dir", folder.path() + "::/box",
                            "--copies", "2", example_guest("spin-until"), "/box/never"});
    EXPECT_EQ(run.status, 124);
    EXPECT_EQ(run.error, "weir: spin-until.1: timed out after 2.00 ms\nweir: spin-until.2: timed out after 2.00 ms\n");
  }
}

TEST(weir_run_sim, traps_and_exit_statuses_are_those_of_a_run_that_is_not_simulated) {
  if (!WEIR_HAS_SIMULATED_RUN) GTEST_SKIP() << "built without the simulation";
  const std::vector<std::pair<int, std::vector<std::string>>> endings{
      {0, {example_guest("sieve"), "100"}},
      {2, {example_guest("sieve"), "1"}},
      {1, {example_guest("reader"), "/none"}},
      {126, {test_data("none.wasm")}},
      {134, {"--invoke", "throw", test_data("corpus/basic/basic.4.wasm")}},
      {2, {"--invoke", "none", test_data("corpus/basic/basic.3.wasm")}},
      {2, {"--dir", "/none", example_guest("sieve"), "100"}}};
  for (const auto& [status, words] : endings) {
    std::vector<std::string> real{"run"};
    real.insert(real.end(), words.begin(), words.end());
    std::vector<std::string> simulated{"run", "--sim", "5"};
    simulated.insert(simulated.end(), words.begin(), words.end());
    const ended one = weir(real);
    const ended other = weir(simulated);
    EXPECT_EQ(other.status, status) << other.error;
    EXPECT_EQ(one.status, other.status);
    EXPECT_EQ(one.output, other.output);
    EXPECT_EQ(one.error, other.error);
  }
}

TEST(weir_run_sim, standard_input_is_read_to_its_end) {
  if (!WEIR_HAS_SIMULATED_RUN) GTEST_SKIP() << "built without the simulation";
  process run{weir_command(
      {"run", "--sim", "1", "--permits", "1", example_guest("reader"), "---", example_guest("sieve"), "100"})};
  run.write("a line\n");
  const ended end = run.finish();
  EXPECT_EQ(end.status, 0) << end.error;
  EXPECT_THAT(end.output, HasSubstr("reader| 1 lines, 6 bytes"));
  EXPECT_THAT(end.output, HasSubstr(std::string{"sieve| "} + primes_to_100));
}

TEST(weir_run_sim, what_a_simulation_cannot_do_is_a_usage_error) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "--sim", "x", example_guest("sieve")},
        {"run", "--sim=", example_guest("sieve")},
        {"run", "--sim", "1", "--repeat", "2", "--invoke", "run", example_guest("sieve")},
        {"run", "--sim", "1", "--permits", "2", "--threads", "1", example_guest("sieve"), "100"}}) {
    const ended run = weir(words);
    EXPECT_EQ(run.status, 2) << run.error;
    EXPECT_EQ(lines(run.error).size(), 1u) << run.error;
    EXPECT_THAT(run.output, IsEmpty());
  }
}

} // namespace
} // namespace weir::test
