// SPDX-License-Identifier: Apache-2.0

// Steps whose outcome is drawn from those that the memory model allows, instead of all being explored. There always is
// one: the newest write for a read and the last place for a write leave a consistent graph consistent.

#include "check/explorer.hpp"

#include <utility>

namespace weir::check::detail {

void explorer::restart() {
  graph_->clear();
  cursors_.fill(no_event);
}

std::size_t explorer::keep_one(random_stream& random) {
  const std::size_t count = work_.size();
  if (count < 2) return count;
  std::swap(work_[random.below(count)], work_.front());
  while (work_.size() > 1) {
    spare_.push_back(std::move(work_.back()));
    work_.pop_back();
  }
  return count;
}

// From the newest write down, those that the event may see, or stand behind.
void explorer::collect_candidates(event_id id) {
  graph& g = *graph_;
  const std::int32_t location = g[id].location;
  const int floor = g.floor_of(location, g.seen_before(id));
  const int newest = g.position_of(g.newest_write(location));
  candidates_.clear();
  distances_.clear();
  for (event_id write = g.newest_write(location); write != no_event;) {
    bool fits = !g.feeds_exclusive(write);
    if (!fits && g[id].is_read()) fits = !writes_after_reading(g[id].op, g.value_of(write));
    if (fits) {
      candidates_.push_back(write);
      distances_.push_back(newest - g.position_of(write));
    }
    write = g.position_of(write) > floor ? g[write].older : no_event;
  }
}

// False, and nothing has changed: the graph would not be consistent.
bool explorer::try_candidate(event_id id, event_id write, bool is_certain) {
  graph& g = *graph_;
  if (!g[id].is_read()) {
    g.insert_write(id, write);
    if (is_certain || is_consistent(g, id)) return true;
    g.remove_write(id);
    return false;
  }
  g.set_source(id, write);
  if (!g[id].is_exclusive) return is_certain || is_consistent(g, id);
  const event_id own = append_exclusive_write(g, id);
  g.insert_write(own, write);
  if (is_certain || is_consistent(g, own)) return true;
  g.remove_write(own);
  g.remove_last();
  return false;
}

void explorer::add_drawn(unsigned thread, const operation& op, strategy& by, bool is_hidden) {
  graph& g = *graph_;
  const event_id last = last_of(thread);
  const step_place at{thread, last == no_event ? 0 : g[last].index + 1};
  const bool is_read = op.kind == operation_kind::load || is_read_modify_write(op.kind);
  if (!is_read && op.kind != operation_kind::store) {
    add_fixed(thread, op);
    if (op.kind == operation_kind::choose) g.events.back().value = by.choice(at, op.operand);
    return;
  }
  const event_id id = is_read ? append_read(thread, op) : append_store(thread, op);
  collect_candidates(id);
  for (std::size_t age = candidates_.size() > 1 ? by.age(at, distances_, is_hidden) : 0;; --age)
    if (try_candidate(id, candidates_[age], age == 0)) return;
}

} // namespace weir::check::detail
