// SPDX-License-Identifier: Apache-2.0

// The engines: which executions a search goes through, how many there are likely to be, and when it stops.

#include <algorithm>
#include <cstdio>

#include "check/bounded_search.hpp"
#include "check/checker.hpp"
#include "check/verdict.hpp"

namespace weir::check::detail {

namespace {

using std::chrono::steady_clock;

constexpr std::uint64_t runs_before_estimate = 10'000; // a search that ends earlier needs none
constexpr unsigned probes = 4'000;
constexpr std::uint64_t runs_for_probes =
    200'000; // about a second; a clock would make estimates differ from run to run
constexpr std::chrono::seconds time_between_lines{5};
constexpr double long_search = 10; // seconds; who starts one is told at once

} // namespace

void checker::explore() {
  started_at_ = shown_at_ = steady_clock::now();
  switch (options_.engine) {
  case engine_kind::exhaustive: explore_exhaustively(); break;
  case engine_kind::bounded: explore_within_bound(); break;
  case engine_kind::random: {
    random_strategy by(options_.seed, options_.stale_reads);
    sample(by);
    break;
  }
  case engine_kind::pos: {
    pos_strategy by(options_.seed, options_.stale_reads);
    sample(by);
    break;
  }
  case engine_kind::pct: {
    pct_strategy by(options_.seed, options_.stale_reads, options_.depth);
    sample(by);
    result_.probability = by.probability();
    result_.threads = by.most_threads();
    result_.steps = by.most_steps();
    break;
  }
  }
  result_.failing_execution = engine_.counts().executions;
  result_.elapsed = steady_clock::now() - started_at_;
  result_.is_complete = result_.is_finished && options_.engine == engine_kind::exhaustive;
}

void checker::explore_exhaustively() {
  engine_.start({});
  while (engine_.next_execution()) {
    run_threads();
    finish();
    if (failure_.kind != failure_kind::none) return;
    const exploration_counts& counts = engine_.counts();
    const std::uint64_t runs = counts.executions + counts.blocked;
    const bool is_last = engine_.pending() == 0;
    if (runs == runs_before_estimate && !is_last) {
      estimate();
      if (failure_.kind != failure_kind::none) return;
    }
    if (!is_last && (runs >= options_.max_executions || is_out_of_time())) return;
  }
  result_.is_finished = true;
}

// Walks down the tree of graphs at random: a graph's children are those that running it adds to the work list. The sum of
// the products of the numbers of children on the way is, on average, the number of graphs (Knuth's estimate).
void checker::estimate() {
  const auto elapsed = steady_clock::now() - started_at_;
  explorer rest = std::exchange(engine_, explorer());
  random_stream random(options_.seed, 0);
  double runs = 0;
  double executions = 0;
  unsigned walks = 0;
  std::uint64_t walked = 0;
  for (; walks < probes && (walks < 200 || walked < runs_for_probes); ++walks) {
    double weight = 1;
    engine_.start({});
    while (engine_.next_execution()) {
      const std::uint64_t before = engine_.counts().executions;
      run_threads();
      finish();
      if (failure_.kind != failure_kind::none) { // found by luck; it is as good as any
        exploration_counts counts = rest.counts();
        ++counts.executions;
        engine_.set_counts(counts);
        return;
      }
      ++walked;
      runs += weight;
      if (engine_.counts().executions != before) executions += weight;
      weight *= static_cast<double>(engine_.keep_one(random));
    }
  }
  const exploration_counts& so_far = rest.counts();
  result_.estimated_runs = std::max(runs / walks, static_cast<double>(so_far.executions + so_far.blocked));
  result_.estimated_executions = std::max(executions / walks, static_cast<double>(so_far.executions));
  engine_ = std::move(rest);
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const double expected = seconds / static_cast<double>(runs_before_estimate) * result_.estimated_runs;
  if (options_.shows_progress && expected >= long_search) show_progress(elapsed);
}

void checker::explore_within_bound() {
  bounded_search by(options_.preemptions);
  strategy_ = &by;
  do {
    const bool passed = run_drawn();
    if (by.has_diverged())
      set_failure(failure_kind::nondeterminism,
                  "the threads that can run are not those of before, although every decision was the same", {});
    if (!passed || by.has_diverged()) break;
    const exploration_counts& counts = engine_.counts();
    result_.is_finished = !by.advance();
    if (!result_.is_finished && (counts.executions + counts.blocked >= options_.max_executions || is_out_of_time()))
      break;
  } while (!result_.is_finished);
  result_.left_some_out = by.left_some_out();
  strategy_ = nullptr;
}

void checker::sample(random_strategy& by) {
  strategy_ = &by;
  for (std::uint64_t run = 0; run < options_.runs; ++run) {
    by.begin_run(run);
    if (!run_drawn()) break;
    if (run % 64 == 0) { // whatever the body depends on that is not the model's shows as a difference
      const std::uint64_t first = fingerprint();
      const exploration_counts counts = engine_.counts();
      run_guided(schedule());
      engine_.set_counts(counts);
      strategy_ = &by;
      if (failure_.kind != failure_kind::none || first != fingerprint()) {
        set_failure(failure_kind::nondeterminism, "the same decisions lead to another execution", {});
        break;
      }
    }
    result_.is_finished = run + 1 == options_.runs;
    if (!result_.is_finished && is_out_of_time()) break;
  }
  strategy_ = nullptr;
}

bool checker::is_out_of_time() {
  if (++ticks_ % 256 != 0) return false;
  const auto now = steady_clock::now();
  const auto elapsed = now - started_at_;
  if (options_.shows_progress && now - shown_at_ >= time_between_lines) {
    shown_at_ = now;
    show_progress(elapsed);
  }
  result_.ran_out_of_time = options_.time_limit.count() > 0 && elapsed >= options_.time_limit;
  return result_.ran_out_of_time;
}

void checker::show_progress(std::chrono::nanoseconds elapsed) {
  const exploration_counts& counts = engine_.counts();
  const double seconds = std::chrono::duration<double>(elapsed).count();
  std::string line = "weir::check: " + name_ + ": " + grouped(counts.executions);
  if (draws_at_random(options_.engine)) {
    line += " of " + grouped(options_.runs) + " runs";
  } else if (result_.estimated_executions > 0) {
    line += " of about " + about(result_.estimated_executions) + " executions";
    if (result_.estimated_runs > static_cast<double>(options_.max_executions))
      line += ", more than the limit of " + grouped(options_.max_executions);
  } else {
    line += " executions";
  }
  line += ", " + about(seconds) + " s";
  if (result_.estimated_runs > 0) {
    const auto runs = static_cast<double>(counts.executions + counts.blocked);
    line += " of about " + about(seconds / runs * std::max(result_.estimated_runs, runs)) + " s";
  }
  std::fprintf(stderr, "%s\n", line.c_str());
}

} // namespace weir::check::detail
