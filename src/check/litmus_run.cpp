// SPDX-License-Identifier: Apache-2.0
#include "check/litmus_run.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <weir/check/litmus.hpp>

namespace weir::check::detail {

namespace {

// Runs the threads one after the other. All that they share is in the graph, so the order in which recorded events are
// replayed does not matter.
class litmus_runner {
public:
  litmus_runner(explorer& engine, const litmus_program& program) : engine_(engine), program_(program) {
    std::size_t at = 0;
    for (const auto& registers : program.registers) {
      first_register_.push_back(at);
      at += registers.size();
    }
    state_.resize(at + program.locations.size());
    first_location_ = at;
    for (const litmus_thread& thread : program.threads) uses_plain_ |= has_plain(thread);
  }

  litmus_verdict run() {
    litmus_verdict verdict;
    engine_.start(std::vector<std::uint64_t>(program_.locations.size(), 0));
    while (engine_.next_execution()) {
      std::fill(state_.begin(), state_.end(), 0);
      bool is_complete = true;
      for (unsigned thread = 0; thread < program_.threads.size() && is_complete; ++thread)
        is_complete = run_list(thread, program_.threads[thread]);
      if (!is_complete) continue;
      engine_.finish_execution(true);
      for (std::size_t location = 0; location < program_.locations.size(); ++location)
        state_[first_location_ + location] = static_cast<std::int64_t>(
            engine_.current().value_of(engine_.current().newest_write(static_cast<std::int32_t>(location))));
      verdict.states.insert(state_);
      if (uses_plain_ && !verdict.has_race) verdict.has_race = has_plain_race(engine_.current());
    }
    verdict.executions = engine_.counts().executions;
    verdict.dead_ends = engine_.counts().dead_ends;
    return verdict;
  }

private:
  static bool has_plain(const litmus_thread& list) {
    return std::any_of(list.begin(), list.end(),
                       [](const litmus_instruction& at) { return at.op.is_plain || has_plain(at.then); });
  }

  bool run_list(unsigned thread, const litmus_thread& list) {
    std::int64_t* const registers = state_.data() + first_register_[thread];
    for (const litmus_instruction& at : list) {
      if (at.what == litmus_instruction::form::if_equal) {
        if (registers[at.reg] == at.equals && !run_list(thread, at.then)) return false;
        continue;
      }
      std::uint64_t value = 0;
      if (engine_.perform(thread, at.op, value) != step_result::done) return false;
      if (at.reg >= 0) registers[at.reg] = static_cast<std::int64_t>(value);
    }
    return true;
  }

  explorer& engine_;
  const litmus_program& program_;
  std::vector<std::size_t> first_register_;
  std::size_t first_location_ = 0;
  litmus_state state_;
  bool uses_plain_ = false;
};

void compare(const litmus_case& expected, const litmus_verdict& found, const std::function<void(std::string)>& report) {
  const auto list = [&](const std::set<litmus_state>& from, const std::set<litmus_state>& without, const char* what) {
    std::vector<litmus_state> only;
    std::set_difference(from.begin(), from.end(), without.begin(), without.end(), std::back_inserter(only));
    if (only.empty()) return;
    report(std::to_string(only.size()) + what + ", the first: " + describe(expected.program, only.front()));
  };
  list(found.states, expected.expected.states, " final states that the file does not allow");
  list(expected.expected.states, found.states, " allowed final states were not reached");
  if (found.has_race != expected.expected.has_race)
    report(found.has_race ? "a data race, the file says there is none" : "no data race, the file says there is one");
  if (found.executions != expected.expected.executions)
    report(std::to_string(found.executions) + " executions, the file says " +
           std::to_string(expected.expected.executions));
}

} // namespace

bool has_plain_race(const graph& g) noexcept {
  for (event_id a = 0; a < g.size(); ++a) {
    if (!g[a].is_access() || (g[a].order & plain) == 0) continue;
    for (event_id b = 0; b < g.size(); ++b) {
      if (g[b].thread == g[a].thread || g[b].location != g[a].location || (g[a].is_read() && g[b].is_read())) continue;
      if (!g.happens_before(a, b) && !g.happens_before(b, a)) return true;
    }
  }
  return false;
}

litmus_verdict explore_litmus(explorer& engine, const litmus_program& program) {
  return litmus_runner(engine, program).run();
}

} // namespace weir::check::detail

namespace weir::check {

std::expected<litmus_summary, std::string> run_litmus(const std::filesystem::path& file,
                                                      const std::function<void(const litmus_mismatch&)>& on_mismatch) {
  std::ifstream in(file);
  if (!in)
    return std::unexpected(file.string() +
                           ": cannot be opened; give the path of a file with one litmus program a line");
  litmus_summary summary;
  detail::explorer engine;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto parsed = detail::parse_litmus(line);
    if (!parsed)
      return std::unexpected(file.string() + ":" + std::to_string(number) + ": " + parsed.error() +
                             "; a line is an object with name, threads, outcomes, race and executions");
    const detail::litmus_verdict found = detail::explore_litmus(engine, parsed->program);
    ++summary.programs;
    summary.executions += found.executions;
    summary.dead_ends += found.dead_ends;
    bool is_equal = true;
    detail::compare(*parsed, found, [&](std::string what) {
      is_equal = false;
      summary.mismatches.push_back({parsed->program.name, std::move(what)});
      if (on_mismatch) on_mismatch(summary.mismatches.back());
    });
    if (is_equal) ++summary.equal;
  }
  if (in.bad()) return std::unexpected(file.string() + ": cannot be read; give the path of a file, not of a folder");
  if (summary.programs == 0)
    return std::unexpected(file.string() + ": holds no program; a file has one litmus program a line");
  return summary;
}

} // namespace weir::check
