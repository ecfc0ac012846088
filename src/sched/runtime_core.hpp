// SPDX-License-Identifier: Apache-2.0
#pragma once

// The block behind a runtime: permits, queues, threads, and the rules by which permits find threads.
//
// Lifetime    counted: one reference of the runtime handle, one of each thread, one of each thread that lends itself to
// block_on, one of
//             each thread that puts a task in from outside while it does so. A task holds none: it is alive until
//             COMPLETE, threads end only when no task is left, and nobody reads a task's core after COMPLETE.
// Shutdown    close admission (a flag of each of the registry's lists) → stop every admitted task, whose contexts end
// on workers like
//             any poll → the last removal terminates: it closes the roster of threads and wakes them all → each thread ends →
//             the last reference frees the block. Drop stops after the second step; shutdown() waits for the last but
//             one. A task whose blocking region is stuck keeps its thread, the other threads and the block, and nothing
//             else.
// Rejected    a count of tasks in one word (every spawn would write it); joining the threads in the destructor (a
// runtime dropped by its
//             own task would wait for itself).
#include "base/mutex.hpp"
#include "context/fiber_stack.hpp"
#include "os/fork_mark.hpp"
#include "sched/call_sites.hpp"
#include "sched/closures.hpp"
#include "sched/crew.hpp"
#include "sched/idle.hpp"
#include "sched/injector.hpp"
#include "sched/long_calls.hpp"
#include "sched/monitor.hpp"
#include "sched/permit.hpp"
#include "sched/registry.hpp"
#include "sched/return_queue.hpp"
#include "sched/root_list.hpp"
#include "time/timer_set.hpp"

#include <weir/runtime.hpp>

#include <memory>
#include <mutex>
#include <system_error>

namespace weir::rt {

/// runtime_options and what only tests set.
struct core_config {
  runtime_options options;
  bool has_monitor_thread = true; // false: the test calls scan()
  instant (*now)(void*) noexcept = [](void*) noexcept { return rt::now(); };
  void* now_argument = nullptr; // set: a clock that the test moves, so no thread sleeps until a deadline
  thread_factory make_thread = os::thread::start_raw;
};

/// How an attempt to take a call's permit ended.
enum class call_taken : std::uint8_t { yes, ended, no_thread };
enum class may_make_thread : bool { no, yes };

class runtime_core {
public:
  static std::expected<runtime_core*, std::error_code> build(core_config config);
  runtime_core(const runtime_core&) = delete;
  runtime_core& operator=(const runtime_core&) = delete;

  void hold() noexcept { references_.fetch_add(1, detail::memory_order::relaxed); }
  void release() noexcept;

  // Tasks.
  /// Admits a new task and queues it; a runtime that is closed stops it at once.
  void launch(task_header& task) noexcept;
  /// Queues a task whose queue entry the caller owns. Thread: any.
  void schedule(task_header& task) noexcept;
  /// As schedule(), for a task that the present poll has woken: it comes before the others of this permit.
  void schedule_next(task_header& task) noexcept;
  /// As schedule(), for many. Thread: one that keeps this object alive.
  void schedule(task_chain tasks) noexcept;
  /// Ends a task whose context is destroyed: it leaves the registry and becomes complete.
  void finish(task_header& task, permit& held) noexcept;
  /// The same for a closure, which no permit's list has.
  void finish_closure(task_header& task) noexcept;
  /// What a holder does now and then: passes on and takes in what the permits owe one another.
  void tidy(permit& held) noexcept;
  /// The worker whose permit's queue and lists the calling thread may use; null elsewhere.
  worker* current_worker() const noexcept;
  const std::shared_ptr<const detail::unhandled_handler>& on_unhandled() const noexcept { return on_unhandled_; }

  /// Finds a thread for a closure that has been pushed: the steps (2) to (5) of closures.hpp.
  void publish_closure() noexcept;
  /// As that, without regard to eager_limit; false when there is no thread.
  bool find_closure_thread() noexcept;
  /// Lets a spare thread run closures; false when there is none.
  bool order_spare() noexcept;

  // Publishing, see idle.hpp.
  /// The steps (2) to (4) of a publisher.
  void publish() noexcept;
  /// The steps (3) and (4), after a fence and a look that saw work.
  void wake_one() noexcept;
  /// True when anything is queued anywhere, or a returner waits. After a fence.
  bool has_demand() const noexcept;
  /// The same without what only its permit's holder looks for: next_cell.hpp.
  bool has_stealable() const noexcept;
  std::size_t queued() const noexcept;
  std::size_t stealable() const noexcept;

  // Forks, see fork_join.hpp.
  /// Takes a fork that is offered anywhere; null when none is.
  detail::fork_node* take_fork() noexcept;
  bool has_fork() const noexcept;
  /// Prepares a thread's own list.
  void set_up_forks(thread_context& of) noexcept;

  // Permits.
  /// Takes the permit of a call for the first returner or, if there is none, for a spare thread.
  call_taken take_call(permit& of, call_word call, may_make_thread makes) noexcept;
  /// Takes one call that is expected to take long, for work that waits.
  void take_long_call() noexcept;
  /// Counts one more caller without a permit, unless so many block that only age may take their permits.
  bool count_early_release() noexcept;
  /// False when so many calls block that only age may take their permits.
  bool may_release_early() const noexcept;
  /// Gives a permit that the caller owns to the first returner; false when nobody waits.
  bool grant_to_returner(permit& owned) noexcept;
  /// Lets the caller that is next in the return queue be awake when its turn comes.
  void wake_next_returner() noexcept;
  /// True when permits change hands so fast that the next thread should be awake: more than one task waits, or the last
  /// release was a moment ago.
  bool expects_next_release() noexcept;
  /// Gives free permits to returners as long as there are both.
  void serve_returners() noexcept;
  /// A worker without a permit gets a free one, or is queued for one.
  permit* claim_or_enqueue(worker& returning) noexcept;
  /// Asks one running poll to give its permit to a waiting returner.
  void ask_for_returner() noexcept;

  void close() noexcept;
  void drop() noexcept;
  bool shut_down(instant deadline);
  bool is_terminating() const noexcept { return crew_.is_ending(); }
  metrics snapshot() noexcept;
  task_dump dump_tasks();
  std::vector<blocked_call> blocked_calls();
  bool is_in_forked_child() const noexcept { return mark_.is_in_child(); }
  /// Calls a hook; when it throws, the runtime is closed.
  void run_hook(const std::function<void()>& hook) noexcept;

  instant now() const noexcept { return config_.now(config_.now_argument); }
  const runtime_options& options() const noexcept { return config_.options; }
  std::size_t permit_count() const noexcept { return permit_count_; }
  permit& permit_at(std::size_t index) const noexcept { return permits_[index]; }

  idle_set& idle() noexcept { return idle_; }
  injector& injected(task_priority of) noexcept { return injectors_.of(of); }
  /// False while all tasks are normal ones: priorities.hpp R2.
  bool uses_priorities() const noexcept { return uses_priorities_.load(detail::memory_order::relaxed); }
  return_queue<worker, permit>& returners() noexcept { return returners_; }
  crew& threads() noexcept { return crew_; }
  monitor& watch() noexcept { return monitor_; }
  closure_queue& closures() noexcept { return closures_; }
  call_sites& sites() noexcept { return sites_; }
  timer_set& timers() noexcept { return timers_; }
  stack_pool& stacks() noexcept { return stacks_; }
  root_list& roots() noexcept { return roots_; }

  void count_missing_thread(no_thread why) noexcept {
    if (why == no_thread::runtime_ends) return;
    (why == no_thread::at_cap ? capacity_delays : spawn_failures).fetch_add(1, detail::memory_order::relaxed);
  }

  detail::atomic<detail::fork_node*> offered_outside{nullptr}; // by threads without a permit

  // Rare events, counted in one place.
  detail::atomic<std::uint64_t> handoffs{0};
  detail::atomic<std::uint64_t> capacity_delays{0};
  detail::atomic<std::uint64_t> spawn_failures{0};
  detail::atomic<std::uint64_t> slow_polls{0};
  detail::atomic<std::uint64_t> hook_failures{0};
  detail::atomic<std::size_t> closure_threads{0}; // that run closures, or have been ordered to
  detail::atomic<std::size_t> detached{0};        // workers inside regions, or on their way back, without a permit
  alignas(64) long_call_count long_calls;         // permits in phase long_call

private:
  explicit runtime_core(core_config config);
  ~runtime_core() = default;
  std::error_code start();
  void terminate() noexcept;
  permit* claim_free() noexcept;
  void flush_leaving(permit& held) noexcept;
  void collect_list(std::size_t list, bool as_owner) noexcept;

  core_config config_;
  const std::size_t permit_count_;
  const bool uses_next_; // next_cell.hpp needs a monitor, and somebody who may steal
  std::unique_ptr<permit[]> permits_;
  std::shared_ptr<const detail::unhandled_handler> on_unhandled_;
  idle_set idle_;
  by_priority<injector> injectors_;
  closure_queue closures_;
  return_queue<worker, permit> returners_;
  detail::atomic<std::int64_t> last_release_{0};
  registry registry_;
  root_list roots_;
  crew crew_;
  monitor monitor_;
  call_sites sites_;
  os::fork_mark mark_;
  timer_set timers_;
  stack_pool stacks_;
  mutex end_lock_; // for the joins of shut_down(), which any thread may call
  detail::atomic<std::size_t> next_list_{0};
  detail::atomic<bool> uses_priorities_{false};
  alignas(64) detail::atomic<std::size_t> references_{1};
  detail::atomic<bool> closing_{false};
};

} // namespace weir::rt
