// SPDX-License-Identifier: Apache-2.0
#include "check/brute_force.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "check/relation.hpp"

namespace weir::check::detail {

namespace {

enum class part { initial, read, write, fence };

struct label {
  part what = part::initial;
  int thread = -1;
  int location = -1;
  std::int64_t value = 0;
  memory_order order = memory_order::relaxed;
  bool is_plain = true;
  bool begins_rmw = false; // a read whose write is the next event
};

struct path { // one way through a thread, with guessed values
  std::vector<label> events;
  std::vector<std::int64_t> registers;
};

using values = std::vector<std::set<std::int64_t>>; // by location: what a read may guess

void collect_constants(const litmus_thread& list, values& domain, std::vector<std::vector<std::int64_t>>& added) {
  for (const litmus_instruction& at : list) {
    const auto location = static_cast<std::size_t>(at.op.location);
    if (at.what == litmus_instruction::form::if_equal) {
      collect_constants(at.then, domain, added);
    } else if (at.op.kind == operation_kind::add) {
      added[location].push_back(static_cast<std::int64_t>(at.op.operand));
    } else if (at.what == litmus_instruction::form::access && at.op.kind != operation_kind::load) {
      domain[location].insert(static_cast<std::int64_t>(at.op.operand));
    }
  }
}

values guess_values(const litmus_program& program) {
  values domain(program.locations.size());
  std::vector<std::vector<std::int64_t>> added(domain.size());
  for (const litmus_thread& thread : program.threads) collect_constants(thread, domain, added);
  for (std::size_t location = 0; location < domain.size(); ++location) {
    domain[location].insert(0);
    for (std::size_t round = 0; round < added[location].size(); ++round) {
      std::set<std::int64_t> more = domain[location];
      for (const std::int64_t value : domain[location])
        for (const std::int64_t step : added[location]) more.insert(value + step);
      domain[location] = more;
    }
  }
  return domain;
}

class path_finder {
public:
  path_finder(const values& domain, int thread) : domain_(domain), thread_(thread) {}

  std::vector<path> find(const litmus_thread& list, std::size_t registers) {
    walk(list, 0, {.events = {}, .registers = std::vector<std::int64_t>(registers, 0)},
         [&](path found) { paths_.push_back(std::move(found)); });
    return std::move(paths_);
  }

private:
  using rest = std::function<void(path)>;

  label access(const operation& op, part what, std::int64_t value, memory_order order) const {
    return {what, thread_, op.location, value, order, op.is_plain, false};
  }

  void walk(const litmus_thread& list, std::size_t at, path so_far, const rest& done) {
    if (at == list.size()) return done(std::move(so_far));
    const litmus_instruction& step = list[at];
    const auto go_on = [&](path next) { walk(list, at + 1, std::move(next), done); };
    if (step.what == litmus_instruction::form::if_equal) {
      if (so_far.registers[static_cast<std::size_t>(step.reg)] == step.equals)
        return walk(step.then, 0, std::move(so_far), go_on);
      return go_on(std::move(so_far));
    }
    if (step.what == litmus_instruction::form::fence) {
      so_far.events.push_back({part::fence, thread_, -1, 0, step.op.order, false, false});
      return go_on(std::move(so_far));
    }
    if (step.op.kind == operation_kind::store) {
      so_far.events.push_back(access(step.op, part::write, static_cast<std::int64_t>(step.op.operand), step.op.order));
      return go_on(std::move(so_far));
    }
    for (const std::int64_t value : domain_[static_cast<std::size_t>(step.op.location)])
      go_on(read(step, value, so_far));
  }

  path read(const litmus_instruction& step, std::int64_t value, path so_far) const {
    const operation& op = step.op;
    const auto operand = static_cast<std::int64_t>(op.operand);
    const bool is_cas = op.kind == operation_kind::compare_exchange;
    const bool writes = op.kind != operation_kind::load && (!is_cas || value == static_cast<std::int64_t>(op.expected));
    so_far.events.push_back(access(op, part::read, value, is_cas && !writes ? op.failure : op.order));
    so_far.events.back().begins_rmw = writes;
    if (writes)
      so_far.events.push_back(
          access(op, part::write, op.kind == operation_kind::add ? value + operand : operand, op.order));
    so_far.registers[static_cast<std::size_t>(step.reg)] = value;
    return so_far;
  }

  const values& domain_;
  int thread_;
  std::vector<path> paths_;
};

// One choice of a path for each thread: all its reads-from and modification orders.
class candidate {
public:
  candidate(const litmus_program& program, std::vector<const path*> paths, litmus_verdict& verdict)
      : program_(program), paths_(std::move(paths)), verdict_(verdict) {
    for (std::size_t location = 0; location < program.locations.size(); ++location)
      events_.push_back({part::initial, -1, static_cast<int>(location), 0, memory_order::relaxed, true, false});
    for (const path* one : paths_) events_.insert(events_.end(), one->events.begin(), one->events.end());
  }

  void try_all() {
    const std::size_t n = events_.size();
    po_ = same_location_ = rmw_ = other_thread_ = reads_from_ = relation(n);
    for (std::size_t a = 0; a < n; ++a) classify(a);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) relate(a, b);
    choose_source(0);
  }

private:
  static bool is_one_of(memory_order order, std::initializer_list<memory_order> orders) {
    return std::find(orders.begin(), orders.end(), order) != orders.end();
  }

  void classify(std::size_t at) {
    const label& e = events_[at];
    const event_set self = event_set{1} << at;
    if (e.what == part::read) reads_ |= self;
    if (e.what == part::write || e.what == part::initial) writes_ |= self;
    if (e.what == part::fence) fences_ |= self;
    if (e.is_plain) {
      plain_ |= self;
      return;
    }
    using enum memory_order;
    if (e.order == seq_cst) sequential_ |= self;
    if (e.what != part::write && is_one_of(e.order, {acquire, acq_rel, seq_cst})) acquire_ |= self;
    if (e.what != part::read && is_one_of(e.order, {release, acq_rel, seq_cst})) release_ |= self;
  }

  void relate(std::size_t a, std::size_t b) {
    if (a == b) return;
    const label& x = events_[a];
    const label& y = events_[b];
    const bool x_starts = x.what == part::initial;
    const bool y_starts = y.what == part::initial;
    if ((x_starts && !y_starts) || (!x_starts && x.thread == y.thread && a < b)) po_.add(a, b);
    if (x.location >= 0 && x.location == y.location) same_location_.add(a, b);
    if (!x_starts && !y_starts && x.thread != y.thread) other_thread_.add(a, b);
    if (x.begins_rmw && b == a + 1) rmw_.add(a, b);
  }

  void choose_source(std::size_t from) {
    while (from < events_.size() && events_[from].what != part::read) ++from;
    if (from == events_.size()) return with_sources();
    for (std::size_t write = 0; write < events_.size(); ++write) {
      if ((writes_ >> write & 1U) == 0 || !same_location_.has(write, from) ||
          events_[write].value != events_[from].value)
        continue;
      const relation before = reads_from_;
      reads_from_.add(write, from);
      choose_source(from + 1);
      reads_from_ = before;
    }
  }

  void with_sources() {
    const std::size_t n = events_.size();
    if (!(po_ | reads_from_).is_acyclic()) return;
    const auto on = [n](event_set set) { return relation::identity(n, set); };
    const relation release_sequence = on(writes_ & ~plain_) * (reads_from_ * rmw_).closure().or_same();
    const relation from = on(release_ & writes_) | on(release_ & fences_) * po_;
    const relation to = on(acquire_ & reads_) | po_ * on(acquire_ & fences_);
    const relation synchronises = from * release_sequence * reads_from_ * on(reads_ & ~plain_) * to;
    hb_ = (po_ | synchronises).closure();
    if (!hb_.is_irreflexive()) return;
    orders_.assign(program_.locations.size(), {});
    for (std::size_t at = 0; at < n; ++at)
      if (events_[at].what == part::write) orders_[static_cast<std::size_t>(events_[at].location)].push_back(at);
    choose_order(0);
  }

  void choose_order(std::size_t location) {
    if (location == orders_.size()) return with_orders();
    std::vector<std::size_t>& order = orders_[location];
    std::sort(order.begin(), order.end());
    do {
      bool is_possible = true; // a consequence of coherence, tested here to save time
      for (std::size_t early = 0; early < order.size(); ++early)
        for (std::size_t late = early + 1; late < order.size(); ++late)
          is_possible &= !hb_.has(order[late], order[early]);
      if (is_possible) choose_order(location + 1);
    } while (std::next_permutation(order.begin(), order.end()));
  }

  void with_orders() {
    const std::size_t n = events_.size();
    relation mo(n);
    for (std::size_t location = 0; location < orders_.size(); ++location) {
      for (std::size_t early = 0; early < orders_[location].size(); ++early) {
        mo.add(location, orders_[location][early]); // the initial writes are the first events
        for (std::size_t late = early + 1; late < orders_[location].size(); ++late)
          mo.add(orders_[location][early], orders_[location][late]);
      }
    }
    const relation fr = reads_from_.inverse() * mo - relation::identity(n, ~event_set{0});
    const relation eco = (reads_from_ | mo | fr).closure();
    if (!(hb_ * eco.or_same()).is_irreflexive()) return;
    if (!has_atomic_rmws(fr * mo)) return;
    if (sequential_ != 0 && !is_psc_acyclic(mo, fr, eco)) return;
    record();
  }

  [[nodiscard]] bool has_atomic_rmws(const relation& between) const {
    for (std::size_t at = 0; at + 1 < events_.size(); ++at)
      if (rmw_.has(at, at + 1) && between.has(at, at + 1)) return false;
    return true;
  }

  [[nodiscard]] bool is_psc_acyclic(const relation& mo, const relation& fr, const relation& eco) const {
    const auto on = [this](event_set set) { return relation::identity(events_.size(), set); };
    const relation pod = po_ - same_location_;
    const relation scb = po_ | pod * hb_ * pod | (hb_ & same_location_) | mo | fr;
    const relation all = on(sequential_);
    const relation fences = on(sequential_ & fences_);
    const relation base = (all | fences * hb_.or_same()) * scb * (all | hb_.or_same() * fences);
    return (base | fences * (hb_ | hb_ * eco * hb_) * fences).is_acyclic();
  }

  void record() {
    ++verdict_.executions;
    litmus_state state;
    for (const path* one : paths_) state.insert(state.end(), one->registers.begin(), one->registers.end());
    for (const auto& order : orders_) state.push_back(order.empty() ? 0 : events_[order.back()].value);
    verdict_.states.insert(std::move(state));
    for (std::size_t a = 0; a < events_.size(); ++a)
      for (std::size_t b = 0; b < events_.size(); ++b)
        if ((plain_ >> a & 1U) != 0 && ((writes_ >> a | writes_ >> b) & 1U) != 0 && same_location_.has(a, b) &&
            other_thread_.has(a, b) && !hb_.has(a, b) && !hb_.has(b, a))
          verdict_.has_race = true;
  }

  const litmus_program& program_;
  std::vector<const path*> paths_;
  litmus_verdict& verdict_;
  std::vector<label> events_;
  event_set reads_ = 0, writes_ = 0, fences_ = 0, plain_ = 0, sequential_ = 0, acquire_ = 0, release_ = 0;
  relation po_{0}, same_location_{0}, rmw_{0}, other_thread_{0}, reads_from_{0}, hb_{0};
  std::vector<std::vector<std::size_t>> orders_;
};

bool has_source_for_each_read(const std::vector<const path*>& paths) {
  std::set<std::pair<int, std::int64_t>> written;
  for (const path* one : paths)
    for (const label& e : one->events)
      if (e.what == part::write) written.emplace(e.location, e.value);
  for (const path* one : paths)
    for (const label& e : one->events)
      if (e.what == part::read && e.value != 0 && !written.contains({e.location, e.value})) return false;
  return true;
}

} // namespace

litmus_verdict brute_force(const litmus_program& program) {
  litmus_verdict verdict;
  const values domain = guess_values(program);
  std::vector<std::vector<path>> ways;
  ways.reserve(program.threads.size());
  for (std::size_t thread = 0; thread < program.threads.size(); ++thread)
    ways.push_back(
        path_finder(domain, static_cast<int>(thread)).find(program.threads[thread], program.registers[thread].size()));
  std::vector<const path*> chosen(program.threads.size());
  const std::function<void(std::size_t)> choose = [&](std::size_t thread) {
    if (thread < ways.size()) {
      for (const path& way : ways[thread]) {
        chosen[thread] = &way;
        choose(thread + 1);
      }
    } else if (has_source_for_each_read(chosen)) {
      candidate(program, chosen, verdict).try_all();
    }
  };
  choose(0);
  return verdict;
}

} // namespace weir::check::detail
