// SPDX-License-Identifier: Apache-2.0
#include "check/graph.hpp"

namespace weir::check::detail {

namespace {

const clock sees_nothing{};

} // namespace

void graph::clear() {
  events.clear();
  locations.clear();
  threads = {};
  sequential_events = 0;
  sequential_fences = 0;
}

void graph::add_location(std::uint64_t initial_value) { locations.push_back({.initial_value = initial_value}); }

int graph::floor_of(std::int32_t location, const clock& seen) const noexcept {
  int floor = 0;
  for (event_id id = at(location).latest_access; id != no_event; id = (*this)[id].earlier_access) {
    const event& access = (*this)[id];
    if (!seen.covers(access.thread, access.index)) continue;
    const int sight = sight_of(access);
    if (sight > floor) floor = sight;
  }
  return floor;
}

const clock& graph::seen_before(event_id id) const noexcept {
  const event& e = (*this)[id];
  if (e.previous != no_event) return (*this)[e.previous].happens_before;
  const event_id parent = threads[e.thread].parent;
  return parent == no_event ? sees_nothing : (*this)[parent].happens_before;
}

event_id graph::append(unsigned thread, event_kind kind, const operation& op, std::uint8_t order) {
  const event_id id = size();
  event& e = events.emplace_back();
  thread_state& in = threads[thread];
  e.op = op;
  e.kind = kind;
  e.order = order;
  e.thread = static_cast<std::uint8_t>(thread);
  e.previous = in.last;
  if (in.last == no_event) {
    in.first = id;
  } else {
    (*this)[in.last].next = id;
    e.index = static_cast<std::int16_t>((*this)[in.last].index + 1);
  }
  in.last = id;
  if (e.is_access()) {
    e.location = op.location;
    e.earlier_access = at(op.location).latest_access;
    at(op.location).latest_access = id;
  }
  if (e.is_sequential()) {
    ++sequential_events;
    if (e.is_fence()) ++sequential_fences;
  }
  return id;
}

void graph::remove_last() {
  const event& e = events.back();
  thread_state& in = threads[e.thread];
  in.last = e.previous;
  if (e.previous == no_event) {
    in.first = no_event;
  } else {
    (*this)[e.previous].next = no_event;
  }
  if (e.is_access()) at(e.location).latest_access = e.earlier_access;
  if (e.is_sequential()) {
    --sequential_events;
    if (e.is_fence()) --sequential_fences;
  }
  events.pop_back();
}

void graph::inherit_clocks(event& e, clock& inherited) const {
  e.to_acquire = {};
  e.released = {};
  e.past = {};
  inherited = {};
  if (e.previous != no_event) {
    const event& before = (*this)[e.previous];
    inherited = before.happens_before;
    e.past = before.past;
    e.to_acquire = before.to_acquire;
    e.released = before.released;
  } else if (threads[e.thread].parent != no_event) {
    const event& parent = (*this)[threads[e.thread].parent];
    inherited = parent.happens_before;
    e.past = parent.past;
  }
}

void graph::set_source(event_id read, event_id write) {
  event& e = (*this)[read];
  const bool was_sequential = e.is_sequential();
  e.source = write;
  e.value = value_of(write);
  e.is_exclusive = writes_after_reading(e.op, e.value);
  if (e.op.kind == operation_kind::compare_exchange)
    e.order = read_strength(e.is_exclusive ? e.op.order : e.op.failure);
  if (e.is_sequential() != was_sequential) sequential_events += was_sequential ? -1 : 1;
  clock seen;
  inherit_clocks(e, seen);
  if (!is_initial(write)) {
    const event& from = (*this)[write];
    e.past.join(from.past);
    if ((e.order & plain) == 0) {
      e.to_acquire.join(from.message);
      if ((e.order & acquires) != 0) seen.join(from.message);
    }
  }
  const auto self = static_cast<std::int16_t>(e.index + 1);
  seen.seen[e.thread] = self;
  e.past.seen[e.thread] = self;
  e.happens_before = seen;
}

void graph::set_clocks(event_id id) {
  event& e = (*this)[id];
  clock seen;
  inherit_clocks(e, seen);
  const auto self = static_cast<std::int16_t>(e.index + 1);
  if (e.is_fence() && (e.order & acquires) != 0) seen.join(e.to_acquire);
  if (e.op.kind == operation_kind::join && e.source != no_event) {
    seen.join((*this)[e.source].happens_before);
    e.past.join((*this)[e.source].past);
  }
  seen.seen[e.thread] = self;
  e.past.seen[e.thread] = self;
  e.happens_before = seen;
  if (e.is_fence() && (e.order & releases) != 0) e.released = seen;
  if (!e.is_write()) return;
  e.message = {};
  if ((e.order & plain) != 0) return;
  e.message = (e.order & releases) != 0 ? seen : e.released;
  if (!e.is_exclusive) return;
  const event_id continued = (*this)[e.previous].source; // a release sequence goes on through read-modify-writes only
  if (!is_initial(continued)) e.message.join((*this)[continued].message);
}

void graph::insert_write(event_id id, event_id after) {
  event& e = (*this)[id];
  location_state& in = at(e.location);
  e.older = after;
  e.newer = newer_than(after);
  e.position = static_cast<std::int16_t>(position_of(after) + 1);
  if (is_initial(after)) {
    in.oldest = id;
  } else {
    (*this)[after].newer = id;
  }
  if (e.newer == no_event) {
    in.newest = id;
  } else {
    (*this)[e.newer].older = id;
  }
  for (event_id later = e.newer; later != no_event; later = (*this)[later].newer) ++(*this)[later].position;
}

void graph::remove_write(event_id id) {
  event& e = (*this)[id];
  location_state& in = at(e.location);
  for (event_id later = e.newer; later != no_event; later = (*this)[later].newer) --(*this)[later].position;
  if (is_initial(e.older)) {
    in.oldest = e.newer;
  } else {
    (*this)[e.older].newer = e.newer;
  }
  if (e.newer == no_event) {
    in.newest = is_initial(e.older) ? no_event : e.older;
  } else {
    (*this)[e.newer].older = e.older;
  }
  e.older = no_event;
  e.newer = no_event;
}

event_id graph::restrict_to(event_id cut, graph& out, std::vector<event_id>& renumbered) const {
  const event_id last = size() - 1;
  const clock& past = (*this)[last].past;
  renumbered.assign(events.size(), no_event);
  out.clear();
  out.locations = locations;
  const auto map = [&](event_id id) {
    return id == no_event || is_initial(id) ? id : renumbered[static_cast<std::size_t>(id)];
  };
  for (location_state& in : out.locations) in.oldest = in.newest = in.latest_access = no_event;
  for (event_id id = 0; id <= last; ++id) {
    const event& from = (*this)[id];
    if (id > cut && !past.covers(from.thread, from.index)) continue;
    const event_id to = out.append(from.thread, from.kind, from.op, from.order);
    renumbered[static_cast<std::size_t>(id)] = to;
    event& e = out[to];
    e.happens_before = from.happens_before;
    e.past = from.past;
    e.message = from.message;
    e.to_acquire = from.to_acquire;
    e.released = from.released;
    e.value = from.value;
    e.source = from.source;
    e.is_exclusive = from.is_exclusive;
  }
  for (event& e : out.events)
    if (e.source != no_event) e.source = map(e.source);
  for (std::size_t thread = 0; thread < max_threads; ++thread) out.threads[thread].parent = map(threads[thread].parent);
  for (std::size_t location = 0; location < locations.size(); ++location) {
    event_id after = initial_write(static_cast<std::int32_t>(location));
    for (event_id id = locations[location].oldest; id != no_event; id = (*this)[id].newer) {
      const event_id to = map(id);
      if (to == no_event) continue;
      out.insert_write(to, after);
      after = to;
    }
  }
  return map(cut);
}

} // namespace weir::check::detail
