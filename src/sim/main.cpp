// SPDX-License-Identifier: Apache-2.0
// The main program of weir::sim_main: runs the tests that WEIR_SIM_TEST has registered.
#include <weir/sim.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#if WEIR_HAS_ASAN
// The leak checker knows the stacks of a run that failed, and not the heap that the sanitizer may keep variables in instead.
extern "C" const char* __asan_default_options() { // NOLINT(bugprone-reserved-identifier)
  return "detect_stack_use_after_return=0";
}
#endif

namespace {

constexpr const char* help = "usage: %s [--list] [--seed N] [--seeds N] [--twice] [--here] [TEST...]\n"
                             "  --seed N   begin with this seed; alone: run this one in this process, for a debugger\n"
                             "  --seeds N  how many seeds, instead of what each test says\n"
                             "  --twice    run each seed twice and compare every event\n"
                             "  --here     run in this process\n"
                             "  --list     print the names of the tests\n";

struct request {
  weir::sim::play_options options;
  std::vector<std::string> names;
  bool lists = false;
  bool is_wrong = false;
};

request read(int count, char** words) {
  request read;
  for (int at = 1; at != count; ++at) {
    const std::string word = words[at];
    const bool has_number = word == "--seed" || word == "--seeds";
    if (has_number && at + 1 != count) {
      const std::uint64_t number = std::strtoull(words[++at], nullptr, 10);
      (word == "--seed" ? read.options.first_seed : read.options.seeds) = number;
    } else if (word == "--list") {
      read.lists = true;
    } else if (word == "--twice") {
      read.options.is_always_twice = true;
    } else if (word == "--here") {
      read.options.is_in_process = true;
    } else if (word.starts_with("-")) {
      read.is_wrong = true;
    } else {
      read.names.push_back(word);
    }
  }
  if (read.options.first_seed && !read.options.seeds) {
    read.options.seeds = 1;
    read.options.is_in_process = true;
  }
  return read;
}

bool run_test(const weir::sim::registered_test& test, const request& asked, const char* program) {
  const auto begin = std::chrono::steady_clock::now();
  const weir::sim::search_result found = weir::sim::play(test, asked.options);
  const std::chrono::duration<double> span = std::chrono::steady_clock::now() - begin;
  std::printf("%s %s: %llu runs, %llu steps, %.2f s, %.2f million steps a second\n",
              found.passed() ? "ok    " : "FAILED", test.name.c_str(), static_cast<unsigned long long>(found.runs),
              static_cast<unsigned long long>(found.steps), span.count(),
              static_cast<double>(found.steps) / 1e6 / span.count());
  if (found.passed()) return true;
  std::printf("%s", found.report().c_str());
  if (found.failing_seed)
    std::printf("  replay: %s --seed %llu %s\n", program, static_cast<unsigned long long>(*found.failing_seed),
                test.name.c_str());
  return false;
}

} // namespace

int main(int count, char** words) {
  const request asked = read(count, words);
  if (asked.is_wrong) {
    std::fprintf(stderr, help, words[0]);
    return 2;
  }
  bool all = true;
  std::size_t matching = 0;
  for (const weir::sim::registered_test& test : weir::sim::registered_tests()) {
    bool is_named = asked.names.empty();
    for (const std::string& name : asked.names) is_named = is_named || name == test.name;
    if (!is_named) continue;
    ++matching;
    if (asked.lists) {
      std::printf("%s\n", test.name.c_str());
    } else {
      all = run_test(test, asked, words[0]) && all;
    }
  }
  if (matching == 0) std::fprintf(stderr, "%s: no such test; --list prints them\n", words[0]);
  return all && matching != 0 ? 0 : 1;
}
