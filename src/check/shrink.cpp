// SPDX-License-Identifier: Apache-2.0

// A failing execution made simpler: fewer preemptions, stale values, choices, threads and steps, as long as it fails in the
// same way. The execution is taken as a list of steps; variants of the list guide further runs, which may stray from it,
// and what they really did becomes the next list when it costs less. Runs are cheap, so a simple search will do.

#include <algorithm>
#include <set>

#include "check/checker.hpp"
#include "check/replay.hpp"
#include "check/verdict.hpp"

namespace weir::check::detail {

namespace {

using schedule_list = std::vector<scheduled_step>;

constexpr unsigned max_attempts = 1'500;

struct block {
  std::size_t first = 0;
  std::size_t last = 0; // one past it
};

std::vector<block> blocks_of(const schedule_list& steps) {
  std::vector<block> out;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    if (at == 0 || steps[at].thread != steps[at - 1].thread) out.push_back({at, at});
    out.back().last = at + 1;
  }
  return out;
}

schedule_list without(const schedule_list& steps, const block& at) {
  schedule_list out(steps);
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(at.first), out.begin() + static_cast<std::ptrdiff_t>(at.last));
  return out;
}

// The block `later` directly behind `earlier`, both of one thread.
schedule_list joined_early(const schedule_list& steps, const block& earlier, const block& later) {
  schedule_list out(steps);
  const auto at = [&](std::size_t index) { return out.begin() + static_cast<std::ptrdiff_t>(index); };
  std::rotate(at(earlier.last), at(later.first), at(later.last));
  return out;
}

// The block `earlier` directly before `later`.
schedule_list joined_late(const schedule_list& steps, const block& earlier, const block& later) {
  schedule_list out(steps);
  const auto at = [&](std::size_t index) { return out.begin() + static_cast<std::ptrdiff_t>(index); };
  std::rotate(at(earlier.first), at(earlier.last), at(later.first));
  return out;
}

// Each list that is a little simpler than `steps`, the greatest steps first.
std::vector<schedule_list> simpler_than(const schedule_list& steps) {
  std::vector<schedule_list> out;
  for (std::size_t keep = 0; keep < steps.size(); keep = keep == 0 ? 1 : keep * 2)
    out.emplace_back(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(keep));
  for (unsigned thread = 1; thread < max_threads; ++thread) {
    schedule_list fewer(steps);
    if (std::erase_if(fewer, [&](const scheduled_step& step) { return step.thread == thread; }) != 0)
      out.push_back(std::move(fewer));
  }
  for (std::size_t at = 0; at < steps.size(); ++at) {
    if (steps[at].draw == 0) continue;
    out.push_back(steps);
    out.back()[at].draw = 0;
  }
  const std::vector<block> blocks = blocks_of(steps);
  for (std::size_t at = 0; at < blocks.size(); ++at) {
    for (std::size_t next = at + 1; next < blocks.size(); ++next) {
      if (steps[blocks[next].first].thread != steps[blocks[at].first].thread) continue;
      out.push_back(joined_early(steps, blocks[at], blocks[next]));
      out.push_back(joined_late(steps, blocks[at], blocks[next]));
      break;
    }
    out.push_back(without(steps, blocks[at]));
  }
  return out;
}

std::string described(const shrink_cost& cost) {
  const auto count = [](std::uint64_t n, const char* one, const char* many) {
    return std::to_string(n) + ' ' + (n == 1 ? one : many);
  };
  return count(cost.steps, "step", "steps") + ", " + count(cost.preemptions, "preemption", "preemptions") + ", " +
         count(cost.draws, "stale value or choice", "stale values or choices");
}

} // namespace

std::vector<scheduled_step> checker::schedule() const {
  const graph& g = engine_.current();
  schedule_list out;
  std::vector<std::uint8_t> is_there(g.events.size(), 0);
  for (const trace_step& step : trace_) {
    if (step.what != trace_step::form::event) continue;
    const event& e = g[step.event];
    std::uint64_t draw = e.op.kind == operation_kind::choose ? e.value : 0;
    if (e.is_access()) {
      const event_id behind = e.is_read() ? e.source : step.event;
      for (event_id newer = g.newer_than(behind); newer != no_event; newer = g[newer].newer)
        draw += is_there[static_cast<std::size_t>(newer)];
      const event_id own = e.is_write() ? step.event : e.is_exclusive ? e.next : no_event;
      if (own != no_event) is_there[static_cast<std::size_t>(own)] = 1;
    }
    out.push_back({step.thread, e.index, draw});
  }
  return out;
}

shrink_cost checker::cost_of(const std::vector<scheduled_step>& steps) const {
  shrink_cost out{.preemptions = preemptions_, .steps = steps.size()};
  std::set<unsigned> threads;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    out.draws += steps[at].draw != 0 ? 1 : 0;
    threads.insert(steps[at].thread);
    out.switches += at > 0 && steps[at].thread != steps[at - 1].thread ? 1 : 0;
  }
  out.threads = threads.size();
  return out;
}

// A number for what the execution did.
std::uint64_t checker::fingerprint() const {
  const graph& g = engine_.current();
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  const auto add = [&hash](std::uint64_t value) { hash = (hash ^ value) * 1'099'511'628'211U; };
  for (const trace_step& step : trace_) {
    add(step.thread);
    add(static_cast<std::uint64_t>(step.what));
    if (step.what != trace_step::form::event) continue;
    add(static_cast<std::uint64_t>(g[step.event].op.kind));
    add(g[step.event].is_access() ? g[step.event].value : 0);
  }
  return hash;
}

void checker::run_guided(const std::vector<scheduled_step>& guide) {
  guided_strategy by(guide);
  strategy_ = &by;
  failure_ = {};
  static_cast<void>(run_drawn());
  strategy_ = nullptr;
}

bool checker::fails_alike(const std::vector<scheduled_step>& guide, const failure& wanted) {
  run_guided(guide);
  if (failure_.kind != wanted.kind) return false;
  const bool is_named = wanted.kind == failure_kind::requirement || wanted.kind == failure_kind::exception;
  return !is_named || failure_.what == wanted.what;
}

void checker::restore(const replay_plan& plan) {
  failure_ = {};
  follow(plan);
  plan_ = nullptr;
}

void checker::shrink() {
  const failure wanted = failure_;
  if (wanted.kind == failure_kind::none || wanted.kind == failure_kind::nondeterminism ||
      wanted.kind == failure_kind::runaway)
    return;
  const exploration_counts counts = engine_.counts();
  const replay_plan original = plan_of(*this);
  schedule_list best = schedule();
  if (!fails_alike(best, wanted)) {
    restore(original);
    engine_.set_counts(counts);
    return;
  }
  best = schedule();
  const shrink_cost first = cost_of(best);
  shrink_cost cost = first;
  unsigned attempts = 0;
  for (bool is_simpler = true; is_simpler;) {
    is_simpler = false;
    for (const schedule_list& candidate : simpler_than(best)) {
      if (++attempts > max_attempts) break;
      if (!fails_alike(candidate, wanted)) continue;
      const schedule_list done = schedule();
      const shrink_cost its = cost_of(done);
      if (its.total() >= cost.total()) continue;
      best = done;
      cost = its;
      is_simpler = true;
      break;
    }
  }
  if (!fails_alike(best, wanted)) restore(original);
  engine_.set_counts(counts);
  if (cost.total() < first.total())
    result_.shrunk =
        "shrunk from " + described(first) + " to " + described(cost) + " in " + grouped(attempts) + " runs";
}

} // namespace weir::check::detail
