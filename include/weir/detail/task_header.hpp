// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of a task that the scheduler sees, whatever its context (coroutine frame, fiber, borrowed root) is.
// doc/design/task-state.md has the protocol; src/sched/task_state.hpp the transitions.
//
// Who may touch what:
// R1  state            anybody who holds a reference, by read-modify-write only.
// R2  next             who holds the queue entry, which is the one who set NOTIFIED while neither RUNNING nor COMPLETE
// was set,
//                      until a worker clears NOTIFIED.
// R3  leaf, ready, statistics, self_woken, and the context behind them: who holds RUNNING.
// R4  waiter           the join handle while WAITER is clear; the completer once COMPLETE and WAITER are both set.
// R5  result           the runner until COMPLETE; then the join handle if JOIN was set at that moment, else the
// completer. R6  links, shard     the registry, under the shard's lock. R7  core             valid until COMPLETE, and
// after that not to be read.
#include <weir/detail/atomic.hpp>

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

/// What one task did so far.
struct task_stats {
  std::uint64_t polls = 0;             ///< times it was resumed
  std::uint64_t handoffs = 0;          ///< times it lost its permit inside a blocking region
  std::uint64_t preemptions = 0;       ///< checkpoints at which it gave way
  std::chrono::nanoseconds cpu_time{}; ///< processor time of its polls; stays 0 without spawn_options::accounts_cpu
};

/// What a task is called and how it is accounted. A view, because GCC 12 copies temporaries in an expression with co_await byte by
/// byte, which an argument of this type often is.
struct spawn_options {
  std::string_view name{};   ///< shown in reports, copied by spawn; empty: the spawn site
  bool accounts_cpu = false; ///< reads the thread's CPU clock around each poll
};

/// An exception that left a task whose outcome nobody takes.
struct unhandled_exception {
  std::string_view task_name;
  std::source_location spawned_at;
  std::exception_ptr exception;
};

namespace rt {
class runtime_core;
}

namespace detail {

using unhandled_handler = std::function<void(const unhandled_exception&)>;

enum class poll_outcome : std::uint8_t { suspended, completed };

struct task_header;

/// How the scheduler reaches a task's context and result.
struct task_operations {
  /// Resumes the context. `completed`: the result is stored and the context is destroyed.
  poll_outcome (*poll)(task_header&);
  /// Ends a context that does not run: destroys it and stores "stopped".
  void (*cancel)(task_header&) noexcept;
  /// Destroys a result that nobody takes; returns the exception it held, if any.
  std::exception_ptr (*discard)(task_header&) noexcept;
  /// Frees the block. The last reference is gone.
  void (*destroy)(task_header&) noexcept;
  /// Puts a woken task where it will be polled; null: into its runtime's queues.
  void (*schedule)(task_header&) noexcept;
};

/// Who is told that a task has completed.
struct completion_waiter {
  void (*wake)(void*) noexcept = nullptr; // called once, by the completer; after that the argument is not touched
  void (*drop)(void*) noexcept = nullptr; // called instead when the join handle takes the waiter back; may be null
  void* argument = nullptr;
};

/// What few tasks have.
struct task_extras {
  std::string name;
  std::shared_ptr<const unhandled_handler> on_unhandled; // set with a failed result, which may outlive the runtime
  std::shared_ptr<void> host;                            // roots: what their thread sleeps on
};

enum class task_kind : std::uint8_t { coroutine, fiber, root, closure };

struct task_header {
  atomic<std::uint64_t> state;
  task_header* next = nullptr;
  const task_operations* operations;
  rt::runtime_core* core = nullptr;
  std::coroutine_handle<> leaf;
  bool (*ready)(void*) noexcept = nullptr; // set: a resume while it answers false is a spurious one
  void* ready_argument = nullptr;
  completion_waiter waiter;
  task_header* previous_in_shard = nullptr;
  task_header* next_in_shard = nullptr;
  std::uint32_t shard = 0;
  task_kind kind = task_kind::coroutine;
  bool self_woken = false;
  bool accounts_cpu = false;
  bool has_failed = false; // the result is an exception
  task_stats stats;
  std::unique_ptr<task_extras> extras;
  std::source_location site;

  explicit task_header(const task_operations& how, task_kind what) noexcept : operations(&how), kind(what) {}
  task_header(const task_header&) = delete;
  task_header& operator=(const task_header&) = delete;

protected:
  ~task_header() = default;
};

// Handles. Each works on a task it holds a reference to.
void add_reference(task_header&) noexcept;
void drop_reference(task_header&) noexcept;
void wake(task_header&) noexcept;
void request_cancel(task_header&) noexcept;
bool is_complete(const task_header&) noexcept;
/// Registers who is told of completion. False: it has completed already, and `waiter` was not taken.
bool set_waiter(task_header&, completion_waiter waiter) noexcept;
/// Takes a registered waiter back. False: the completer has it, and will call it or has done so.
bool clear_waiter(task_header&) noexcept;
/// Gives up the join handle's reference. A result that nobody took is destroyed.
void drop_join(task_header&, bool result_taken) noexcept;
/// Blocks the calling thread (as a blocking region on a worker), or suspends the calling fiber, until the task
/// completes.
void wait_for_completion(task_header&);

/// A counted handle with which anybody may cause a suspended task to be polled again.
///
/// Thread: any. Lifetime: outlives the task and the runtime; a late wake does nothing. Cost: no allocation.
class waker {
public:
  waker() = default;
  explicit waker(task_header& task) noexcept : task_(&task) { add_reference(task); }
  waker(const waker& other) noexcept : task_(other.task_) {
    if (task_ != nullptr) add_reference(*task_);
  }
  waker(waker&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  waker& operator=(waker other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~waker() {
    if (task_ != nullptr) drop_reference(*task_);
  }
  explicit operator bool() const noexcept { return task_ != nullptr; }
  void wake() const noexcept { detail::wake(*task_); }

private:
  task_header* task_ = nullptr;
};

/// The task that the calling thread polls; null outside. Never cached across a suspension: a task may change threads.
task_header* current_task() noexcept;

} // namespace detail
} // namespace weir
