// SPDX-License-Identifier: Apache-2.0

// The search for an order of recorded calls. A call may come next when all calls that happen before it have come; a state
// that was reached by the same set of calls before is not tried again.

#include <weir/check/history.hpp>

#include <algorithm>
#include <unordered_map>

#include "check/checker.hpp"

#include <weir/check.hpp>

namespace weir::check::detail {

namespace {

constexpr std::size_t max_calls = 64;

checker& running_checker() {
  checker* const running = checker::current();
  WEIR_CHECK(running != nullptr, "a history is used outside of explore()");
  return *running;
}

class order_search {
public:
  order_search(const std::vector<const recorded_call*>& calls, std::vector<std::uint64_t> before)
      : calls_(calls), before_(std::move(before)) {}

  [[nodiscard]] bool finds_one(const sequential_object& initial) { return go(0, initial); }
  /// The calls of the longest order that was found, and those that could have come next but do not fit.
  [[nodiscard]] const std::vector<std::size_t>& longest() const noexcept { return longest_; }
  [[nodiscard]] const std::vector<std::size_t>& unfit() const noexcept { return unfit_; }

private:
  bool go(std::uint64_t done, const sequential_object& state) {
    const std::uint64_t all = calls_.size() == max_calls ? ~std::uint64_t{0} : (std::uint64_t{1} << calls_.size()) - 1;
    if (done == all) return true;
    auto& seen = seen_[done];
    for (const auto& other : seen)
      if (other->equals(state)) return false;
    seen.push_back(state.clone());
    std::vector<std::size_t> unfit;
    for (std::size_t at = 0; at < calls_.size(); ++at) {
      if ((done >> at & 1U) != 0 || (before_[at] & ~done) != 0) continue;
      const std::unique_ptr<sequential_object> next = state.clone();
      if (!calls_[at]->rule(next->get())) {
        unfit.push_back(at);
        continue;
      }
      order_.push_back(at);
      if (go(done | std::uint64_t{1} << at, *next)) return true;
      order_.pop_back();
    }
    if (order_.size() >= longest_.size() && !unfit.empty()) {
      longest_ = order_;
      unfit_ = unfit;
    }
    return false;
  }

  const std::vector<const recorded_call*>& calls_;
  std::vector<std::uint64_t> before_; // for each call, those that happen before it
  std::unordered_map<std::uint64_t, std::vector<std::unique_ptr<sequential_object>>> seen_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> longest_;
  std::vector<std::size_t> unfit_;
};

std::string list_of(const std::vector<std::size_t>& numbers, const char* between) {
  std::string out;
  for (const std::size_t at : numbers) out += (out.empty() ? "" : between) + std::to_string(at + 1);
  return out;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

// The calls as columns, one for each thread, and how far an order got.
std::string columns_of(const checker& run, const std::vector<const recorded_call*>& calls,
                       const std::vector<std::uint64_t>& before) {
  std::array<std::size_t, max_threads> widths{};
  for (const recorded_call* call : calls)
    widths[call->thread] = std::max({widths[call->thread], call->text().size(), run.thread_name(call->thread).size()});
  std::string out = "     ";
  for (unsigned thread = 0; thread < max_threads; ++thread)
    if (widths[thread] != 0) out += padded(std::string(run.thread_name(thread)), widths[thread] + 2);
  for (std::size_t at = 0; at < calls.size(); ++at) {
    out += "\n " + padded(std::to_string(at + 1), 4);
    for (unsigned thread = 0; thread < max_threads; ++thread)
      if (widths[thread] != 0) out += padded(thread == calls[at]->thread ? calls[at]->text() : ".", widths[thread] + 2);
    std::vector<std::size_t> earlier;
    for (std::size_t other = 0; other < calls.size(); ++other)
      if ((before[at] >> other & 1U) != 0) earlier.push_back(other);
    if (!earlier.empty()) {
      out += "after " + list_of(earlier, ", ");
    } else {
      out.erase(out.find_last_not_of(' ') + 1);
    }
  }
  return out;
}

// For each call, the set of those that happen before it.
std::vector<std::uint64_t> order_of(const graph& g, const std::vector<const recorded_call*>& calls) {
  const auto event_at = [&](unsigned thread, int position) {
    event_id id = g.threads[thread].first;
    while (g[id].index != position) id = g[id].next;
    return id;
  };
  std::vector<std::uint64_t> before(calls.size(), 0);
  for (std::size_t later = 0; later < calls.size(); ++later) {
    const event_id start = event_at(calls[later]->thread, calls[later]->first);
    for (std::size_t earlier = 0; earlier < calls.size(); ++earlier)
      if (g.happens_before(event_at(calls[earlier]->thread, calls[earlier]->last), start))
        before[later] |= std::uint64_t{1} << earlier;
  }
  return before;
}

} // namespace

std::size_t checker::begin_call(const void* history, std::string_view what, const std::source_location& where) {
  const host_allocation host;
  const std::size_t call = calls_.size();
  recorded_call& of = calls_.emplace_back();
  of.history = history;
  of.what = what;
  of.thread = self_;
  step({.kind = operation_kind::mark}, where);
  calls_[call].first = position_of(self_) - 1;
  return call;
}

void checker::end_call(std::size_t call, std::string_view result, const call_rule& rule,
                       const std::source_location& where) {
  const host_allocation host;
  step({.kind = operation_kind::mark}, where);
  recorded_call& of = calls_[call];
  of.result = result;
  of.rule = rule;
  of.last = position_of(self_) - 1;
}

// Marks carry no number: that of a call depends on the order in which threads happen to run.
std::string checker::mark_text(const event& mark) const {
  for (const recorded_call& call : calls_) {
    if (call.thread != mark.thread) continue;
    if (call.first == mark.index) return "calls " + call.what;
    if (call.last == mark.index) return call.result.empty() ? "returns" : "returns " + call.result;
  }
  return "calls";
}

void checker::require_linearizable(const void* history, const sequential_object& initial,
                                   const std::source_location& where) {
  const host_allocation host;
  std::string problem = find_order(history, initial);
  if (problem.empty()) return;
  problem += std::string(" (") + where.file_name() + ":" + std::to_string(where.line()) + ")";
  fail(failure_kind::not_linearizable, problem);
}

// Empty when there is an order. What the search holds is gone before a failure drops the stack.
std::string checker::find_order(const void* history, const sequential_object& initial) const {
  std::vector<const recorded_call*> calls;
  for (const recorded_call& call : calls_) {
    if (call.history != history) continue;
    if (call.last < 0) return "a call of the history has not returned: " + call.what;
    calls.push_back(&call);
  }
  if (calls.size() > max_calls) return "the history has more than 64 calls";
  const std::vector<std::uint64_t> before = order_of(engine_.current(), calls);
  order_search search(calls, before);
  if (search.finds_one(initial)) return {};
  std::string out = "no order of these calls is one of the sequential object:\n" + columns_of(*this, calls, before);
  out += "\nthe longest order that fits: " + (search.longest().empty() ? "none" : list_of(search.longest(), ", "));
  return out + "; next could only come " + list_of(search.unfit(), " or ") + ", with another result";
}

std::size_t begin_call(const void* history, std::string_view what, const std::source_location& where) {
  return running_checker().begin_call(history, what, where);
}

void end_call(std::size_t call, std::string_view result, const call_rule& rule, const std::source_location& where) {
  running_checker().end_call(call, result, rule, where);
}

void require_linearizable(const void* history, const sequential_object& initial, const std::source_location& where) {
  running_checker().require_linearizable(history, initial, where);
}

} // namespace weir::check::detail
