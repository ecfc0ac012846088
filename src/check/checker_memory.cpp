// SPDX-License-Identifier: Apache-2.0

// The memory side of a model: locations and their lifetime, orders and their changes, plain cells.

#include <algorithm>

#include "check/checker.hpp"

namespace weir::check::detail {

namespace {

std::uint64_t key_of(const std::source_location& where, operation_kind kind) {
  const std::uint64_t file = reinterpret_cast<std::uintptr_t>(where.file_name());
  return (file << 28U) ^ (std::uint64_t{where.line()} << 14U) ^ (std::uint64_t{where.column()} << 4U) ^
         static_cast<std::uint64_t>(kind);
}

memory_order parse_order(std::string_view name) {
  for (const memory_order order :
       {memory_order::relaxed, memory_order::acquire, memory_order::release, memory_order::acq_rel})
    if (name == to_string(order)) return order;
  return memory_order::seq_cst;
}

} // namespace

std::string_view to_string(memory_order order) noexcept {
  switch (order) {
  case memory_order::relaxed: return "relaxed";
  case memory_order::consume: return "consume";
  case memory_order::acquire: return "acquire";
  case memory_order::release: return "release";
  case memory_order::acq_rel: return "acq_rel";
  case memory_order::seq_cst: break;
  }
  return "seq_cst";
}

std::string_view to_string(operation_kind kind) noexcept {
  static constexpr std::array<std::string_view, 15> names{
      "load",  "store",  "exchange", "fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "compare_exchange",
      "fence", "choose", "spawn",    "join",      "end",       "mark"};
  return names[static_cast<std::size_t>(kind)];
}

int checker::position_of(unsigned thread) const noexcept {
  const event_id last = engine_.last_of(thread);
  return last == no_event ? 0 : engine_.current()[last].index + 1;
}

const clock& checker::clock_of(unsigned thread) const noexcept {
  static const clock nothing{};
  const graph& g = engine_.current();
  const event_id last = engine_.last_of(thread);
  if (last != no_event) return g[last].happens_before;
  const event_id parent = g.threads[thread].parent;
  return parent == no_event ? nothing : g[parent].happens_before;
}

void checker::begin_location(std::int32_t id, std::uint64_t initial_value, unsigned creator, int position) {
  graph& g = engine_.current();
  while (g.locations.size() <= static_cast<std::size_t>(id)) g.add_location(0);
  g.at(id).initial_value = initial_value;
  location_record& of = locations_[static_cast<std::size_t>(id)];
  of.creator = creator;
  of.creator_position = position;
  of.is_destroyed = false;
}

std::int32_t checker::make_location(std::vector<std::int32_t>& ids, std::size_t at, std::uint64_t initial_value,
                                    const std::source_location& where) {
  if (ids.size() <= at) ids.resize(at + 1, -1);
  if (ids[at] < 0) {
    ids[at] = static_cast<std::int32_t>(locations_.size());
    locations_.emplace_back().origin = where;
  }
  begin_location(ids[at], initial_value, self_, position_of(self_));
  return ids[at];
}

void checker::construct(atomic_base& object, const std::source_location& where) {
  const host_allocation host;
  object.location = fresh_location(object.stored, where);
  object.generation = generation_;
}

std::int32_t checker::fresh_location(std::uint64_t initial_value, const std::source_location& where, bool is_hidden) {
  const auto at = static_cast<std::size_t>(threads_[self_].made++);
  const std::int32_t id = make_location(made_[self_], at, initial_value, where);
  locations_[static_cast<std::size_t>(id)].is_hidden = is_hidden;
  return id;
}

std::int32_t checker::hidden_location(std::int32_t of, std::uint64_t initial_value) {
  const auto at = static_cast<std::size_t>(of);
  if (hidden_.size() <= at) hidden_.resize(at + 1, -1);
  if (hidden_[at] < 0) {
    hidden_[at] = static_cast<std::int32_t>(locations_.size());
    locations_.emplace_back().is_hidden = true;
    locations_.back().name = location_name(of) + "'s sleepers";
  }
  begin_location(hidden_[at], initial_value, 0, -1);
  return hidden_[at];
}

// Objects from outside of the execution start with the value they had there.
std::int32_t checker::locate(const atomic_base& object) {
  if (object.generation == generation_) return object.location;
  const auto [at, is_new] = statics_.try_emplace(&object, static_cast<std::int32_t>(locations_.size()));
  if (is_new) locations_.emplace_back();
  begin_location(at->second, object.stored, 0, -1);
  return at->second;
}

void checker::destroy(atomic_base& object, const std::source_location& where) {
  if (object.generation != generation_) return;
  const host_allocation host;
  const graph& g = engine_.current();
  const clock& seen = clock_of(self_);
  for (std::size_t at = 0; at < trace_.size(); ++at) {
    const trace_step& step = trace_[at];
    if (step.what != trace_step::form::event || !g[step.event].is_access() || g[step.event].location != object.location)
      continue;
    if (step.thread == self_ || seen.covers(step.thread, g[step.event].index)) continue;
    fail(failure_kind::lifetime,
         location_name(object.location) + " is destroyed by " + threads_[self_].name + " (" + where.file_name() + ":" +
             std::to_string(where.line()) + ") while " + threads_[step.thread].name +
             " may still use it: nothing orders step " + std::to_string(at + 1) + " before that",
         {at});
  }
  locations_[static_cast<std::size_t>(object.location)].is_destroyed = true;
}

void checker::set_name(const atomic_base& object, std::string_view name) {
  const host_allocation host;
  locations_[static_cast<std::size_t>(locate(object))].name = name;
}

std::string checker::location_name(std::int32_t location) const {
  const location_record& of = locations_[static_cast<std::size_t>(location)];
  return of.name.empty() ? "a" + std::to_string(location) : of.name;
}

const std::source_location& checker::location_origin(std::int32_t location) const {
  return locations_[static_cast<std::size_t>(location)].origin;
}

std::uint64_t checker::access(const atomic_base& object, operation op, const std::source_location& where) {
  const host_allocation host;
  check_alive(&object, object.generation, "an atomic object", where);
  op.location = locate(object);
  check_orders(op, where);
  const bool adds_fence = note_site(op, where);
  const std::uint64_t value = step(op, where);
  const location_record& of = locations_[static_cast<std::size_t>(op.location)];
  if (of.is_destroyed)
    fail(failure_kind::lifetime, location_name(op.location) + " is used after it was destroyed", {trace_.size() - 1});
  if (of.creator != self_ && of.creator_position >= 0) {
    // The clock before the operation: what it acquires comes too late.
    const graph& g = engine_.current();
    if (!g.seen_before(trace_.back().event).covers(of.creator, of.creator_position))
      fail(failure_kind::data_race,
           location_name(op.location) + " is used, but nothing orders its construction by " +
               threads_[of.creator].name + " before that",
           {trace_.size() - 1});
  }
  if (adds_fence) step({.kind = operation_kind::fence}, where);
  return value;
}

void checker::fence(memory_order order, const std::source_location& where) {
  const host_allocation host;
  operation op{.kind = operation_kind::fence, .order = order};
  note_site(op, where);
  if (op.order == memory_order::relaxed) return;
  step(op, where);
}

void checker::check_orders(const operation& op, const std::source_location&) {
  const bool is_load = op.kind == operation_kind::load;
  const bool is_store = op.kind == operation_kind::store;
  const auto releases_only = [](memory_order order) {
    return order == memory_order::release || order == memory_order::acq_rel;
  };
  const auto acquires_only = [](memory_order order) {
    return order == memory_order::acquire || order == memory_order::acq_rel || order == memory_order::consume;
  };
  if ((is_load && releases_only(op.order)) || (is_store && acquires_only(op.order)) ||
      (op.kind == operation_kind::compare_exchange && releases_only(op.failure)))
    fail(failure_kind::wrong_order, "a " + std::string(to_string(op.kind)) + " of " + location_name(op.location) +
                                        " cannot have the order " +
                                        std::string(to_string(is_load || is_store ? op.order : op.failure)));
}

// Remembers the order that stands in the source and applies a change to it.
bool checker::note_site(operation& op, const std::source_location& where) {
  bool adds_fence = false;
  const auto [at, is_new] = site_of_.try_emplace(key_of(where, op.kind), sites_.size());
  if (is_new) sites_.push_back({where, op.kind, op.order, op.failure});
  for (const order_change& change : options_.changes) {
    if (change.line != where.line() || change.column != where.column() || change.what != to_string(op.kind) ||
        change.file != where.file_name())
      continue;
    if (change.to == "fence") {
      adds_fence = true;
      continue;
    }
    const memory_order to = change.to == "none" ? memory_order::relaxed : parse_order(change.to);
    (change.is_failure_order ? op.failure : op.order) = to;
  }
  return adds_fence;
}

// An object in memory that was freed, or that no constructor has run on, holds what the arena fills such memory with.
void checker::check_alive(const void* object, std::uint32_t generation, std::string_view what,
                          const std::source_location& where) {
  if (generation != arena_set::freed_bytes && generation != arena_set::fresh_bytes) return;
  if (!arenas_->owns(object)) return;
  const bool is_freed = generation == arena_set::freed_bytes;
  fail(failure_kind::lifetime, threads_[self_].name + " uses " + std::string(what) +
                                   (is_freed ? " in memory that was freed (" : " that was not constructed (") +
                                   where.file_name() + ":" + std::to_string(where.line()) + ")");
}

void checker::refresh(cell_base& cell) const noexcept {
  if (cell.generation == generation_) return;
  cell = {};
  cell.generation = generation_;
}

bool checker::is_ordered(const cell_base::access& earlier) const noexcept {
  const auto by = static_cast<unsigned>(earlier.thread);
  return earlier.thread < 0 || by == self_ || clock_of(self_).covers(by, earlier.position);
}

void checker::race(const cell_base::access& earlier, trace_step::form kind, const cell_base& cell,
                   const std::source_location& where) {
  const auto by = static_cast<unsigned>(earlier.thread);
  trace_.push_back({.what = kind, .thread = self_, .event = no_event, .cell = &cell, .where = where, .note = {}});
  fail(failure_kind::data_race,
       threads_[by].name + " and " + threads_[self_].name +
           " use the same plain data, one of them writes it, and nothing orders step " +
           std::to_string(earlier.step + 1) + " before step " + std::to_string(trace_.size()),
       {earlier.step, trace_.size() - 1});
}

void checker::check_access(cell_base& cell, bool is_write, const std::source_location& where) {
  const auto form = is_write ? trace_step::form::cell_write : trace_step::form::cell_read;
  refresh(cell);
  if (!is_ordered(cell.write)) race(cell.write, form, cell, where);
  if (is_write) {
    for (const cell_base::access& read : cell.reads)
      if (!is_ordered(read)) race(read, form, cell, where);
  }
  cell_base::access& own = is_write ? cell.write : cell.reads[self_];
  own = {static_cast<std::int32_t>(self_), position_of(self_), static_cast<std::uint32_t>(trace_.size())};
}

void checker::read_cell(cell_base& cell, const std::source_location& where) {
  const host_allocation host;
  check_alive(&cell, cell.generation, "plain data", where);
  check_access(cell, false, where);
  trace_.push_back({.what = trace_step::form::cell_read,
                    .thread = self_,
                    .event = no_event,
                    .cell = &cell,
                    .where = where,
                    .note = {}});
}

void checker::write_cell(cell_base& cell, const std::source_location& where) {
  const host_allocation host;
  check_alive(&cell, cell.generation, "plain data", where);
  check_access(cell, true, where);
  trace_.push_back({.what = trace_step::form::cell_write,
                    .thread = self_,
                    .event = no_event,
                    .cell = &cell,
                    .where = where,
                    .note = {}});
}

// Parts of a group that are smaller than it are kept apart only while one thread at a time uses them; groups of bytes
// and flags that several threads use are left to cell<T>.
void checker::access_plainly(const void* address, std::size_t bytes, bool is_write) {
  if (bytes < 4) return;
  const host_allocation host;
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  for (std::uintptr_t group = first / 4; group * 4 < first + bytes; ++group) check_access(plain_[group], is_write, {});
}

std::uint64_t checker::choose(std::uint64_t bound, const std::source_location& where) {
  const host_allocation host;
  if (bound == 0) fail(failure_kind::requirement, "a choice needs at least one value");
  return step({.kind = operation_kind::choose, .operand = bound}, where);
}

bool checker::take_weak_failure() {
  thread_record& of = threads_[self_];
  if (of.weak_failures >= options_.weak_failures || choose(2, std::source_location::current()) == 0) return false;
  ++of.weak_failures;
  return true;
}

bool checker::take_timeout() {
  thread_record& of = threads_[self_];
  if (of.timeouts >= options_.timeouts || choose(2, std::source_location::current()) == 0) return false;
  ++of.timeouts;
  return true;
}

bool checker::take_tick() {
  thread_record& of = threads_[self_];
  of.has_seen_time = true;
  if (of.ticks >= options_.ticks || choose(2, std::source_location::current()) == 0) return false;
  ++of.ticks;
  return true;
}

void checker::reach(std::string_view goal, bool holds) {
  const host_allocation host;
  const auto at = goals_.find(goal);
  if (at == goals_.end()) {
    goals_.emplace(goal, holds);
  } else {
    at->second |= holds;
  }
}

} // namespace weir::check::detail
