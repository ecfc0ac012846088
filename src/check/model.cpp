// SPDX-License-Identifier: Apache-2.0
#include <weir/check/model.hpp>

#include <algorithm>

#include "check/checker.hpp"
#include "check/replay.hpp"
#include "check/report.hpp"
#include "check/report_data.hpp"
#include "check/trace_events.hpp"
#include "check/verdict.hpp"

#include <weir/check.hpp>
#include <weir/check/settings.hpp>

namespace weir::check {

using namespace detail;

namespace {

checker& running_model() {
  checker* const running = checker::current();
  WEIR_CHECK(running != nullptr, "a model is used outside of explore()");
  return *running;
}

} // namespace

unsigned model::spawn(std::string_view name, std::function<void()> body, std::source_location where) {
  return running_model().spawn(name, std::move(body), where);
}

void model::join(unsigned thread, std::source_location where) { running_model().join(thread, where); }

void model::join_all(std::source_location where) { running_model().join_all(where); }

void model::require(bool holds, std::string_view what, std::source_location where) {
  if (holds) return;
  const host_allocation host;
  running_model().fail(failure_kind::requirement,
                       std::string(what) + " (" + where.file_name() + ":" + std::to_string(where.line()) + ")");
}

void model::sometimes(std::string_view name, bool holds) { running_model().reach(name, holds); }

unsigned model::choose(unsigned bound, std::source_location where) {
  return static_cast<unsigned>(running_model().choose(bound, where));
}

void model::assume(bool holds) {
  if (!holds) running_model().cut();
}

void model::got(std::int64_t value) {
  const host_allocation host;
  checker& running = running_model();
  running.got_by(running.self()).push_back(value);
}

bool model::has_got(unsigned thread, std::int64_t value) const {
  const std::vector<std::int64_t>& values = running_model().got_by(thread);
  return std::find(values.begin(), values.end(), value) != values.end();
}

namespace {

// Empty when these values were noted, each once. The lists are gone before a failure drops the stack.
std::string differs_from(checker& running, std::initializer_list<std::int64_t> values) {
  std::vector<std::int64_t> all;
  for (unsigned thread = 0; thread < max_threads; ++thread)
    all.insert(all.end(), running.got_by(thread).begin(), running.got_by(thread).end());
  std::vector<std::int64_t> expected(values);
  std::sort(all.begin(), all.end());
  std::sort(expected.begin(), expected.end());
  if (all == expected) return {};
  std::string list;
  for (const std::int64_t value : all) list += (list.empty() ? "" : ", ") + std::to_string(value);
  return "each value once; got " + list;
}

} // namespace

void model::expect_each_once(std::initializer_list<std::int64_t> values, std::source_location where) {
  const host_allocation host;
  checker& running = running_model();
  std::string difference = differs_from(running, values);
  if (difference.empty()) return;
  difference += std::string(" (") + where.file_name() + ":" + std::to_string(where.line()) + ")";
  running.fail(failure_kind::requirement, difference);
}

void spin_hint(std::source_location where) {
  if (checker* const running = checker::current()) running->spin(where);
}

bool is_mutated(std::string_view name) noexcept {
  const checker* const running = checker::current();
  return running != nullptr && running->is_mutated(name);
}

namespace {

exploration summarise(const checker& run, const model_options& options) {
  exploration out;
  out.failure = run.found().kind;
  out.is_complete = run.result().is_complete && out.failure == failure_kind::none;
  out.is_finished = run.result().is_finished && out.failure == failure_kind::none;
  out.verdict = verdict_of(run, options);
  out.estimated_executions = run.result().estimated_executions;
  out.elapsed = run.result().elapsed;
  out.executions = run.engine().counts().executions;
  out.blocked = run.engine().counts().blocked;
  out.dead_ends = run.engine().counts().dead_ends;
  out.most_events = run.engine().counts().most_events;
  if (out.failure == failure_kind::none)
    for (const auto& [goal, is_reached] : run.goals())
      if (!is_reached) out.never_reached.push_back(goal);
  out.weaker = weaker_orders(run.sites());
  return out;
}

void fill_report(const checker& run, const std::string& replay_string, exploration& out) {
  out.replay_string = replay_string;
  out.report = describe_failure(run, replay_string);
  out.report_json = failure_as_json(run, replay_string);
  out.graphviz = failure_as_graphviz(run);
  out.perfetto = failure_as_trace(run);
}

// Which single change of an order, or else which two, make the model pass.
std::vector<std::string> find_fixes(std::string_view name, const std::function<void(model&)>& body,
                                    const model_options& options, const std::vector<order_change>& stronger) {
  std::vector<std::string> fixes;
  model_options attempt = options;
  attempt.suggests_fixes = false;
  attempt.max_executions = std::min<std::uint64_t>(options.max_executions, 20'000);
  attempt.time_limit = std::chrono::seconds(2);
  attempt.shows_progress = false;
  const auto removes = [&](std::initializer_list<const order_change*> changes) {
    attempt.changes = options.changes;
    for (const order_change* change : changes) attempt.changes.push_back(*change);
    checker run(name, body, attempt);
    run.explore();
    return run.found().kind == failure_kind::none && run.result().is_finished;
  };
  std::vector<const order_change*> single;
  for (const order_change& one : stronger) {
    const bool has_weaker = std::any_of(single.begin(), single.end(), [&](const order_change* other) {
      return other->file == one.file && other->line == one.line && other->column == one.column;
    });
    if (has_weaker || !removes({&one})) continue;
    single.push_back(&one);
    fixes.push_back(describe(one));
  }
  for (std::size_t a = 0; fixes.empty() && a < stronger.size(); ++a)
    for (std::size_t b = a + 1; b < stronger.size(); ++b)
      if (removes({&stronger[a], &stronger[b]}))
        fixes.push_back(describe(stronger[a]) + ", and " + describe(stronger[b]));
  return fixes;
}

} // namespace

exploration explore(std::string_view name, const std::function<void(model&)>& body, const model_options& given) {
  const model_options options = with_environment(given);
  exploration out;
  std::vector<order_change> stronger;
  std::string report;
  {
    checker run(name, body, options);
    run.explore();
    if (options.shrinks) run.shrink();
    out = summarise(run, options);
    if (out.failure == failure_kind::none) return out;
    fill_report(run, encode_replay(name, plan_of(run)), out);
    report = out.report;
    stronger = stronger_orders(run);
  }
  if (options.suggests_fixes) out.fixes = find_fixes(name, body, options, stronger);
  out.report = report + describe_fixes(out.fixes);
  return out;
}

exploration replay(std::string_view name, const std::function<void(model&)>& body, std::string_view replay_string,
                   const model_options& options) {
  const auto plan = decode_replay(name, replay_string);
  if (!plan) {
    exploration out;
    out.failure = failure_kind::nondeterminism;
    out.report = plan.error();
    return out;
  }
  checker run(name, body, options);
  run.follow(*plan);
  exploration out = summarise(run, options);
  if (out.failure != failure_kind::none) fill_report(run, std::string(replay_string), out);
  return out;
}

std::vector<mutant> explore_mutants(std::string_view name, const std::function<void(model&)>& body,
                                    const std::vector<std::string>& mutations, model_options options) {
  options = with_environment(options);
  options.suggests_fixes = false;
  return explore_mutants(name, body, explore(name, body, options).weaker, mutations, options);
}

std::vector<mutant> explore_mutants(std::string_view name, const std::function<void(model&)>& body,
                                    const std::vector<order_change>& weaker, const std::vector<std::string>& mutations,
                                    const model_options& options) {
  std::vector<mutant> out;
  const auto try_one = [&](std::string mutant_name, const model_options& with) {
    checker run(name, body, with);
    run.explore();
    out.push_back({std::move(mutant_name), run.found().kind});
  };
  for (const order_change& change : weaker) {
    model_options with = options;
    with.changes.push_back(change);
    try_one(describe(change), with);
  }
  for (const std::string& mutation : mutations) {
    model_options with = options;
    with.mutation = mutation;
    try_one(mutation, with);
  }
  return out;
}

} // namespace weir::check
