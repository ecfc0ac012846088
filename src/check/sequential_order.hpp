// SPDX-License-Identifier: Apache-2.0
#pragma once

// The axiom on seq_cst events: the partial order psc over them has no cycle.
//
//   scb = po | pod;hb;pod | hb&loc | mo | fr          (pod: program order between different locations)
//   psc = ([Esc] | [Fsc];hb?) ; scb ; ([Esc] | hb?;[Fsc])  |  [Fsc];(hb | hb;eco;hb);[Fsc]
//
// A fence orders what later accesses may see; it never creates happens-before, so nothing here touches a clock.
//
// No relation is multiplied out. Modification order, from-read and extended coherence order compare positions, so for
// each seq_cst event two rows of positions, one entry a location, are enough: how old a write the events after it see,
// and how new a write the events before it see or are.

#include <cstdint>
#include <vector>

#include "check/graph.hpp"

namespace weir::check::detail {

class sequential_order {
public:
  /// Whether psc has no cycle.
  [[nodiscard]] bool is_acyclic(const graph& g);

  /// Whether adding event `id`, last of its thread, can close a cycle. It cannot when it is, or sees, the newest write:
  /// then nothing is ordered after it, nor through it. The same holds for a fence.
  [[nodiscard]] static bool can_break(const graph& g, event_id id) noexcept;

  /// The events of one cycle, in order; empty when there is none. For reports.
  [[nodiscard]] std::vector<event_id> find_cycle(const graph& g);

private:
  struct row {                 // for one location, positions
    std::int16_t oldest_sight; // of what happens after a fence, or of the access itself
    std::int16_t oldest_write; // the same, writes only
    std::int16_t newest_write; // of what happens before a fence, or the access itself
    std::int16_t newest_sight; // the same, reads too
    std::int16_t newest_read;  // the same, reads only
  };

  void collect(const graph& g);
  [[nodiscard]] bool is_before(const graph& g, std::size_t a, std::size_t b) const;
  [[nodiscard]] bool is_before_by_position(std::size_t a, std::size_t b, bool both_fences) const;
  void connect(const graph& g);

  std::vector<event_id> nodes_;
  std::vector<row> rows_;             // nodes x locations
  std::vector<std::uint64_t> before_; // nodes x words: who is ordered after the node
  std::vector<std::uint64_t> left_;
  std::size_t locations_ = 0;
  std::size_t words_ = 0;
};

} // namespace weir::check::detail
