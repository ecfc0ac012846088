// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checks code on atomics by exploring all its executions.
//
//   check::exploration found = check::explore("message passing", [](check::model& m) {
//     check::atomic<int> ready{0};
//     check::cell<int> data{0};
//     m.spawn("writer", [&] { data.set(42); ready.store(1, std::memory_order::release); });
//     m.spawn("reader", [&] { if (ready.load(std::memory_order::acquire) == 1) m.require(data.get() == 42, "the data is
//     there"); }); m.join_all();
//   });
//   // found.passed(), found.report
//
// The body runs once for each execution that the memory model allows (doc/design/model-checker.md), so it makes all its
// objects anew and its threads depend on nothing but the model types, choose() and each other.

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace weir::check {

/// What went wrong.
enum class failure_kind : std::uint8_t {
  none,
  requirement,     ///< require() did not hold
  exception,       ///< an exception left a thread
  data_race,       ///< two accesses of a cell without order
  lifetime,        ///< an object is used while or after it is destroyed
  deadlock,        ///< every thread that is left waits for what cannot happen any more
  lost_wakeup,     ///< the same, and one sleeps although the word it sleeps on has changed
  livelock,        ///< the same, and all of them spin
  leak,            ///< memory of the execution is still allocated at its end
  wrong_order,     ///< an order that the operation cannot have
  runaway,         ///< one execution does not come to an end
  nondeterminism,  ///< the body behaves differently when everything it sees is the same
  not_linearizable ///< no order of the recorded calls is one of the sequential object; history.hpp
};

[[nodiscard]] std::string_view to_string(failure_kind kind) noexcept;

/// A place in the source where an order stands, and a weaker or stronger one to explore in its stead.
struct order_change {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string what; ///< "exchange", "fence", ...
  std::string from; ///< the order in the source
  std::string to;   ///< the order that is tried; "none" takes a fence away
  bool is_failure_order = false;
};

/// How executions are gone through. Only `exhaustive` verifies.
enum class engine_kind : std::uint8_t {
  exhaustive, ///< every execution that the memory model allows, each once
  bounded,    ///< every interleaving with few preemptions, over memory that always shows the newest write
  random,     ///< each step by a random thread, now and then with a stale value
  pct,        ///< random priorities: a bug that needs few ordered steps is found with a known probability
  pos         ///< random priorities of steps, drawn again where steps conflict: each order of two is about as likely
};

/// Whether the engine samples executions by a seed.
constexpr bool draws_at_random(engine_kind kind) noexcept { return kind >= engine_kind::random; }

[[nodiscard]] std::string_view to_string(engine_kind kind) noexcept;

/// How far to explore and what to change on the way. The environment variable WEIR_CHECK overrides: settings.hpp.
struct model_options {
  engine_kind engine = engine_kind::exhaustive;
  std::uint64_t max_executions = 2'000'000; ///< exhaustive, bounded: then the result is bounded, not verified
  std::chrono::milliseconds time_limit{0};  ///< the same; 0: none
  unsigned preemptions = 2;                 ///< bounded: switches away from a thread that could go on
  std::uint64_t runs = 20'000;              ///< random, pct, pos
  std::uint64_t seed = 1;                   ///< random, pct, pos; the same seed gives the same runs
  unsigned depth = 3;                       ///< pct: ordered steps that a bug may need
  unsigned stale_reads = 4;                 ///< random, pct, pos: values other than the newest, in each execution
  bool shows_progress = true;               ///< a line on stderr every five seconds
  bool reads_environment = true;            ///< WEIR_CHECK overrides what is said here
  std::size_t max_events = 2'000;           ///< of one execution
  unsigned weak_failures = 1;               ///< compare-exchanges that fail for no reason, in each execution
  unsigned timeouts = 1;                    ///< waits that time out, in each execution, where they have a deadline
  unsigned ticks = 1;                       ///< that pass at looks at the time, of each thread; time.hpp
  bool checks_leaks = true;
  bool suggests_fixes = true;          ///< on a failure, looks for orders that would remove it
  bool shrinks = true;                 ///< on a failure, looks for a simpler execution that fails in the same way
  std::string mutation{};              ///< the named mutation that is active, see is_mutated()
  std::vector<order_change> changes{}; ///< orders to explore in the place of those in the source
};

/// What exploring a model found.
struct exploration {
  failure_kind failure = failure_kind::none;
  bool is_complete = false;  ///< every execution was visited; false after a failure, at a limit, by other engines
  bool is_finished = false;  ///< the engine did all that it was asked to do
  std::string verdict;       ///< one line: verified, bounded, sampled or failed, and what that covers
  std::string report;        ///< for people; empty when nothing failed
  std::string report_json;   ///< the same for tools: one JSON object
  std::string graphviz;      ///< the failing execution as a drawing for `dot`
  std::string perfetto;      ///< the failing execution as a trace for ui.perfetto.dev or chrome://tracing
  std::string replay_string; ///< of the failing execution
  std::uint64_t executions = 0;
  std::uint64_t blocked = 0; ///< executions that end in a wait which another execution continues, or that assume() cut
  std::uint64_t dead_ends = 0;
  std::size_t most_events = 0;
  double estimated_executions = 0; ///< of a whole exhaustive search, from random probes; 0: not estimated
  std::chrono::nanoseconds elapsed{0};
  std::vector<std::string> never_reached; ///< sometimes() that never held; empty after a failure
  std::vector<order_change> weaker;       ///< each order seen, weakened by one step
  std::vector<std::string> fixes;

  /// No failure, every execution visited, every sometimes() reached: it is verified.
  [[nodiscard]] bool passed() const noexcept {
    return failure == failure_kind::none && is_complete && never_reached.empty();
  }
  /// As passed(), for engines that do not visit every execution: they found nothing, which is no proof.
  [[nodiscard]] bool found_nothing() const noexcept {
    return failure == failure_kind::none && is_finished && never_reached.empty();
  }
};

/// The running execution, as the model's body sees it. All calls are for the body and its threads.
class model {
public:
  /// Starts a thread. At most seven of them. Returns its number, for join().
  unsigned spawn(std::string_view name, std::function<void()> body,
                 std::source_location where = std::source_location::current());
  /// Waits until the thread has ended.
  ///
  /// Suspends: blocks the model thread.
  /// Cancels:  no.
  void join(unsigned thread, std::source_location where = std::source_location::current());
  void join_all(std::source_location where = std::source_location::current());

  /// Fails the execution unless `holds`.
  void require(bool holds, std::string_view what, std::source_location where = std::source_location::current());
  /// Says that `holds` must be true in some execution, or the model tests less than it seems to.
  void sometimes(std::string_view name, bool holds);
  /// One of 0 .. bound-1; every value is explored.
  unsigned choose(unsigned bound, std::source_location where = std::source_location::current());
  /// Leaves out the executions where it does not hold.
  void assume(bool holds);

  /// Notes a value that this thread got; see gained() and expect_each_once().
  void got(std::int64_t value);
  [[nodiscard]] bool has_got(unsigned thread, std::int64_t value) const;
  /// Requires that exactly these values were noted, each once, in any order.
  void expect_each_once(std::initializer_list<std::int64_t> values,
                        std::source_location where = std::source_location::current());

private:
  friend class model_access;
  model() = default;
};

/// Marks the end of one turn of a loop that waits. A turn that had no effect is not repeated: the thread waits until
/// something that it read changes.
///
/// Suspends: blocks the model thread; outside of a model it does nothing.
/// Cancels:  no.
void spin_hint(std::source_location where = std::source_location::current());

/// Whether this mutation is to be explored; false outside of a model. For the wrong variant of a line that a model must
/// catch.
[[nodiscard]] bool is_mutated(std::string_view name) noexcept;

/// Explores the executions of `body`.
///
/// Thread: any; several may explore at once. Runs on the calling thread.
/// Cost:   memory grows with the length of one execution only.
[[nodiscard]] exploration explore(std::string_view name, const std::function<void(model&)>& body,
                                  const model_options& options = {});

/// Runs the one execution that a replay string names.
///
/// Errors: an exploration with `nondeterminism` when the string does not fit the body.
[[nodiscard]] exploration replay(std::string_view name, const std::function<void(model&)>& body,
                                 std::string_view replay_string, const model_options& options = {});

/// One change to a model and whether the model notices it.
struct mutant {
  std::string name; ///< of the mutation, or "file:line exchange acq_rel -> release"
  failure_kind killed_by = failure_kind::none;
  bool is_survivor() const noexcept { return killed_by == failure_kind::none; }
};

/// Explores the model again for each order it uses, weakened by one step, and for each named mutation.
[[nodiscard]] std::vector<mutant> explore_mutants(std::string_view name, const std::function<void(model&)>& body,
                                                  const std::vector<std::string>& mutations = {},
                                                  model_options options = {});

/// The same with the changes of an exploration that was made already: its `weaker`.
[[nodiscard]] std::vector<mutant> explore_mutants(std::string_view name, const std::function<void(model&)>& body,
                                                  const std::vector<order_change>& weaker,
                                                  const std::vector<std::string>& mutations,
                                                  const model_options& options);

} // namespace weir::check
