// SPDX-License-Identifier: Apache-2.0
#include "check/explorer.hpp"

namespace weir::check::detail {

explorer::explorer() : graph_(std::make_unique<graph>()) {}

void explorer::start(const std::vector<std::uint64_t>& initial_values) {
  counts_ = {};
  while (!work_.empty()) {
    spare_.push_back(std::move(work_.back()));
    work_.pop_back();
  }
  graph_ptr empty = take_spare();
  empty->clear();
  for (const std::uint64_t value : initial_values) empty->add_location(value);
  work_.push_back(std::move(empty));
}

explorer::graph_ptr explorer::take_spare() {
  if (spare_.empty()) return std::make_unique<graph>();
  graph_ptr taken = std::move(spare_.back());
  spare_.pop_back();
  return taken;
}

void explorer::push_copy(const graph& g) {
  graph_ptr copy = take_spare();
  *copy = g;
  work_.push_back(std::move(copy));
  if (work_.size() > counts_.most_pending) counts_.most_pending = work_.size();
}

bool explorer::next_execution() {
  if (work_.empty()) return false;
  spare_.push_back(std::move(graph_));
  graph_ = std::move(work_.back());
  work_.pop_back();
  cursors_.fill(no_event);
  return true;
}

void explorer::finish_execution(bool is_complete) {
  ++(is_complete ? counts_.executions : counts_.blocked);
  if (graph_->events.size() > counts_.most_events) counts_.most_events = graph_->events.size();
}

// Event `id` is the last of its thread, and the graph without it was consistent.
bool explorer::is_consistent(const graph& g, event_id id) {
  return !sequential_order::can_break(g, id) || sequential_.is_acyclic(g);
}

step_result explorer::perform(unsigned thread, const operation& op, std::uint64_t& value) {
  if (has_recorded(thread)) return replay(thread, op, value);
  bool is_added = true;
  switch (op.kind) {
  case operation_kind::store: is_added = add_store(thread, op); break;
  case operation_kind::choose: add_choice(thread, op); break;
  case operation_kind::fence:
  case operation_kind::spawn:
  case operation_kind::join:
  case operation_kind::end:
  case operation_kind::mark: add_fixed(thread, op); break;
  default: is_added = add_read(thread, op); break;
  }
  if (!is_added) {
    ++counts_.dead_ends;
    return step_result::stop;
  }
  return replay(thread, op, value);
}

step_result explorer::replay(unsigned thread, const operation& op, std::uint64_t& value) {
  event_id id = next_of(thread);
  const event& e = (*graph_)[id];
  if (e.op.kind != op.kind || (op.kind != operation_kind::fence && e.op.location != op.location))
    return step_result::diverged;
  value = e.value;
  if (e.is_read() && e.is_exclusive) id = e.next;
  cursors_[thread] = id;
  return step_result::done;
}

void explorer::add_as(unsigned thread, const operation& op, event_id other, std::uint64_t choice) {
  graph& g = *graph_;
  if (op.kind == operation_kind::store) {
    const event_id write = append_store(thread, op);
    g.insert_write(write, other);
  } else if (op.kind == operation_kind::load || is_read_modify_write(op.kind)) {
    const event_id read = append_read(thread, op);
    g.set_source(read, other);
    if (g[read].is_exclusive) g.insert_write(append_exclusive_write(g, read), other);
  } else {
    add_fixed(thread, op);
    g.events.back().value = op.kind == operation_kind::choose ? choice : 0;
  }
}

event_id explorer::append_read(unsigned thread, const operation& op) {
  const auto order = static_cast<std::uint8_t>(op.is_plain ? plain : read_strength(op.order));
  return graph_->append(thread, event_kind::read, op, order);
}

event_id explorer::append_store(unsigned thread, const operation& op) {
  const auto order = static_cast<std::uint8_t>(op.is_plain ? plain : write_strength(op.order));
  const event_id write = graph_->append(thread, event_kind::write, op, order);
  (*graph_)[write].value = op.operand;
  graph_->set_clocks(write);
  return write;
}

void explorer::add_fixed(unsigned thread, const operation& op) {
  graph& g = *graph_;
  const bool is_fence = op.kind == operation_kind::fence;
  const auto order = static_cast<std::uint8_t>(is_fence ? read_strength(op.order) | write_strength(op.order) : 0);
  const event_id id = g.append(thread, is_fence ? event_kind::fence : event_kind::other, op, order);
  if (op.kind == operation_kind::join) g[id].source = g.threads[static_cast<std::size_t>(op.location)].last;
  g.set_clocks(id);
  if (op.kind == operation_kind::spawn) g.threads[static_cast<std::size_t>(op.location)].parent = id;
}

void explorer::add_choice(unsigned thread, const operation& op) {
  graph& g = *graph_;
  const event_id id = g.append(thread, event_kind::other, op, 0);
  g.set_clocks(id);
  for (std::uint64_t value = op.operand; value-- > 1;) {
    g[id].value = value;
    push_copy(g);
  }
  g[id].value = 0;
}

bool explorer::add_read(unsigned thread, const operation& op) {
  graph& g = *graph_;
  const event_id read = append_read(thread, op);
  const int floor = g.floor_of(op.location, g.seen_before(read));
  event_id chosen = no_event;
  for (event_id write = g.newest_write(op.location); write != no_event;) {
    g.set_source(read, write);
    const bool is_first = chosen == no_event;
    if (g[read].is_exclusive) { // its write is checked, and whatever is wrong with the read is wrong with it too
      if (add_exclusive(g, read, is_first) && is_first) chosen = write;
    } else if (is_consistent(g, read)) {
      if (is_first) {
        chosen = write;
      } else {
        push_copy(g);
      }
    }
    write = g.position_of(write) > floor ? g[write].older : no_event;
  }
  if (chosen == no_event) return false;
  g.set_source(read, chosen);
  if (g[read].is_exclusive) {
    const event_id write = append_exclusive_write(g, read);
    g.insert_write(write, chosen);
  }
  return true;
}

event_id explorer::append_exclusive_write(graph& g, event_id read) {
  const event& from = g[read];
  const operation op = from.op;
  const auto order = static_cast<std::uint8_t>(op.is_plain ? plain : write_strength(op.order));
  const std::uint64_t value = modified(op, from.value);
  const event_id write = g.append(from.thread, event_kind::write, op, order);
  g[write].value = value;
  g[write].is_exclusive = true;
  g.set_clocks(write);
  return write;
}

// Adds the write of an exclusive read that ends its thread: its revisits, then its place. Leaves the graph as it was.
// False: there is no consistent place. `keeps_graph`: the caller goes on with this branch itself, so it is not pushed.
bool explorer::add_exclusive(graph& g, event_id read, bool keeps_graph) {
  const event_id source = g[read].source;
  const event_id write = append_exclusive_write(g, read);
  revisit_reads(g);
  bool is_placed = false;
  if (!g.feeds_exclusive(source)) {
    g.insert_write(write, source);
    is_placed = is_consistent(g, write);
    if (is_placed && !keeps_graph) push_copy(g);
    g.remove_write(write);
  }
  g.remove_last();
  return is_placed;
}

bool explorer::add_store(unsigned thread, const operation& op) {
  graph& g = *graph_;
  const event_id write = append_store(thread, op);
  revisit_reads(g);
  const int floor = g.floor_of(op.location, g.seen_before(write));
  event_id chosen = no_event;
  for (event_id after = g.newest_write(op.location); after != no_event;) {
    if (!g.feeds_exclusive(after)) {
      g.insert_write(write, after);
      if (is_consistent(g, write)) {
        if (chosen == no_event) {
          chosen = after;
        } else {
          push_copy(g);
        }
      }
      g.remove_write(write);
    }
    after = g.position_of(after) > floor ? g[after].older : no_event;
  }
  if (chosen == no_event) return false;
  g.insert_write(write, chosen);
  return true;
}

} // namespace weir::check::detail
