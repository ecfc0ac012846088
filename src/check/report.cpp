// SPDX-License-Identifier: Apache-2.0
#include "check/report.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <map>

namespace weir::check {

std::string_view to_string(failure_kind kind) noexcept {
  static constexpr std::array<std::string_view, 13> names{
      "no failure", "requirement", "exception",   "data race", "lifetime",       "deadlock",        "lost wake-up",
      "livelock",   "leak",        "wrong order", "runaway",   "nondeterminism", "not linearizable"};
  return names[static_cast<std::size_t>(kind)];
}

} // namespace weir::check

namespace weir::check::detail {

namespace {

constexpr std::size_t widest_column = 46;

std::string short_place(const std::source_location& where) {
  if (where.line() == 0) return "plain memory";
  std::string_view file = where.file_name();
  if (const std::size_t slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return std::string(file) + ":" + std::to_string(where.line());
}

class report_table {
public:
  explicit report_table(const checker& run) : run_(run), g_(run.engine().current()) {
    for (std::size_t at = 0; at < run.trace().size(); ++at) {
      const trace_step& step = run.trace()[at];
      if (step.what == trace_step::form::event) line_of_[step.event] = at;
      if (text(step).empty()) continue;
      std::size_t& width = widths_[step.thread];
      width = std::max({width, std::min(text(step).size(), widest_column), run.thread_name(step.thread).size()});
    }
  }

  [[nodiscard]] std::string print() {
    std::string out = "     ";
    for (const auto& [thread, width] : widths_) out += pad(std::string(run_.thread_name(thread)), width + 2);
    out += '\n';
    for (std::size_t at = 0; at < run_.trace().size(); ++at) {
      const trace_step& step = run_.trace()[at];
      const std::string what = text(step);
      if (what.empty()) continue;
      const auto& about = run_.found().steps;
      const bool is_about = std::find(about.begin(), about.end(), at) != about.end();
      std::string line = (is_about ? ">" : " ") + pad(std::to_string(at + 1), 4);
      for (const auto& [thread, width] : widths_) line += pad(thread == step.thread ? what : ".", width + 2);
      line += short_place(step.where);
      if (const std::string more = remark(step); !more.empty()) line += "  " + more;
      out += line + '\n';
    }
    return out + legend();
  }

private:
  // At least two spaces behind a text that is too wide for its column.
  static std::string pad(std::string text, std::size_t width) {
    text.append(text.size() < width ? width - text.size() : 2, ' ');
    return text;
  }

  std::string text(const trace_step& step) {
    switch (step.what) {
    case trace_step::form::cell_read: return "reads " + cell_name(step.cell);
    case trace_step::form::cell_write: return "writes " + cell_name(step.cell);
    case trace_step::form::wait: return std::string(step.note) + " for ever";
    case trace_step::form::event: break;
    }
    return event_text(g_[step.event]);
  }

  // Addresses get numbers in the order in which they appear.
  std::string number(std::uint64_t value, std::uint8_t bytes) {
    if (value <= 0xffffff) return std::to_string(value);
    if (bytes == 4 && value >= 0xff000000) return std::to_string(static_cast<std::int32_t>(value));
    if (value >= 0xffffffffff000000) return std::to_string(static_cast<std::int64_t>(value));
    if (run_.is_address(value))
      return "object " + std::to_string(addresses_.try_emplace(value, addresses_.size() + 1).first->second);
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (; value != 0; value >>= 4U) out.insert(out.begin(), digits[value & 15U]);
    return "0x" + out;
  }

  std::string event_text(const event& e) {
    const operation& op = e.op;
    switch (op.kind) {
    case operation_kind::end: return {};
    case operation_kind::mark: return run_.mark_text(e);
    case operation_kind::spawn: return "starts " + std::string(run_.thread_name(static_cast<unsigned>(op.location)));
    case operation_kind::join: return "joins " + std::string(run_.thread_name(static_cast<unsigned>(op.location)));
    case operation_kind::choose: return "chooses " + std::to_string(e.value) + " of " + std::to_string(op.operand);
    case operation_kind::fence: return "fence " + std::string(to_string(op.order));
    default: break;
    }
    if (run_.is_hidden(op.location)) return hidden_text(e);
    shown_[op.location] = true;
    std::string out = run_.location_name(op.location) + "." + std::string(to_string(op.kind));
    if (op.kind == operation_kind::compare_exchange) {
      out += "(" + number(op.expected, op.bytes) + ", " + number(op.operand, op.bytes) + ")";
    } else if (op.kind != operation_kind::load) {
      out += "(" + number(op.operand, op.bytes) + ")";
    }
    const bool failed = op.kind == operation_kind::compare_exchange && !e.is_exclusive;
    out += " " + std::string(to_string(failed ? op.failure : op.order));
    if (e.is_read()) out += " = " + number(e.value, op.bytes);
    return out;
  }

  // The parts of a futex: only what happens to sleepers is worth a line.
  static std::string hidden_text(const event& e) {
    if (e.op.bytes != 1) return {};
    if (e.is_write()) return "wakes a sleeper";
    return e.value == 0 ? "falls asleep" : "is woken";
  }

  std::string remark(const trace_step& step) {
    if (step.what != trace_step::form::event) return {};
    const event& e = g_[step.event];
    if (!e.is_access() || run_.is_hidden(e.location)) return {};
    if (e.is_read()) {
      if (e.is_exclusive) return {};
      int age = 0; // newer writes that have happened before this line
      for (event_id newer = g_.newer_than(e.source); newer != no_event; newer = g_[newer].newer) {
        const auto line = line_of_.find(g_[newer].is_exclusive ? g_[newer].previous : newer);
        if (line != line_of_.end() && line->second < line_of_[step.event]) ++age;
      }
      std::string out =
          is_initial(e.source)
              ? "reads the initial value"
              : "reads step " +
                    std::to_string(line_of_[g_[e.source].is_exclusive ? g_[e.source].previous : e.source] + 1);
      if (age > 0) out += ", stale by " + std::to_string(age);
      return out;
    }
    if (e.newer == no_event) return {};
    const auto newer = line_of_.find(g_[e.newer].is_exclusive ? g_[e.newer].previous : e.newer);
    return newer == line_of_.end() || newer->second > line_of_[step.event]
               ? ""
               : "older than step " + std::to_string(newer->second + 1) + " in modification order";
  }

  std::string cell_name(const void* cell) {
    const auto [at, is_new] = cells_.try_emplace(cell, cells_.size() + 1);
    return "data " + std::to_string(at->second);
  }

  std::string legend() {
    std::string out;
    for (const auto& [location, is_shown] : shown_) {
      const std::string name = run_.location_name(location);
      const std::source_location& origin = run_.location_origin(location);
      if (origin.line() != 0) out += "     " + name + ": made at " + short_place(origin) + '\n';
    }
    return out;
  }

  const checker& run_;
  const graph& g_;
  std::map<unsigned, std::size_t> widths_;
  std::map<event_id, std::size_t> line_of_;
  std::map<const void*, std::size_t> cells_;
  std::map<std::uint64_t, std::size_t> addresses_;
  std::map<std::int32_t, bool> shown_;
};

order_change change_at(const order_site& site, memory_order from, memory_order to, bool is_failure_order = false) {
  const bool takes_away = site.kind == operation_kind::fence && to == memory_order::relaxed;
  return {.file = site.where.file_name(),
          .line = site.where.line(),
          .column = site.where.column(),
          .what = std::string(to_string(site.kind)),
          .from = std::string(to_string(from)),
          .to = takes_away ? "none" : std::string(to_string(to)),
          .is_failure_order = is_failure_order};
}

std::vector<memory_order> one_step_weaker(operation_kind kind, memory_order order) {
  using enum memory_order;
  switch (order) {
  case seq_cst:
    if (kind == operation_kind::load) return {acquire};
    if (kind == operation_kind::store) return {release};
    return {acq_rel};
  case acq_rel: return {acquire, release};
  case relaxed: return {};
  default: return {relaxed};
  }
}

std::vector<memory_order> stronger_than(operation_kind kind, memory_order order) {
  using enum memory_order;
  if (kind == operation_kind::load) return order == relaxed ? std::vector{acquire, seq_cst} : std::vector{seq_cst};
  if (kind == operation_kind::store) return order == relaxed ? std::vector{release, seq_cst} : std::vector{seq_cst};
  switch (order) {
  case relaxed: return {acquire, release, acq_rel, seq_cst};
  case acquire:
  case release: return {acq_rel, seq_cst};
  default: return {seq_cst};
  }
}

} // namespace

std::string describe_failure(const checker& run, std::string_view replay_string) {
  std::string kind(to_string(run.found().kind));
  for (char& letter : kind) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  std::string out = kind + "  model " + std::string(run.name());
  if (run.result().failing_execution > 1) out += "  execution " + std::to_string(run.result().failing_execution);
  const engine_kind engine = run.options().engine;
  if (engine != engine_kind::exhaustive) out += "  engine " + std::string(to_string(engine));
  if (draws_at_random(engine)) out += ", seed " + std::to_string(run.options().seed);
  out += "  replay " + std::string(replay_string) + '\n' + run.found().what + '\n';
  if (!run.result().shrunk.empty()) out += run.result().shrunk + '\n';
  return out + report_table(run).print();
}

std::string describe_fixes(const std::vector<std::string>& fixes) {
  std::string out;
  for (const std::string& fix : fixes)
    out += (out.empty() ? "a change that removes it: " : "                      or: ") + fix + '\n';
  return out;
}

std::string describe(const order_change& change) {
  std::string_view file = change.file;
  if (const std::size_t slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  const std::string place = std::string(file) + ":" + std::to_string(change.line) + " " + change.what;
  if (change.to == "fence") return place + ": a seq_cst fence behind it";
  return place + (change.is_failure_order ? " on failure: " : ": ") + change.from + " -> " + change.to;
}

std::vector<order_change> weaker_orders(const std::vector<order_site>& sites) {
  std::vector<order_change> out;
  for (const order_site& site : sites) {
    for (const memory_order to : one_step_weaker(site.kind, site.order)) out.push_back(change_at(site, site.order, to));
    if (site.kind != operation_kind::compare_exchange) continue;
    for (const memory_order to : one_step_weaker(operation_kind::load, site.failure))
      out.push_back(change_at(site, site.failure, to, true));
  }
  return out;
}

std::vector<order_change> stronger_orders(const checker& run) {
  std::array<std::vector<order_change>, 4> by_rank; // one side, both sides, seq_cst, a fence
  for (const order_site& site : run.sites()) {
    if (site.order == memory_order::seq_cst) continue;
    for (const memory_order to : stronger_than(site.kind, site.order))
      by_rank[to == memory_order::seq_cst   ? 2
              : to == memory_order::acq_rel ? 1
                                            : 0]
          .push_back(change_at(site, site.order, to));
    if (site.kind == operation_kind::compare_exchange && site.failure == memory_order::relaxed)
      by_rank[0].push_back(change_at(site, site.failure, memory_order::acquire, true));
  }
  std::vector<order_change> out;
  for (const order_site& site : run.sites()) { // what may have to be seen before the next read: a fence after the write
    if (site.kind == operation_kind::fence || site.kind == operation_kind::load) continue;
    by_rank[3].push_back(change_at(site, site.order, site.order));
    by_rank[3].back().to = "fence";
  }
  for (const auto& changes : by_rank) out.insert(out.end(), changes.begin(), changes.end());
  return out;
}

} // namespace weir::check::detail
