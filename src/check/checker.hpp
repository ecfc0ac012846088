// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs a model's threads on fibers of one OS thread, again and again, under the exhaustive engine or along one recorded
// execution.
//
//   thread state  meaning
//   unused        has not been started in this execution
//   ready         runs, or stands before an operation
//   joining       waits for the end of another thread
//   waiting       spins or sleeps; nothing that this execution holds ends the wait (another execution may)
//   ended
//   left_out      has failed or broken an assumption, and goes no further
//
// Order of execution   Events that the graph records are replayed along program order and reads-from: a thread stands
// before a recorded
//                      read until its source has been executed. As happens-before lies within that order, data that is
//                      not recorded has the right values too, unless there is a race. Only when every recorded event
//                      has been executed is the lowest thread that can run extended.
// Who switches         A thread goes on without a switch as long as the rule above allows; otherwise it switches to the
// host, which
//                      picks. Threads never switch to each other.
// Waiting              A thread that waits ends its part of the execution. A later write that would wake it revisits
// the read that
//                      made it wait (revisit.cpp). At the end, an execution in which some waiting thread has read
//                      something old is incomplete and dropped; when all have read the newest values, they wait for
//                      ever: a deadlock.
// Cutting off          Stacks are dropped, never unwound; arena.hpp takes the memory back. The checker's own data is
// not in the arena. Identity             Locations, threads and hidden locations have numbers that depend on the
// creating thread's history only.

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/arena.hpp"
#include "check/explorer.hpp"
#include "context/exception_state.hpp"
#include "context/machine.hpp"
#include "context/sanitizer.hpp"

#include <weir/check/detail/hooks.hpp>
#include <weir/check/history.hpp>
#include <weir/check/model.hpp>

namespace weir::check {

/// Makes models, which users cannot.
class model_access {
public:
  static model make() { return {}; }
};

} // namespace weir::check

namespace weir::check::detail {

/// What a recorded execution did at one event; replay.hpp.
struct replay_record {
  enum class form : std::uint8_t { read, write, choice, other };
  form what = form::other;
  std::int32_t thread = -1; // read: of the source; -1: the initial write
  std::uint32_t value = 0;  // read: index of the source; write: position in modification order; choice: value
};
struct replay_plan {
  std::array<std::vector<replay_record>, max_threads> threads;
  std::vector<std::pair<std::pair<unsigned, unsigned>, unsigned>> children; // who started, as which of its own: number
};

/// One line of a report.
struct trace_step {
  enum class form : std::uint8_t { event, cell_read, cell_write, wait };
  form what = form::event;
  unsigned thread = 0;
  event_id event = no_event;
  const void* cell = nullptr;
  std::source_location where;
  std::string_view note; // of a wait
};

struct failure {
  failure_kind kind = failure_kind::none;
  std::string what;
  std::vector<std::size_t> steps; // those that the failure is about
};

/// What a search has covered.
struct search_result {
  bool is_finished = false; // it did all that it was asked to do
  bool is_complete = false; // that was every execution
  bool left_some_out = false;
  bool ran_out_of_time = false;
  double estimated_executions = 0; // 0: not estimated
  double estimated_runs = 0;
  double probability = 0; // pct: of one run
  unsigned threads = 0;
  std::uint64_t steps = 0;
  std::uint64_t failing_execution = 0;
  std::chrono::nanoseconds elapsed{0};
  std::string shrunk; // what shrinking changed; empty: nothing
};

/// How much of an explanation an execution needs; less is better.
struct shrink_cost {
  std::size_t preemptions = 0;
  std::uint64_t draws = 0; // stale values and choices other than 0
  std::size_t threads = 0;
  std::size_t steps = 0;
  std::size_t switches = 0;

  // A preemption or a stale value is worth a few steps that need no explanation.
  [[nodiscard]] std::uint64_t total() const noexcept {
    return 3 * preemptions + 3 * draws + 2 * threads + steps + switches;
  }
};

/// A place in the source and the orders seen there.
struct order_site {
  std::source_location where;
  operation_kind kind = operation_kind::load;
  memory_order order = memory_order::relaxed;
  memory_order failure = memory_order::relaxed;
};

/// One call of a history; history.cpp.
struct recorded_call {
  const void* history = nullptr;
  std::string what;
  std::string result; // as text
  call_rule rule;
  unsigned thread = 0;
  int first = -1; // the positions of the marks at its start and its end
  int last = -1;

  [[nodiscard]] std::string text() const { return result.empty() ? what : what + " = " + result; }
};

class checker {
public:
  checker(std::string_view name, const std::function<void(model&)>& body, const model_options& options);
  checker(const checker&) = delete;
  checker& operator=(const checker&) = delete;
  ~checker();

  /// Explores until a failure, the end or a limit.
  void explore();
  void follow(const replay_plan& plan);
  /// After a failure: looks for a simpler execution that fails in the same way, and leaves the simplest in place.
  void shrink();

  [[nodiscard]] const model_options& options() const noexcept { return options_; }
  [[nodiscard]] const failure& found() const noexcept { return failure_; }
  [[nodiscard]] const search_result& result() const noexcept { return result_; }
  [[nodiscard]] const explorer& engine() const noexcept { return engine_; }
  [[nodiscard]] const std::vector<trace_step>& trace() const noexcept { return trace_; }
  [[nodiscard]] const std::vector<order_site>& sites() const noexcept { return sites_; }
  [[nodiscard]] const std::map<std::string, bool, std::less<>>& goals() const noexcept { return goals_; }
  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  /// Whether the value is an address in the model's memory.
  [[nodiscard]] bool is_address(std::uint64_t value) const noexcept { return memory_->holds(value); }
  [[nodiscard]] const auto& children() const noexcept { return children_; }
  [[nodiscard]] std::string_view thread_name(unsigned thread) const { return threads_[thread].name; }
  [[nodiscard]] std::string location_name(std::int32_t location) const;
  [[nodiscard]] bool is_hidden(std::int32_t location) const {
    return locations_[static_cast<std::size_t>(location)].is_hidden;
  }
  [[nodiscard]] const std::source_location& location_origin(std::int32_t location) const;

  // For the hooks, on a model thread.
  [[nodiscard]] static checker* current() noexcept;
  [[nodiscard]] unsigned self() const noexcept { return self_; }
  void construct(atomic_base& object, const std::source_location& where);
  void destroy(atomic_base& object, const std::source_location& where);
  void set_name(const atomic_base& object, std::string_view name);
  std::uint64_t access(const atomic_base& object, operation op, const std::source_location& where);
  void fence(memory_order order, const std::source_location& where);
  void read_cell(cell_base& cell, const std::source_location& where);
  void write_cell(cell_base& cell, const std::source_location& where);
  /// Memory that no cell wraps; plain_access.cpp.
  void access_plainly(const void* address, std::size_t bytes, bool is_write);
  std::uint64_t choose(std::uint64_t bound, const std::source_location& where);
  bool take_weak_failure();
  bool take_timeout();
  bool take_tick();
  bool has_seen_time() const { return threads_[self_].has_seen_time; }
  unsigned spawn(std::string_view name, std::function<void()> body, const std::source_location& where);
  void join(unsigned thread, const std::source_location& where);
  void join_all(const std::source_location& where);
  void spin(const std::source_location& where);
  /// Waits for a change of what the thread has read since its event number `from`. Returns only where steps are drawn or
  /// planned; otherwise another execution goes on.
  void wait(std::string_view note, int from, const std::source_location& where);
  /// The word on which this thread's next wait sleeps while it holds `expected`.
  void sleep_on(std::int32_t location, std::uint64_t expected) noexcept {
    threads_[self_].sleeps_on = location;
    threads_[self_].sleeps_while = expected;
  }
  void reach(std::string_view goal, bool holds);
  [[noreturn]] void cut();
  [[noreturn]] void fail(failure_kind kind, const std::string& what, const std::vector<std::size_t>& steps = {});
  [[nodiscard]] std::vector<std::int64_t>& got_by(unsigned thread) { return got_[thread]; }
  std::size_t begin_call(const void* history, std::string_view what, const std::source_location& where);
  void end_call(std::size_t call, std::string_view result, const call_rule& rule, const std::source_location& where);
  void require_linearizable(const void* history, const sequential_object& initial, const std::source_location& where);
  /// "calls pop()", "returns 1", for the event of a mark.
  [[nodiscard]] std::string mark_text(const event& mark) const;
  [[nodiscard]] bool is_mutated(std::string_view mutation) const noexcept { return options_.mutation == mutation; }
  [[nodiscard]] int position() const noexcept { return position_of(self_); }

  /// A location that has no object, as a function of another one: the lock of a futex word, a sleeper's flag.
  [[nodiscard]] std::int32_t hidden_location(std::int32_t of, std::uint64_t initial_value);
  [[nodiscard]] std::int32_t fresh_location(std::uint64_t initial_value, const std::source_location& where,
                                            bool is_hidden = false);
  std::uint64_t access_hidden(operation op, const std::source_location& where) { return step(op, where); }
  [[nodiscard]] std::int32_t locate(const atomic_base& object);

  struct sleeper {
    std::int32_t flag = 0;
    unsigned thread = 0;
  };
  [[nodiscard]] std::vector<sleeper>& sleepers_of(std::int32_t location) { return sleepers_[location]; }

private:
  enum class thread_phase : std::uint8_t { unused, ready, joining, waiting, ended, left_out };

  struct thread_record : weir::rt::machine_state {
    thread_phase phase = thread_phase::unused;
    unsigned joins = 0;
    int spin_start = 0; // its event number at the last spin_hint()
    int waits_from = 0;
    std::string_view wait_note;
    std::source_location wait_where;
    std::int32_t sleeps_on = -1;
    std::uint64_t sleeps_while = 0;
    std::int32_t made = 0; // locations
    unsigned children = 0;
    unsigned weak_failures = 0;
    unsigned timeouts = 0;
    unsigned ticks = 0;
    bool has_seen_time = false;
    bool was_resumed = false;
    std::function<void()>* entry = nullptr; // in the arena
    std::string name;
    weir::rt::library_state library;
    weir::rt::sanitized_stack stack_notes;
  };

  struct location_record {
    std::source_location origin;
    std::string name;
    unsigned creator = 0;
    std::int32_t creator_position = 0;
    bool is_destroyed = false;
    bool is_hidden = false;
  };

  // checker.cpp: threads
  void begin();
  void run_threads();
  void finish();
  [[nodiscard]] bool pick(unsigned& thread) const;
  [[nodiscard]] bool is_runnable(unsigned thread) const noexcept;
  [[nodiscard]] bool may_step(unsigned thread) const noexcept;
  [[nodiscard]] bool has_executed(event_id id) const noexcept;
  void resume(unsigned thread);
  void leave(bool ends = false) noexcept;
  void prepare(unsigned thread);
  static void enter(weir::rt::machine_state* machine) noexcept;
  void run_entry(unsigned thread) noexcept;
  std::uint64_t step(const operation& op, const std::source_location& where);
  step_result perform(const operation& op, std::uint64_t& value);
  void check_waits();
  [[nodiscard]] bool has_news(unsigned thread) const noexcept;
  void set_failure(failure_kind kind, const std::string& what, const std::vector<std::size_t>& steps);

  // stepping.cpp
  void run_steps();
  void await_turn();
  void tell_strategy(event_id event);
  [[nodiscard]] unsigned runnable_threads() const noexcept;
  [[nodiscard]] std::vector<std::int32_t> awaited_by(unsigned thread) const;
  [[nodiscard]] bool run_drawn();

  // search.cpp
  void explore_exhaustively();
  void estimate();
  void explore_within_bound();
  void sample(random_strategy& by);
  [[nodiscard]] bool is_out_of_time();
  void show_progress(std::chrono::nanoseconds elapsed);

  // shrink.cpp
  [[nodiscard]] std::vector<scheduled_step> schedule() const;
  [[nodiscard]] shrink_cost cost_of(const std::vector<scheduled_step>& steps) const;
  [[nodiscard]] std::uint64_t fingerprint() const;
  void restore(const replay_plan& plan);
  void run_guided(const std::vector<scheduled_step>& guide);
  [[nodiscard]] bool fails_alike(const std::vector<scheduled_step>& guide, const failure& wanted);

  // checker_memory.cpp
  [[nodiscard]] int position_of(unsigned thread) const noexcept;
  [[nodiscard]] const clock& clock_of(unsigned thread) const noexcept;
  std::int32_t make_location(std::vector<std::int32_t>& ids, std::size_t at, std::uint64_t initial_value,
                             const std::source_location& where);
  void begin_location(std::int32_t id, std::uint64_t initial_value, unsigned creator, int position);
  void check_orders(const operation& op, const std::source_location& where);
  /// True: a fence is to follow the operation.
  bool note_site(operation& op, const std::source_location& where);
  void race(const cell_base::access& earlier, trace_step::form kind, const cell_base& cell,
            const std::source_location& where);
  void check_access(cell_base& cell, bool is_write, const std::source_location& where);
  void check_alive(const void* object, std::uint32_t generation, std::string_view what,
                   const std::source_location& where);
  void refresh(cell_base& cell) const noexcept;
  [[nodiscard]] bool is_ordered(const cell_base::access& earlier) const noexcept;

  // history.cpp
  [[nodiscard]] std::string find_order(const void* history, const sequential_object& initial) const;

  // replay.cpp
  [[nodiscard]] bool has_source_for_next(unsigned thread) const noexcept;
  step_result perform_planned(const operation& op, std::uint64_t& value);

  std::string name_;
  const std::function<void(model&)>& body_;
  const model_options& options_;
  explorer engine_;
  std::unique_ptr<model_memory> memory_ = model_memory::take();
  arena_set* arenas_ = &memory_->arenas;
  weir::rt::machine_state host_;
  weir::rt::sanitized_stack host_notes_;
  weir::rt::fiber_thread libraries_; // where this thread keeps what each stack has of its own
  std::array<thread_record, max_threads> threads_;
  unsigned self_ = 0;
  bool is_in_thread_ = false;
  std::unordered_map<std::uintptr_t, cell_base> plain_; // by groups of four bytes
  bool is_cut_ = false;
  search_result result_;
  std::chrono::steady_clock::time_point started_at_;
  std::chrono::steady_clock::time_point shown_at_;
  std::uint64_t ticks_ = 0;
  strategy* strategy_ = nullptr; // decides each step; null: the exhaustive engine or a plan does
  unsigned chosen_ = 0;          // by the strategy, for the next step
  bool is_decided_ = false;      // `chosen_` is to be resumed
  bool is_granted_ = false;      // the running thread need not ask for the step it stands before
  std::size_t preemptions_ = 0;  // of this execution
  std::uint32_t generation_ = 0;
  event_id executed_ = 0; // events of the graph that were executed, counted
  failure failure_;
  std::vector<trace_step> trace_;

  std::vector<location_record> locations_;
  std::array<std::vector<std::int32_t>, max_threads> made_;
  std::vector<std::int32_t> hidden_;
  std::unordered_map<const atomic_base*, std::int32_t> statics_;
  std::map<std::pair<unsigned, unsigned>, unsigned> children_;
  std::map<std::int32_t, std::vector<sleeper>> sleepers_;
  std::array<std::vector<std::int64_t>, max_threads> got_;
  std::vector<recorded_call> calls_;
  std::vector<order_site> sites_;
  std::unordered_map<std::uint64_t, std::size_t> site_of_;
  std::map<std::string, bool, std::less<>> goals_;
  const replay_plan* plan_ = nullptr;
  std::map<event_id, std::uint32_t> planned_positions_;
};

/// Time passes for a thread that waited, if it has ever looked at the time.
void take_time_out(checker& running, const std::source_location& where);

[[nodiscard]] std::string_view to_string(memory_order order) noexcept;
[[nodiscard]] std::string_view to_string(operation_kind kind) noexcept;

} // namespace weir::check::detail
