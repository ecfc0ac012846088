// SPDX-License-Identifier: Apache-2.0
#pragma once

// The exhaustive engine: visits every consistent execution graph of a program, each exactly once.
//
// The driver of the program runs it again and again:
//
//   while (engine.next_execution())          // takes one graph from the work list
//     for each thread, lowest first: engine.perform(thread, operation) until the thread ends or perform() says stop
//     engine.finish_execution()
//
// Operations that the graph holds already give their recorded result; the first new one extends the graph. An extension
// has branches, which go on the work list:
//   - a read takes its value from any write that leaves the graph consistent;
//   - a write takes any such place in modification order (that of a read-modify-write is fixed), and may become the
//   source of a read
//     that was added earlier ("backward revisit", revisit.cpp).
//
// Which thread is extended must be a function of the graph alone. The lowest unfinished thread that can run is one.
//
// Consistency (RC11 with C++20 release sequences, no cycle in program order and reads-from):
//   - happens-before and coherence: a new event has nothing after it, so it is coherent exactly when it sees no older
//   write than
//     graph::floor_of() says. What a read acquires cannot raise its own floor: whatever happens before a release write
//     saw only older writes of that location.
//   - atomicity: rule R3 of graph.hpp.
//   - seq_cst: sequential_order.hpp.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "check/graph.hpp"
#include "check/sequential_order.hpp"
#include "check/strategy.hpp"

namespace weir::check::detail {

struct exploration_counts {
  std::uint64_t executions = 0; // complete and consistent, each a distinct graph
  std::uint64_t blocked = 0;    // ended with a thread that waits for ever, or cut by an assumption
  std::uint64_t dead_ends = 0;  // had no consistent continuation
  std::size_t most_pending = 0; // longest work list
  std::size_t most_events = 0;
};

enum class step_result : std::uint8_t { done, stop, diverged };

class explorer {
public:
  explorer();

  /// Forgets everything and starts with the empty graph over locations that hold these values.
  void start(const std::vector<std::uint64_t>& initial_values);

  /// Takes the next graph. False: every graph has been visited.
  [[nodiscard]] bool next_execution();

  /// Runs one operation of a thread; `value` becomes what it read.
  step_result perform(unsigned thread, const operation& op, std::uint64_t& value);

  /// Adds the next event of a thread as somebody else decided: `other` is the source of a read, or the write after
  /// which a write stands; `choice` the value of a choice.
  void add_as(unsigned thread, const operation& op, event_id other, std::uint64_t choice);

  /// Forgets the graph, not the work list or the counts. For executions whose every step is drawn, drawing.cpp.
  void restart();
  /// Adds the next event of a thread as `by` draws it among what is consistent; perform() then replays it.
  void add_drawn(unsigned thread, const operation& op, strategy& by, bool is_hidden);
  /// Keeps one graph of the work list, drawn at random, and drops the others. Returns how many there were.
  std::size_t keep_one(random_stream& random);

  void finish_execution(bool is_complete);

  [[nodiscard]] bool has_recorded(unsigned thread) const noexcept { return next_of(thread) != no_event; }
  /// The event that perform() would replay for this thread, or no_event.
  [[nodiscard]] event_id next_of(unsigned thread) const noexcept {
    const event_id at = cursors_[thread];
    return at == no_event ? graph_->threads[thread].first : (*graph_)[at].next;
  }
  /// The event that the thread performed last, or no_event.
  [[nodiscard]] event_id last_of(unsigned thread) const noexcept { return cursors_[thread]; }

  [[nodiscard]] graph& current() noexcept { return *graph_; }
  [[nodiscard]] const graph& current() const noexcept { return *graph_; }
  [[nodiscard]] const exploration_counts& counts() const noexcept { return counts_; }
  void set_counts(const exploration_counts& counts) noexcept { counts_ = counts; }
  [[nodiscard]] std::size_t pending() const noexcept { return work_.size(); }

private:
  using graph_ptr = std::unique_ptr<graph>;

  step_result replay(unsigned thread, const operation& op, std::uint64_t& value);
  bool add_read(unsigned thread, const operation& op);
  bool add_exclusive(graph& g, event_id read, bool keeps_graph);
  bool add_store(unsigned thread, const operation& op);
  void add_fixed(unsigned thread, const operation& op);
  void add_choice(unsigned thread, const operation& op);
  [[nodiscard]] bool is_consistent(const graph& g, event_id id);
  event_id append_read(unsigned thread, const operation& op);
  event_id append_store(unsigned thread, const operation& op);
  event_id append_exclusive_write(graph& g, event_id read);

  void push_copy(const graph& g);
  graph_ptr take_spare();

  // drawing.cpp
  void collect_candidates(event_id id);
  bool try_candidate(event_id id, event_id write, bool is_certain);

  // revisit.cpp
  void revisit_reads(const graph& g);
  void revisit(const graph& g, event_id read);
  void place_revisited(graph& g, event_id read, event_id write, event_id after);

  graph_ptr graph_;
  std::array<event_id, max_threads> cursors_{};
  std::vector<graph_ptr> work_;
  std::vector<graph_ptr> spare_;
  std::vector<event_id> renumbered_;
  std::vector<event_id> candidates_;
  std::vector<int> distances_;
  sequential_order sequential_;
  exploration_counts counts_;
};

} // namespace weir::check::detail
