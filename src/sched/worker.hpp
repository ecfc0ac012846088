// SPDX-License-Identifier: Apache-2.0
#pragma once

// One thread of a runtime. It runs tasks while it holds a permit; without one it is attached to a free permit, a spare,
// inside a blocking region, or on its way back from one.
//
// Who writes  R1 everything without a comment: the thread itself. R2 assigned: whoever owns a permit that goes to this
// worker, or has taken
//                it out of the spare threads; it was 0, because only one party at a time can: who claimed the attached
//                permit, popped the spare or popped the returner.
//             R3 running_code, waits_on, polled_name: the thread, under attention_lock; the name is cleared before its
//             task may end or
//                be polled elsewhere, so who has the lock may read it. polled_site, polled, call, released_at: the thread; the
//                first points to what is static, the second is only compared. seen_call, seen_at: the monitor. R4 wants_driving: the monitor, under
//             attention_lock.
// Orderings   O1 assigned (release) → taken (acquire): with the permit comes all that its last holder wrote.
//             O2 preempt_scope and the monitor meet under attention_lock, so that nobody is asked to yield after its
//             scope has ended.
// Shutdown    a worker without a permit ends when the runtime terminates; one with a permit comes to that state, since
// no task is left.
#include "base/parker.hpp"
#include "base/spin_lock.hpp"
#include "os/thread.hpp"
#include "sched/permit.hpp"
#include "sched/spares.hpp"
#include "sched/thread_context.hpp"

#include <weir/blocking.hpp>
#include <weir/detail/preempt.hpp>

#include <optional>

namespace weir::rt {

class worker : public spare_thread {
public:
  worker(runtime_core& core, std::uint16_t number) noexcept : core_(core), number_(number) { context_.on = this; }
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  /// The thread's function.
  void main() noexcept;

  // For the thread itself.
  /// Begins a blocking region. What is learned about it goes to `site`.
  void enter_region(const call_site& site, detail::expected_wait expects) noexcept;
  void leave_region() noexcept;
  thread_context& context() noexcept { return context_; }
  bool is_in_region() const noexcept { return region_depth_.load(detail::memory_order::acquire) != 0; }
  /// How long the region has gone on that the thread is in, at least; nothing when nobody has looked. Thread: any.
  std::optional<duration> region_age(instant now) const noexcept;
  /// Blocks like a region until `is_over()`; `wake` is what ends a sleep. Drives the queues itself when no other thread
  /// can.
  void wait_blocked(parker& wake, bool (*is_over)(void*) noexcept, void* argument) noexcept;
  /// Lets queued work run before the caller, which is a poll that wants to go on.
  void offer_permit() noexcept;
  /// Puts a woken or new task into the queue of the permit that this worker holds.
  void queue_here(detail::task_header& task) noexcept;
  /// Waits until another thread has run a fork of this one's stack. `expected`: the end word's value now, which may name
  /// a fiber's task.
  void wait_for_fork(detail::fork_node& node, std::uintptr_t expected) noexcept;
  /// True when the thread may use its permit's queue.
  bool can_queue() const noexcept { return held_ != nullptr && !is_in_region(); }
  /// The permit that the thread holds; only while can_queue().
  permit& held() const noexcept { return *held_; }
  void set_running_code(detail::preemptible* code) noexcept;
  detail::preemptible* running_code() const noexcept { return running_code_; }
  bool is_asked_to_yield() const noexcept;
  void count_preemption() noexcept;

  // For others.
  runtime_core& core() const noexcept { return core_; }
  std::uint16_t number() const noexcept { return number_; }
  /// Gives this worker a permit that the caller owns, and wakes it. `to_search`: it has been counted as searching.
  void grant(permit& to_hold, bool to_search = false) noexcept;
  /// The second half of grant(), for a permit whose word already says so.
  void assign(permit& granted, bool to_search = false) noexcept;
  void wake() noexcept { parker_.unpark(); }
  /// Ends the thread, which the caller has taken out of the spare ones.
  void retire() noexcept { give_order(order_retire); }
  /// Lets the thread, which the caller has taken out of the spare ones, run closures.
  void run_closures_soon() noexcept { give_order(order_closures); }
  /// The call in this word was seen at `at`. Thread: the monitor's.
  void note_call_seen(std::uint64_t call, instant at) noexcept;
  /// The task that the thread polls: an address to compare. Thread: any.
  const detail::task_header* polled() const noexcept { return polled_.load(detail::memory_order::acquire); }
  /// Says which task the thread polls; false when it polls none.
  bool describe(std::string& name, std::source_location& site) noexcept;
  /// Asks the code of the given poll to come to a checkpoint, if it still is that poll; false when there was nobody to
  /// ask.
  bool ask_to_yield(permit& held, std::uint64_t poll) noexcept;
  /// Asks a worker that waits in block_on to run queued tasks itself; false when it waits for nothing.
  bool ask_to_drive() noexcept;

  worker* next_spare = nullptr;    // under the crew's lock
  worker* next_returner = nullptr; // under the return queue's lock
  os::thread thread;               // under the crew's creation lock

private:
  /// How the outermost region stands to the permit.
  enum class region_state : std::uint8_t {
    none,      // there was no permit
    call,      // the permit's word is in phase call
    long_call, // in phase long_call
    released,  // given away at entry
  };

  static constexpr std::uintptr_t searching = 1; // with a permit
  static constexpr std::uintptr_t order_retire = 2;
  static constexpr std::uintptr_t order_closures = 4;
  static constexpr std::uint64_t no_call = ~std::uint64_t{0}; // no word of a permit

  void give_order(std::uintptr_t order) noexcept;
  /// Waits as a spare thread, or attached to a free permit, which it also takes when it may fire timers. Null: the thread
  /// is to end.
  permit* wait_for_permit() noexcept;
  /// Waits for the permit that a returning caller was promised.
  permit* wait_in_return_queue() noexcept;
  permit* accept(std::uintptr_t assigned) noexcept;
  /// Looks for an assignment for a moment; true when there may be one.
  bool spin_while_hot() noexcept;
  bool spin_for_assignment() noexcept;
  /// Takes itself out of the spare threads if closures wait, and runs them; false when there was nothing to do.
  bool run_closures_if_any() noexcept;
  void run_closures() noexcept;
  void run_closure(detail::task_header& closure) noexcept;
  /// Runs a closure that finds no other thread, as a blocking region; false when there was none.
  bool run_stranded_closure() noexcept;
  void set_region_depth(std::uint32_t to) noexcept { region_depth_.store(to, detail::memory_order::release); }
  /// Publishes which task the thread polls from now on; null: none.
  void note_polled(const detail::task_header* task) noexcept;
  // The same around each poll, where most often no task has a name.
  void begin_polled(const detail::task_header& task) noexcept {
    if (task.extras() != nullptr || polled_name_ != nullptr) return note_polled(&task);
    polled_.store(&task, detail::memory_order::release);
    polled_site_.store(std::bit_cast<std::uintptr_t>(task.site()), detail::memory_order::relaxed);
  }
  void end_polled(const detail::task_header* outer) noexcept {
    if (outer != nullptr || polled_name_ != nullptr) return note_polled(outer);
    polled_.store(nullptr, detail::memory_order::release);
    polled_site_.store(0, detail::memory_order::relaxed);
  }
  void start_call(permit_phase phase) noexcept;
  void enter_long_region() noexcept;
  void start_long_call() noexcept;
  void note_release() noexcept;
  void learn_from_release() noexcept;
  void work() noexcept;
  detail::task_header* next_task() noexcept;
  /// What a permit owes at every `injector_period`th round.
  void pay_dues() noexcept;
  /// From the own permit's next cell or run queue of normal tasks.
  detail::task_header* take_queued() noexcept;
  detail::task_header* take_from_injector(task_priority of) noexcept;
  /// The oldest of `from`; of the others, what is this permit's share moves to its ring.
  detail::task_header* take_share(injector& from, task_priority of) noexcept;
  detail::task_header* take_batch(injector& from, task_priority of, std::size_t limit) noexcept;
  /// From the own permit's ring, or else from what overflowed it.
  detail::task_header* take_own(task_priority of) noexcept;
  /// Counts a round of this class; true when what overflowed the ring has its turn in it.
  bool is_overflows_turn(task_priority of, bool is_injectors_turn) noexcept;
  /// The oldest task that overflowed the own ring, or that of another permit.
  detail::task_header* take_overflow(task_priority of) noexcept;
  /// From the own permit's queues and the injectors, by the classes' turns.
  detail::task_header* take_by_turns(bool from_injector_first) noexcept;
  detail::task_header* search() noexcept;
  /// As steal(), while this permit has other tasks: a class's turn is all permits'.
  detail::task_header* steal_for_turn(task_priority of) noexcept;
  /// From the queues of other permits, or an injector.
  detail::task_header* steal(task_priority of) noexcept;
  /// From the next cell of a permit whose holder does not come to it.
  detail::task_header* steal_next() noexcept;
  /// True when the holder of `victim` does not come to its next task: it is in a region, or its poll takes long.
  static bool is_stuck(const permit& victim) noexcept;
  void stop_searching() noexcept;
  void go_idle() noexcept;
  /// Takes the free permit that this worker is attached to, as a searcher; null when somebody else has it.
  permit* claim_attached() noexcept;
  bool give_to_returner() noexcept;
  void take_permit_back() noexcept;
  /// Gives the permit to a returner or to a thread without one; false when there is no such thread.
  bool release_permit() noexcept;
  /// As release_permit(), for a worker that is counted as detached already.
  bool release_counted_permit() noexcept;
  bool is_permit_wanted() const noexcept;
  bool sleep_until_over(parker& wake, bool (*is_over)(void*) noexcept, void* argument) noexcept;
  /// Runs one queued task on top of the current one; false when there was none.
  bool drive_once() noexcept;
  void execute(detail::task_header& task) noexcept;
  void run_fork(detail::fork_node& node) noexcept;

  runtime_core& core_;
  const std::uint16_t number_;
  bool is_searching_ = false;
  region_state region_ = region_state::none;
  detail::atomic<std::uint32_t> region_depth_{0}; // read by blocked_calls() and by dumps: task_view.hpp O4
  detail::atomic<std::uint64_t> call_{no_call};   // the permit's word during the outermost region; 0: released
  detail::atomic<std::int64_t> released_at_{0};   // in state released
  detail::atomic<std::uint64_t> seen_call_{0};    // the monitor's: a word, and when it was seen first
  detail::atomic<std::int64_t> seen_at_{0};
  const call_site* site_ = nullptr; // where to learn; null: nowhere
  permit* held_ = nullptr;
  permit* attached_ = nullptr; // the one it went idle with
  thread_context context_;
  detail::atomic<std::uintptr_t> assigned_{0}; // a permit's address, and `searching`; or an order
  parker parker_;

  spin_lock attention_lock_{"a worker's attention lock"};
  detail::preemptible* running_code_ = nullptr;
  parker* waits_on_ = nullptr;
  bool wants_driving_ = false;
  const std::string* polled_name_ = nullptr;
  detail::atomic<const detail::task_header*> polled_{nullptr};
  detail::atomic<std::uintptr_t> polled_site_{0}; // a source_location; 0: nothing is polled
};

} // namespace weir::rt
