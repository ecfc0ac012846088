// SPDX-License-Identifier: Apache-2.0
#include "check/sequential_order.hpp"

#include <algorithm>

namespace weir::check::detail {

namespace {

constexpr std::int16_t never_old = INT16_MAX;
constexpr std::int16_t never_new = -1;

bool is_in_program_order(const graph& g, event_id a, event_id b) {
  return g[a].thread == g[b].thread && g[a].index < g[b].index;
}

bool is_same_or_before(const graph& g, event_id a, event_id b) { return a == b || g.happens_before(a, b); }

// The next event of the thread that is no access of the same location, in either direction.
event_id beyond_location(const graph& g, event_id from, event_id event::* direction) {
  event_id id = g[from].*direction;
  while (id != no_event && g[id].is_access() && g[id].location == g[from].location) id = g[id].*direction;
  return id;
}

// hb & loc, seen from a fence on one side or the other: some access of the location of `access` lies between them.
bool has_access_between(const graph& g, event_id a, event_id b, std::int32_t location) {
  for (event_id id = g.at(location).latest_access; id != no_event; id = g[id].earlier_access)
    if (g.happens_before(a, id) && g.happens_before(id, b)) return true;
  return false;
}

} // namespace

bool sequential_order::can_break(const graph& g, event_id id) noexcept {
  const event& e = g[id];
  if (g.sequential_events < 2 || !e.is_access()) return false;
  if (g.sight_of(e) == g.position_of(g.newest_write(e.location))) return false;
  if (e.is_sequential()) return true;
  if (g.sequential_fences == 0) return false;
  for (event_id other = 0; other < g.size(); ++other)
    if (g[other].is_fence() && g[other].is_sequential() && g.happens_before(other, id)) return true;
  return false;
}

void sequential_order::collect(const graph& g) {
  nodes_.clear();
  locations_ = g.locations.size();
  for (event_id id = 0; id < g.size(); ++id) {
    const event& e = g[id];
    if (!e.is_sequential()) continue;
    // All that is ordered before or after an exclusive read is so for its write, too.
    if (e.is_read() && e.is_exclusive && e.next != no_event) continue;
    nodes_.push_back(id);
  }
  rows_.assign(nodes_.size() * locations_, {never_old, never_old, never_new, never_new, never_new});
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const event_id self = nodes_[node];
    row* const rows = rows_.data() + node * locations_;
    if (g[self].is_access()) {
      row& own = rows[g[self].location];
      own.oldest_sight = static_cast<std::int16_t>(g.sight_of(g[self]));
      if (g[self].is_write()) own.newest_write = own.oldest_sight;
      continue;
    }
    if (!g[self].is_fence()) continue;
    for (event_id id = 0; id < g.size(); ++id) {
      const event& e = g[id];
      if (!e.is_access()) continue;
      row& at = rows[e.location];
      const auto sight = static_cast<std::int16_t>(g.sight_of(e));
      if (g.happens_before(self, id)) {
        at.oldest_sight = std::min(at.oldest_sight, sight);
        if (e.is_write()) at.oldest_write = std::min(at.oldest_write, sight);
      } else if (g.happens_before(id, self)) {
        at.newest_sight = std::max(at.newest_sight, sight);
        std::int16_t& newest = e.is_write() ? at.newest_write : at.newest_read;
        newest = std::max(newest, sight);
      }
    }
  }
}

bool sequential_order::is_before_by_position(std::size_t a, std::size_t b, bool both_fences) const {
  const row* const from = rows_.data() + a * locations_;
  const row* const to = rows_.data() + b * locations_;
  for (std::size_t location = 0; location < locations_; ++location) {
    if (from[location].oldest_sight < to[location].newest_write) return true; // mo | fr
    if (!both_fences) continue;
    if (from[location].oldest_sight < to[location].newest_sight) return true; // (mo | fr);rf?
    if (from[location].oldest_write <= to[location].newest_read) return true; // rf
  }
  return false;
}

bool sequential_order::is_before(const graph& g, std::size_t a, std::size_t b) const {
  const event_id x = nodes_[a];
  const event_id y = nodes_[b];
  const bool x_fence = g[x].is_fence();
  const bool y_fence = g[y].is_fence();
  if (is_in_program_order(g, x, y)) return true;
  if (is_before_by_position(a, b, x_fence && y_fence)) return true;
  if (!g.happens_before(x, y)) return false;
  if (x_fence && y_fence) return true;
  if (x_fence) {
    const event_id before = g[y].previous;
    return (before != no_event && is_same_or_before(g, x, before)) || has_access_between(g, x, y, g[y].location);
  }
  if (y_fence) {
    const event_id after = g[x].next;
    return (after != no_event && is_same_or_before(g, after, y)) || has_access_between(g, x, y, g[x].location);
  }
  if (g[x].location == g[y].location) return true;
  const event_id after = beyond_location(g, x, &event::next);
  const event_id before = beyond_location(g, y, &event::previous);
  return after != no_event && before != no_event && g.happens_before(after, before);
}

void sequential_order::connect(const graph& g) {
  collect(g);
  words_ = (nodes_.size() + 63) / 64;
  before_.assign(nodes_.size() * words_, 0);
  for (std::size_t a = 0; a < nodes_.size(); ++a)
    for (std::size_t b = 0; b < nodes_.size(); ++b)
      if (a != b && is_before(g, a, b)) before_[a * words_ + b / 64] |= std::uint64_t{1} << (b % 64);
}

bool sequential_order::is_acyclic(const graph& g) {
  if (g.sequential_events < 2) return true;
  connect(g);
  // Takes away nodes that nothing is ordered after, until none is left or the rest holds a cycle.
  left_.assign(words_, 0);
  for (std::size_t node = 0; node < nodes_.size(); ++node) left_[node / 64] |= std::uint64_t{1} << (node % 64);
  std::size_t remaining = nodes_.size();
  for (bool progress = true; progress && remaining != 0;) {
    progress = false;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if ((left_[node / 64] >> (node % 64) & 1U) == 0) continue;
      bool has_later = false;
      for (std::size_t word = 0; word < words_; ++word) has_later |= (before_[node * words_ + word] & left_[word]) != 0;
      if (has_later) continue;
      left_[node / 64] &= ~(std::uint64_t{1} << (node % 64));
      --remaining;
      progress = true;
    }
  }
  return remaining == 0;
}

std::vector<event_id> sequential_order::find_cycle(const graph& g) {
  if (is_acyclic(g)) return {};
  // Every node that is left has a successor that is left; following them closes a cycle.
  std::vector<std::size_t> path;
  std::size_t node = 0;
  while ((left_[node / 64] >> (node % 64) & 1U) == 0) ++node;
  for (;;) {
    const auto seen = std::find(path.begin(), path.end(), node);
    if (seen != path.end()) {
      std::vector<event_id> cycle;
      for (auto at = seen; at != path.end(); ++at) cycle.push_back(nodes_[*at]);
      return cycle;
    }
    path.push_back(node);
    for (std::size_t next = 0; next < nodes_.size(); ++next)
      if ((before_[node * words_ + next / 64] & left_[next / 64]) >> (next % 64) & 1U) {
        node = next;
        break;
      }
  }
}

} // namespace weir::check::detail
