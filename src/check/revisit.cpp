// SPDX-License-Identifier: Apache-2.0

// Backward revisits: a new write becomes the source of a read that was added before it.
//
// Let `a` be the new write, `r` an earlier read of its location that is not in the past of `a` (program order and
// reads-from), and D the events added after `r` that are not in that past. D came about while `r` had another value, so
// it is dropped, and with it whatever those threads did; they run again from there. Several graphs that differ in D
// only would lead to the same new graph, so exactly one of them may make the step: the one where `r` and every event of
// D were added in the canonical way ("maximal"). With "there" meaning added no later than the event itself, or in the
// past of `a`:
//   - a read has a source that was there, and no newer write of the location was there;
//   - a write has no newer write that was there, and no reader that was there (such a reader was itself revisited by
//   it);
//   - a choice took its first value.
//
// What is left is closed under program order and reads-from, and nothing in it comes after `r`: a reader of something
// after `r` is in D, or it reads from a write of D that revisited it, which is ruled out above. So the clocks of all
// events but `r` stay right.
//
// A revisited exclusive read gets its write at once, with that write's own revisits, before the program runs again.

#include "check/explorer.hpp"

namespace weir::check::detail {

namespace {

class maximality {
public:
  maximality(const graph& g, event_id write) : g_(g), past_(g[write].past) {}

  [[nodiscard]] bool is_in_past(event_id id) const noexcept { return past_.covers(g_[id].thread, g_[id].index); }

  [[nodiscard]] bool holds_for(event_id id) const noexcept {
    const event& e = g_[id];
    if (e.is_read()) return was_there(e.source, id) && !has_newer(e.source, id);
    if (e.is_write()) return !has_newer(id, id) && !has_earlier_reader(id);
    return e.op.kind != operation_kind::choose || e.value == 0;
  }

private:
  [[nodiscard]] bool was_there(event_id id, event_id when) const noexcept {
    return is_initial(id) || id <= when || is_in_past(id);
  }
  [[nodiscard]] bool has_newer(event_id write, event_id when) const noexcept {
    for (event_id newer = g_.newer_than(write); newer != no_event; newer = g_[newer].newer)
      if (was_there(newer, when)) return true;
    return false;
  }
  [[nodiscard]] bool has_earlier_reader(event_id write) const noexcept {
    for (event_id id = g_[write].earlier_access; id != no_event; id = g_[id].earlier_access)
      if (g_[id].is_read() && g_[id].source == write) return true;
    return false;
  }

  const graph& g_;
  const clock& past_;
};

} // namespace

// The last event of `g` is a write that has no place in modification order yet.
void explorer::revisit_reads(const graph& g) {
  const event_id write = g.size() - 1;
  const maximality maximal(g, write);
  // From the newest event down: once an event that has to be dropped is not maximal, no older read can be revisited.
  for (event_id id = write - 1; id >= 0; --id) {
    if (maximal.is_in_past(id)) continue;
    if (!maximal.holds_for(id)) return;
    if (g[id].is_read() && g[id].location == g[write].location) revisit(g, id);
  }
}

void explorer::revisit(const graph& g, event_id read) {
  graph_ptr cut = take_spare();
  const event_id r = g.restrict_to(read, *cut, renumbered_);
  const event_id a = cut->size() - 1;
  const std::int32_t location = (*cut)[a].location;
  cut->set_source(r, a);
  const int read_floor = cut->floor_of(location, cut->seen_before(r));
  if ((*cut)[a].is_exclusive) {
    const event_id source = (*cut)[(*cut)[a].previous].source;
    if (cut->position_of(source) >= read_floor && !cut->feeds_exclusive(source)) place_revisited(*cut, r, a, source);
  } else {
    const int write_floor = cut->floor_of(location, cut->seen_before(a));
    const int floor = read_floor > write_floor ? read_floor : write_floor;
    for (event_id after = cut->newest_write(location); after != no_event;) {
      if (!cut->feeds_exclusive(after)) place_revisited(*cut, r, a, after);
      after = cut->position_of(after) > floor ? (*cut)[after].older : no_event;
    }
  }
  spare_.push_back(std::move(cut));
}

void explorer::place_revisited(graph& g, event_id read, event_id write, event_id after) {
  g.insert_write(write, after);
  const bool is_suspect = sequential_order::can_break(g, write) || sequential_order::can_break(g, read);
  if (!is_suspect || sequential_.is_acyclic(g)) {
    if (g[read].is_exclusive) {
      // The new write is appended behind `write`; a copy keeps the ids of this graph apart from it.
      graph_ptr copy = take_spare();
      *copy = g;
      add_exclusive(*copy, read, false);
      spare_.push_back(std::move(copy));
    } else {
      push_copy(g);
    }
  }
  g.remove_write(write);
}

} // namespace weir::check::detail
