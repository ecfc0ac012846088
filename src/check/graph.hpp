// SPDX-License-Identifier: Apache-2.0
#pragma once

// An execution graph: the events of one run, in the order in which they were added, with program order, reads-from and
// one modification order for each location.
//
// A read-modify-write is two neighbouring events of its thread, an exclusive read and its write. The initial write of
// location l is no event: it has the id `initial_write(l)` and position 0 of the modification order. Clocks live in the
// events and stay right without any recomputation: an event is added at the end of its thread, and a read whose source
// changes has no event after it (explore.cpp says why).
//
// Rules
//   R1  An id is the index of its event, so "added earlier" is "smaller id". restrict_to() renumbers and keeps the
//   relative order. R2  position_of() counts from the initial write. insert_write() and remove_write() keep it dense.
//   R3  Between the source of an exclusive read and its write stands no other write.

#include <array>
#include <cstdint>
#include <vector>

#include "check/clock.hpp"

#include <weir/check/detail/operation.hpp>

namespace weir::check::detail {

using event_id = std::int32_t;
inline constexpr event_id no_event = INT32_MIN;

[[nodiscard]] constexpr event_id initial_write(std::int32_t location) noexcept { return -1 - location; }
[[nodiscard]] constexpr bool is_initial(event_id id) noexcept { return id < 0; }

enum class event_kind : std::uint8_t { read, write, fence, other };

struct event {
  clock happens_before; // events that happen before this one, and this one
  clock past;           // the same for (program order | reads-from)+
  clock message;        // writes: what a read of it that acquires sees
  clock to_acquire;     // what a later acquire fence of the thread sees
  clock released;       // what the thread's last release fence saw
  operation op;
  std::uint64_t value = 0; // read or written
  event_id source = no_event;
  event_id previous = no_event, next = no_event; // in program order
  event_id older = no_event, newer = no_event;   // writes: in modification order; `older` may be an initial write
  event_id earlier_access = no_event;            // of the same location, by id
  std::int32_t location = -1;
  std::int16_t position = 0; // writes: in modification order
  std::int16_t index = 0;    // in its thread
  std::uint8_t thread = 0;
  event_kind kind = event_kind::other;
  std::uint8_t order = weak; // strength, in bits
  bool is_exclusive = false; // half of a read-modify-write

  [[nodiscard]] bool is_read() const noexcept { return kind == event_kind::read; }
  [[nodiscard]] bool is_write() const noexcept { return kind == event_kind::write; }
  [[nodiscard]] bool is_access() const noexcept { return kind <= event_kind::write; }
  [[nodiscard]] bool is_fence() const noexcept { return kind == event_kind::fence; }
  [[nodiscard]] bool is_sequential() const noexcept { return (order & sequential) != 0; }
};

class graph {
public:
  struct location_state {
    std::uint64_t initial_value = 0;
    event_id oldest = no_event; // the first write after the initial one
    event_id newest = no_event; // the last write; no_event: the initial one
    event_id latest_access = no_event;
  };
  struct thread_state {
    event_id first = no_event, last = no_event;
    event_id parent = no_event; // the spawn event, for a thread that another one started
  };

  std::vector<event> events;
  std::vector<location_state> locations;
  std::array<thread_state, max_threads> threads;
  int sequential_events = 0;
  int sequential_fences = 0;

  void clear();
  void add_location(std::uint64_t initial_value);

  [[nodiscard]] event& operator[](event_id id) noexcept { return events[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const event& operator[](event_id id) const noexcept { return events[static_cast<std::size_t>(id)]; }
  [[nodiscard]] location_state& at(std::int32_t location) noexcept {
    return locations[static_cast<std::size_t>(location)];
  }
  [[nodiscard]] const location_state& at(std::int32_t location) const noexcept {
    return locations[static_cast<std::size_t>(location)];
  }
  [[nodiscard]] event_id size() const noexcept { return static_cast<event_id>(events.size()); }

  [[nodiscard]] int position_of(event_id write) const noexcept {
    return is_initial(write) ? 0 : (*this)[write].position;
  }
  [[nodiscard]] std::uint64_t value_of(event_id write) const noexcept {
    return is_initial(write) ? at(-1 - write).initial_value : (*this)[write].value;
  }
  [[nodiscard]] event_id newest_write(std::int32_t location) const noexcept {
    const event_id newest = at(location).newest;
    return newest == no_event ? initial_write(location) : newest;
  }
  [[nodiscard]] event_id newer_than(event_id write) const noexcept {
    return is_initial(write) ? at(-1 - write).oldest : (*this)[write].newer;
  }
  /// The position of the write that an access sees: its own, or that of its source.
  [[nodiscard]] int sight_of(const event& access) const noexcept {
    return access.is_write() ? access.position : position_of(access.source);
  }
  [[nodiscard]] bool happens_before(event_id a, event_id b) const noexcept {
    return a != b && (*this)[b].happens_before.covers((*this)[a].thread, (*this)[a].index);
  }
  /// Whether an exclusive read has taken `write` as its source and its write follows.
  [[nodiscard]] bool feeds_exclusive(event_id write) const noexcept {
    const event_id newer = newer_than(write);
    return newer != no_event && (*this)[newer].is_exclusive;
  }

  /// The oldest position that an access of `location` may see when `seen` is everything that happens before it.
  [[nodiscard]] int floor_of(std::int32_t location, const clock& seen) const noexcept;
  /// What happens before the next event of a thread, apart from what that event itself acquires.
  [[nodiscard]] const clock& seen_before(event_id id) const noexcept;

  /// Appends an event at the end of its thread. Reads and writes still need a source or a place in modification order.
  event_id append(unsigned thread, event_kind kind, const operation& op, std::uint8_t order);
  void remove_last();

  /// Makes `read` read from `write`: value, order, exclusiveness and clocks follow. Requires that nothing comes after
  /// `read`.
  void set_source(event_id read, event_id write);
  /// Computes the clocks of a fence, a write or a thread event from those before it.
  void set_clocks(event_id id);
  void insert_write(event_id id, event_id after);
  void remove_write(event_id id);

  /// Copies into `out` the events up to `cut` and those in the past of the last event; returns the new id of `cut`.

  event_id restrict_to(event_id cut, graph& out, std::vector<event_id>& renumbered) const;

private:
  void inherit_clocks(event& e, clock& inherited) const;
};

} // namespace weir::check::detail
