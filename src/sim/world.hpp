// SPDX-License-Identifier: Apache-2.0
#pragma once

// One run: simulated threads on one thread of the system, the clock, and who runs next.
//
//   phase    the thread is                                     leaves by
//   ready    in ready_, one of them runs                       being picked, waiting, ending
//   waiting  in waiting_, on a word or until a deadline        wake(), its deadline → ready
//   joining  the same, until another thread has ended          that end, its deadline → ready
//   ended    gone but for its number
//
// Who decides   every choice is a draw of a stream, and nothing else enters a decision: no address, no real time, no other thread.
// Where         step() is where another thread may go on. It is reached from sleeps, wakes, starts, ends and readings of the clock, and
//               from atomic operations when points_left has run down (facade.hpp).
// Time          moves a little with every step and every reading, so that a loop that waits for an instant ends; when nobody is ready it
//               jumps to the first deadline.
// Stacks        a simulated thread is a stack; the fibers of the library switch stacks below it, so what is left and entered is
//               whatever the thread runs on.
// Thread state  what WEIR_THREAD_LOCAL names is one section of the program, copied out and in at each switch; exceptions in flight and
//               errno likewise.
// The end       of a run that went well: the last thread. Of one that failed: at once, and every stack is dropped.
// Rejected      threads of the system that pass a baton (two futex calls a step, some 100 times slower); a central loop that every
//               thread returns to (twice the switches).
#include "base/clock.hpp"
#include "context/exception_state.hpp"
#include "context/machine.hpp"
#include "context/sanitizer.hpp"
#include "os/virtual_memory.hpp"
#include "sim/history.hpp"
#include "sim/random.hpp"
#include "sim/trace.hpp"

#include <weir/sim/run.hpp>

#include <memory>
#include <queue>
#include <string>
#include <vector>

namespace weir::sim::detail {

/// 0 while somebody looks at threads that stand still: look_at_each().
extern unsigned threads_go_on;

enum class thread_phase : std::uint8_t { ready, waiting, joining, ended };
enum class fault : std::uint64_t { spurious_wake, stall, late, no_thread, buggify };

struct sim_thread : rt::machine_state {
  std::uint32_t number = 0;
  std::string name;
  void (*entry)(void*) = nullptr;
  void* argument = nullptr;

  thread_phase phase = thread_phase::ready;
  std::size_t place = 0; ///< in ready_ or waiting_
  const void* word = nullptr;
  rt::instant deadline = rt::instant::never();
  std::uint64_t sleeps_since = 0; ///< the order of the sleepers of a word
  std::uint64_t waits = 0;        ///< so far; tells an old entry of the deadlines from the present one
  bool has_timed_out = false;
  std::uint32_t joins = 0;
  std::uint64_t priority = 0;
  rt::duration busy{}; ///< virtual time that it has run, until its last switch

  rt::library_state library;
  rt::sanitized_stack notes;
  rt::sanitized_stack own_notes;
  std::vector<char> locals;
  rt::os::address_range stack;

  bool is_monitor() const noexcept { return name == "weir-monitor"; }
};

class world {
public:
  world(const run_options& options, const std::function<void()>& body);
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  ~world();

  /// The run that the calling code is part of; null outside.
  static world* current() noexcept;

  outcome run();
#if WEIR_HAS_ASAN
  void show_stacks_to_leak_checker() const;
#endif

  // The boundary, for the running thread.
  std::uint32_t start(std::string name, void (*entry)(void*), void* argument);
  bool may_start_thread() noexcept;
  /// False when the deadline has passed.
  bool wait(const void* word, rt::instant deadline);
  std::size_t wake(const void* word, std::size_t most);
  bool join(std::uint32_t thread, rt::instant deadline);
  rt::instant now();
  rt::instant time() const noexcept { return now_; }
  std::int64_t since_begin(rt::instant at) const noexcept { return (at - begin_).count(); }
  rt::duration busy(const sim_thread& thread) const noexcept {
    return thread.busy + (&thread == running_ ? now_ - switched_at_ : rt::duration{});
  }
  /// A place where another thread may go on.
  void step();
  /// The running thread can do nothing until another one has run.
  void yield();
  [[noreturn]] void fail(failure_kind kind, const std::string& what);

  sim_thread& running() noexcept { return *running_; }
  sim_thread& thread(std::uint32_t number) noexcept { return *threads_[number]; }
  random_streams& random() noexcept { return random_; }
  trace& events() noexcept { return trace_; }
  const run_options& options() const noexcept { return options_; }
  const fault_plan& faults() const noexcept { return faults_; }
  void note(event_kind kind, std::uint64_t value);
  void reach(std::string_view goal, bool holds);
  void arm_thread_failures() noexcept { fails_threads_ = true; }
  /// Calls `look(thread)` for each live thread, with the thread's own WEIR_THREAD_LOCAL variables in place and without a switch.
  void look_at_each(const std::function<void(const sim_thread&)>& look);
  /// While it holds still nothing is switched and no time passes. Returns what it did before.
  bool hold_still(bool stills) noexcept;
  /// While it is calm, another thread goes on only when the running one waits.
  void set_calm(bool is_calm) noexcept;

private:
  static void enter(rt::machine_state* machine);
  void set_up_by_seed();
  void next_point() noexcept;
  void charge_for_points() noexcept;
  bool is_current(const sim_thread& thread, std::uint64_t waits) const noexcept {
    return (thread.phase == thread_phase::waiting || thread.phase == thread_phase::joining) && thread.waits == waits;
  }
  void pass_time(std::int64_t nanoseconds) noexcept { now_.nanoseconds += nanoseconds; }
  void make_ready(sim_thread& thread);
  void leave(std::vector<sim_thread*>& list, sim_thread& thread) noexcept;
  void fire_deadlines();
  void advance();
  void block(thread_phase phase, rt::instant deadline);
  sim_thread& pick();
  void switch_to(sim_thread& next, bool ends = false);
  void end_running();
  void reap();
  void count_step();
  void check_limits();
  /// Takes a copy; in a branch, ends it at its goal. history.cpp
  void look();
  void end_branch();
  std::string describe(const std::string& what);
  std::string describe_event(const event& what) const;

  run_options options_;
  fault_plan faults_;
  const std::function<void()>& body_;
  random_streams random_;
  trace trace_;
  rt::instant begin_{1'000'000'000'000};
  rt::instant now_ = begin_;
  std::uint64_t steps_ = 0;
  std::int64_t points_ = 0;          // mean number of atomic operations between two preemptions
  std::int64_t drawn_ = 0;           // until the next one
  std::uint64_t demotes_one_in_ = 0; // steps, by priorities; 0: uniformly
  std::size_t fruitless_ = 0;        // yields since the last other step
  std::size_t only_monitors_ = 0;    // jumps of time since another thread than a monitor ran
  bool fails_threads_ = false;
  std::uint64_t next_look_ = ~std::uint64_t{0}; // the step of the next copy, or a branch's goal
  std::unique_ptr<kept_copies> copies_;
  bool is_still_ = false;
  bool is_calm_ = false;
  std::uint64_t lowest_priority_ = std::uint64_t{1} << 32U;

  struct timed {
    std::int64_t at;
    std::uint64_t order;
    std::uint32_t thread;
    std::uint64_t waits;
    friend bool operator<(const timed& a, const timed& b) noexcept {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  std::vector<std::unique_ptr<sim_thread>> threads_;
  std::vector<sim_thread*> ready_;
  std::vector<sim_thread*> waiting_; // and joining
  std::priority_queue<timed> deadlines_;
  std::uint64_t order_ = 0;
  sim_thread* running_ = nullptr;
  sim_thread* left_ = nullptr;     // the thread of the last switch
  std::vector<sim_thread*> ended_; // whose stacks are not taken back yet
  sim_thread host_;
  std::size_t live_ = 0;
  rt::instant switched_at_ = begin_;
  rt::exception_globals* exceptions_;
  int* error_number_;

  outcome result_;
};

} // namespace weir::sim::detail
