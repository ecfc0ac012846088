// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/detail/closure_cell.hpp>
#include <weir/detail/fiber_cell.hpp>
#include <weir/entered.hpp>
#include <weir/join_handle.hpp>
#include <weir/metrics.hpp>
#include <weir/task_dump.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <source_location>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace weir {

/// A poll that has not ended for a long time.
struct slow_poll {
  std::string task_name;           ///< empty: the task has no name
  std::source_location spawned_at; ///< of the task that is polled
  std::size_t worker = 0;          ///< the number in the thread's name
  std::chrono::nanoseconds age{};  ///< since the monitor first saw the poll
};

/// A call inside a blocking region, or a closure of spawn_blocking() that runs.
struct blocked_call {
  std::string task_name;           ///< empty: the task has no name
  std::source_location spawned_at; ///< of the task that blocks
  std::size_t worker = 0;          ///< the number in the thread's name
};

/// Functions that each worker thread calls, outside of all locks. One that throws closes the runtime.
struct thread_hooks {
  std::function<void()> start = {};  ///< first thing on the thread; current() is the runtime
  std::function<void()> park = {};   ///< before the thread sleeps without work; never around a blocking region
  std::function<void()> unpark = {}; ///< after that sleep
  std::function<void()> stop = {};   ///< last thing on the thread; there is no current runtime any more
};

/// How a runtime is set up; each member has a default that suits most programs.
struct runtime_options {
  /// How many threads run tasks at once; 0: the affinity mask and the control group's quota decide. At most 1024.
  std::size_t permits = 0;
  /// How many threads there may be in all, at least permits + 1; 0: 512, or permits + 1 if that is more. At most 65535.
  std::size_t max_threads = 0;
  /// The age from which a blocking region may lose its permit, when other work waits for one.
  std::chrono::nanoseconds grace = std::chrono::microseconds(100);
  /// How many calls may block at once before regions stop giving their permit away at entry; 0: 4 * permits + 112.
  std::size_t eager_limit = 0;
  /// The age from which a poll is asked to give way at its next checkpoint, when other work waits for a permit.
  std::chrono::nanoseconds slice = std::chrono::milliseconds(2);
  /// How long a thread that is not needed stays. permits + 1 threads always stay.
  std::chrono::nanoseconds keep_alive = std::chrono::seconds(10);
  /// The age from which a poll counts as slow.
  std::chrono::nanoseconds slow_poll = std::chrono::milliseconds(10);
  /// Is told once of each slow poll, on the monitor's thread and while the poll goes on; it must not throw.
  std::function<void(const struct slow_poll&)> on_slow_poll = {};
  /// What each thread calls.
  thread_hooks hooks = {};
  /// Gets what leaves a task whose outcome nobody takes; it must not throw. Empty: the program ends with the task's
  /// name and spawn site.
  std::function<void(const unhandled_exception&)> on_unhandled = {};
};

namespace detail {

/// Fills a new task's header and gives it to the runtime.
void launch(rt::runtime_core& core, task_header& task, spawn_options options, const std::source_location& site);
/// Polls a root on the calling thread until it completes.
void drive_root(rt::runtime_core& core, task_header& root, const std::source_location& site);
/// The calling thread's runtime. Errors: throws std::system_error with errc::no_runtime.
rt::runtime_core& current_core();

template <class T>
join_handle<T> spawn_on(rt::runtime_core& core, task<T>&& body, spawn_options options,
                        const std::source_location& site) {
  task_header& made = coroutine_task<T>::adopt(body, task_kind::coroutine);
  join_handle<T> handle(made);
  launch(core, made, options, site);
  return handle;
}

template <class F>
auto spawn_fiber_on(rt::runtime_core& core, F&& function, spawn_options options, const std::source_location& site) {
  using result = std::invoke_result_t<std::decay_t<F>&>;
  auto* cell = new fiber_cell<std::decay_t<F>, result>(core, std::forward<F>(function));
  join_handle<result> handle(*cell);
  launch(core, *cell, options, site);
  return handle;
}

template <class F>
auto spawn_blocking_on(rt::runtime_core& core, F&& function, spawn_options options, const std::source_location& site) {
  using result = std::invoke_result_t<std::decay_t<F>&>;
  auto* cell = new closure_cell<std::decay_t<F>, result>(std::forward<F>(function));
  join_handle<result> handle(*cell);
  launch(core, *cell, options, site);
  return handle;
}

template <class T> T block_on_core(rt::runtime_core& core, task<T>&& body, const std::source_location& site) {
  task_header& root = coroutine_task<T>::adopt(body, task_kind::root);
  join_handle<T> handle(root);
  drive_root(core, root, site);
  return handle.wait().value();
}

} // namespace detail

/// A fixed number of permits, and the threads and queues that serve them. Move only; several may live in one process.
///
/// Dropping it closes admission, stops all tasks and returns at once; what still runs ends on its own, also when the
/// last owner is one of the runtime's tasks.
class runtime {
public:
  /// Starts permits + 1 workers and a monitor.
  ///
  /// Errors: errc::invalid_config, errc::thread_creation_failed; nothing is left running.
  static std::expected<runtime, std::error_code> build(runtime_options options = {});
  /// As build(); throws std::system_error instead.
  explicit runtime(runtime_options options = {});
  /// For tests and embedders that configure more than the options.
  explicit runtime(rt::runtime_core& core) noexcept : core_(&core) {}
  runtime(runtime&& other) noexcept : core_(std::exchange(other.core_, nullptr)) {}
  runtime& operator=(runtime&& other) noexcept;
  ~runtime();

  /// Starts a task. After the runtime is closed the handle is that of a stopped task, whose body never runs.
  ///
  /// Thread: any. Errors: std::bad_alloc; the task is then destroyed.
  template <class T>
  join_handle<T> spawn(task<T> body, spawn_options options = {},
                       std::source_location site = std::source_location::current()) {
    return detail::spawn_on(*core_, std::move(body), options, site);
  }

  /// Starts a task on a stack of its own: `function()` may suspend at any depth of calls, through weir::this_fiber and
  /// by waiting.
  ///
  /// Thread: any. Errors: std::bad_alloc, also when there is no room for a stack. Cost: 256 KiB of address space.
  template <class F>
  auto spawn_fiber(F function, spawn_options options = {},
                   std::source_location site = std::source_location::current()) {
    return detail::spawn_fiber_on(*core_, std::move(function), options, site);
  }

  /// Runs `function()`, which only blocks, on a thread that holds no permit.
  ///
  /// It counts as a thread, not as a permit, and may itself spawn and block_on. An abort before it starts destroys it;
  /// once it runs it runs to its end. Closing the runtime stops those that have not started.
  ///
  /// Thread: any. Order: those of one thread start in order. Errors: std::bad_alloc. Cost: one allocation.
  template <class F>
  auto spawn_blocking(F function, spawn_options options = {},
                      std::source_location site = std::source_location::current()) {
    return detail::spawn_blocking_on(*core_, std::move(function), options, site);
  }

  /// Makes this the runtime of the calling thread's spawn(), block_on() and current() while the result lives.
  entered enter() const noexcept;

  /// Runs a task on the calling thread, which is lent to this runtime, and returns its value or throws its exception.
  ///
  /// A thread from outside polls beside the permits; a worker polls under its permit and waits as in a blocking region.
  /// So block_on nests, on one permit too.
  ///
  /// Suspends: blocks the thread.
  /// Cancels:  a task that is stopped meanwhile ends at its next suspension after this call.
  /// Errors:   throws std::system_error with errc::called_inside_region inside blocking().
  template <class T> T block_on(task<T> body, std::source_location site = std::source_location::current()) {
    return detail::block_on_core(*core_, std::move(body), site);
  }

  /// Reads the counters, at one moment where metrics says so.
  ///
  /// Thread: any, also after shutdown(), and from hooks. Cost: interrupts each processor that runs a thread of the process.
  metrics snapshot() const noexcept;

  /// Lists every task that is not complete, with what it does and where it was spawned.
  ///
  /// Suspends: no. It needs no permit and no worker, so it works while tasks spin, block or hang.
  /// Cancels:  no.
  /// Errors:   std::bad_alloc.
  /// Thread:   any, also after shutdown(), when it is empty; not in a hook.
  /// Order:    none. What is said of one task was true of it at one moment between call and return; two tasks may be seen
  ///           at two moments. A task that lives from the call to the return is in the list.
  /// Lifetime: the dump is a copy; ids may name other tasks later.
  /// Cost:     spawns of a permit wait while its tasks are listed, about 20 ns a task; an allocation for each name.
  task_dump dump_tasks() const;

  /// Closes admission, stops all tasks, and waits until every thread has ended, however long a blocking region takes.
  ///
  /// Errors: throws std::system_error with errc::called_from_worker on one of the runtime's own workers.
  void shutdown();
  /// As shutdown(), but returns false when that takes longer; what is left ends on its own. May be repeated.
  bool shutdown_for(std::chrono::nanoseconds limit);

  /// Lists the calls that block: after shutdown_for() has returned false, what it waited for.
  std::vector<blocked_call> blocked_calls() const;

  /// In a child of fork(), where the runtime's threads do not exist: forgets the runtime and its memory. Everything else
  /// but the destructor and snapshot() refuses with errc::used_after_fork there.
  void abandon_after_fork() noexcept;

  /// For extensions of the library.
  rt::runtime_core& core() const noexcept { return *core_; }

private:
  rt::runtime_core* core_;
};

} // namespace weir
