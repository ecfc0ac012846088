// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs programs on weir in a simulation: the library's own source, with threads, clock, sleeps and faults that a seed decides.
//
//   sim::outcome ran = sim::run({.seed = 7}, [] {
//     weir::runtime pool({.permits = 2});
//     pool.block_on(serve());                     // an hour of sleeps takes milliseconds
//   });
//   // ran.passed(), ran.report, ran.hash
//
// doc/guide/simulation.md, doc/design/simulation.md.
#include <weir/config.hpp>

#if !WEIR_SIMULATED
#error "<weir/sim/run.hpp> needs the simulated variant of the library: link weir::sim instead of weir::core"
#endif

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace weir::sim {

/// What may go wrong in a run. Each seed uses a part of what is allowed.
struct fault_plan {
  bool spurious_wakes = false;  ///< sleeps end for no reason
  bool stalls = false;          ///< a thread stands still for up to 50 ms, anywhere
  bool late_monitor = false;    ///< the monitor wakes up to 50 ms late
  bool late_timers = false;     ///< timed sleeps end up to 5 ms late
  bool thread_failures = false; ///< the system refuses threads, once arm_thread_failures() was called
  bool buggify = false;         ///< buggify() sites fire

  [[nodiscard]] static constexpr fault_plan none() noexcept { return {}; }
  [[nodiscard]] static constexpr fault_plan all() noexcept { return {true, true, true, true, true, true}; }
};

/// Where one thread may be interrupted by another.
enum class granularity : std::uint8_t {
  mixed,  ///< the seed decides how often, from never to every few atomic operations
  coarse, ///< where threads sleep, wake each other, start, end, and read the clock
  fine,   ///< at atomic operations as well, every few of them
};

/// One run: the seed, and what the seed may decide.
struct run_options {
  std::uint64_t seed = 0;
  granularity grain = granularity::mixed;
  fault_plan faults{};
  bool uses_all_faults = false; ///< false: each seed uses about half of those that are allowed
  std::chrono::nanoseconds limit = std::chrono::hours(24); ///< of virtual time; a run that takes longer fails
  std::uint64_t max_steps = 20'000'000;                    ///< the same, for runs that never end
  std::string mutant{};                                    ///< the seeded bug that is switched on; see WEIR_MUTANT
  std::size_t processors = 4;                              ///< what a runtime takes for the number of processors
  std::chrono::nanoseconds operation_time{2};              ///< of an atomic operation, in virtual time
  std::uint32_t longest_stretch = 0; ///< the most atomic operations without a preemption; 0: as the seed draws
  std::size_t copies = 0; ///< how many copies of the process are kept on the way, for outcome::way; 24 is plenty
};

/// Why a run failed.
enum class failure_kind : std::uint8_t {
  none,
  requirement,    ///< require() or a check of the library did not hold
  exception,      ///< an exception left a thread, or the program called std::terminate
  deadlock,       ///< every thread waits, and no timer is armed
  too_long,       ///< the limit of virtual time or of steps
  crash,          ///< a signal ended the process
  nondeterminism, ///< the same seed took another way
};

[[nodiscard]] std::string_view to_string(failure_kind kind) noexcept;

namespace detail {
struct kept_copies;
}

/// The way of a run that has ended, kept as copies of the process that wait at some of its steps.
///
/// Thread: one. Lifetime: the copies end with it.
class history {
public:
  /// How often runs fail that go on from a step with another schedule.
  struct chance {
    std::uint64_t step = 0;
    unsigned failures = 0;
    unsigned tries = 0;
  };

  explicit history(std::unique_ptr<detail::kept_copies> copies);
  ~history();

  /// What the run was like at a step: the report that a failure there would have had. Empty before the first copy.
  ///
  /// Cost: the steps from the copy before it.
  [[nodiscard]] std::string at(std::uint64_t step) const;
  /// The steps that have copies, first to last.
  [[nodiscard]] std::vector<std::uint64_t> steps() const;
  /// For each copy, how many of `tries` other schedules from there fail: where that jumps is where the failure became
  /// inevitable.
  [[nodiscard]] std::vector<chance> chances(unsigned tries) const;

private:
  std::unique_ptr<detail::kept_copies> copies_;
};

/// How a run ended.
struct outcome {
  failure_kind failure = failure_kind::none;
  std::string report;                 ///< for people; empty when nothing failed
  std::uint64_t hash = 0;             ///< of every decision and event; equal for equal runs
  std::uint64_t steps = 0;            ///< decisions of the scheduler
  std::chrono::nanoseconds time{};    ///< virtual time that passed
  std::size_t threads = 0;            ///< that were started
  std::vector<std::string> reached;   ///< goals of sometimes() that held
  std::vector<std::string> missed;    ///< and those that did not
  std::shared_ptr<const history> way; ///< with run_options::copies

  [[nodiscard]] bool passed() const noexcept { return failure == failure_kind::none; }
};

/// Runs `body` as the first thread of a simulation, until all its threads have ended.
///
/// Threads, sleeps and clocks of weir are simulated. Other ways of blocking are not and stop everything: std::mutex across a call into
/// weir, std::condition_variable, std::this_thread::sleep_for; use weir's, or block_for().
///
/// A run that fails is left as it is: nothing is unwound, memory is not freed.
///
/// Errors: std::bad_alloc when there is no memory for the threads' stacks. What goes wrong in the run is in the outcome.
/// Thread: one simulation at a time in a process; not inside of another one.
/// Cost:   some 10 to 500 ns a step; a stack of 512 KiB for each thread that lives, of which only what it uses is memory.
[[nodiscard]] outcome run(const run_options& options, const std::function<void()>& body);

/// Runs a seed twice and compares every event. Returns the outcome of the second run, or nondeterminism with the first event that
/// differs.
///
/// Errors, Thread: as run().
/// Cost:   two runs, and 40 bytes for each event of the first.
[[nodiscard]] outcome run_twice(const run_options& options, const std::function<void()>& body);

// For the body and everything it calls; for another caller each of them but the first breaks its contract.

/// Tells whether a simulation runs.
[[nodiscard]] bool is_running() noexcept;
/// Returns the seed of the run.
[[nodiscard]] std::uint64_t seed() noexcept;
/// Ends the run as a failure unless `holds`; does not return then.
void require(bool holds, std::string_view what, std::source_location where = std::source_location::current());
/// Says that `holds` must be true in some run of a search, or the search has failed.
void sometimes(std::string_view goal, bool holds);
/// Makes a value part of the trace, so that two runs that differ in it are not equal.
void note(std::uint64_t value) noexcept;
/// Draws one of 0 .. bound-1, by the seed.
[[nodiscard]] std::uint64_t choose(std::uint64_t bound) noexcept;
/// Decides whether a place in code under test takes its rare way: fails, waits, is short of something. True now and then in a quarter of the
/// runs with faults.buggify; false outside of a simulation.
[[nodiscard]] bool buggify(std::string_view site) noexcept;
/// Blocks the thread, like a call of the system that takes this long.
///
/// Suspends: blocks the thread; inside a task, use it in weir::blocking().
/// Cancels:  no.
void block_for(std::chrono::nanoseconds span) noexcept;
/// Starts a thread that belongs to no runtime. The run ends when all threads have ended.
///
/// Order: either of the two threads may go on first.
void start_thread(std::string name, std::function<void()> body);
/// Lets the system refuse threads from here on, where faults.thread_failures allows it.
void arm_thread_failures() noexcept;

} // namespace weir::sim
