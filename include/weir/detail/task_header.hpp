// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of a task that the scheduler sees, whatever its context (coroutine frame, fiber, borrowed root) is.
// doc/design/task-state.md has the protocol, src/sched/task_state.hpp the transitions, task_block.hpp where it lies.
//
// Who may touch what:
// R1  state            anybody who holds a reference, by read-modify-write; the last holder by plain loads, too.
// R2  next             who holds the queue entry; from completion on who removes the task from its list.
// R3  leaf, wait, counts, self_woken, flags, and the context behind them: the runner. That is who holds the queue entry
//                      of a task that is running or notified, and then the worker that polls it.
// R4  waits_for, wait_argument, counts.polls, keeps_running are read by a dump, too (sched/task_view.hpp); so are the name
//                      and the spawn site, which never change after the launch.
// R5  waiter           the join handle while WAITER is clear; the completer once COMPLETE and WAITER are both set.
// R6  result           the runner until COMPLETE; then the join handle if JOIN was set at that moment, else the
//                      completer.
// R7  links            the list of the registry, under its rules. list, kind, accounts_cpu, origin: set before launch.
// R8  core             valid until COMPLETE. Afterwards an address that is compared, never followed.
#include <weir/detail/atomic.hpp>
#include <weir/detail/completion_waiter.hpp>
#include <weir/detail/task_flag.hpp>
#include <weir/spawn_options.hpp>

#include <bit>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <utility>

namespace weir {

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
  /// Ends a context that does not run: destroys it. The result is then "stopped".
  void (*cancel)(task_header&) noexcept;
  /// Destroys a result that nobody takes; returns the exception it held, if any.
  std::exception_ptr (*discard)(task_header&) noexcept;
  /// Frees the block. The last reference is gone.
  void (*destroy)(task_header&) noexcept;
  /// Puts a woken task where it will be polled; null: into its runtime's queues.
  void (*schedule)(task_header&) noexcept;
};

/// Why a task waits: one static object for each kind of wait.
struct wait_kind {
  const char* what;                          ///< for the task dump, "a task" or "a channel to receive"
  bool (*is_over)(void*) noexcept = nullptr; ///< set: a poll while it answers false is a spurious one
  bool is_for_task = false;                  ///< the argument is the header of the task that is waited for
  bool blocks_thread = false;                ///< the task keeps its thread while it waits
};

/// What few tasks have.
struct task_extras {
  std::string name;
  std::source_location site;
  std::chrono::nanoseconds cpu_time{};
  std::shared_ptr<const unhandled_handler> on_unhandled; // set with a failed result, which may outlive the runtime
  std::shared_ptr<void> host;                            // roots: what their thread sleeps on
};

enum class task_kind : std::uint8_t { coroutine, fiber, root, closure };

/// A task's counters; those that few tasks need are in task_extras.
struct task_counts {
  atomic<std::uint64_t> polls{0}; // written by the runner alone
  std::uint32_t handoffs = 0;
  std::uint32_t preemptions = 0;
};

/// Where a block of memory came from. It is the last part of the header, so that it lies before a frame without a
/// header, too (task_block.hpp).
struct block_origin {
  static constexpr std::uint16_t no_permit = 0xffff;

  rt::runtime_core* core = nullptr;
  std::uint16_t permit = no_permit; // whose cache the memory belongs to
  std::uint16_t list = 0;           // the registry's list
  std::uint8_t size_class = 0;
  task_kind kind : 3 = task_kind::coroutine;
  bool in_chunk : 1 = false;                          // the memory is part of a chunk: frame_chunk.hpp
  task_priority priority : 4 = task_priority::normal; // as kind, not written once the task is launched
  std::uint8_t : 0;                                   // another memory location: its runner writes what follows
  bool self_woken : 1 = false;
  bool accounts_cpu : 1 = false;
  bool has_failed : 1 = false;     // the result is an exception
  task_flag keeps_running = false; // in a queue although the state word says that it runs: task_state.hpp
};

struct task_header {
  atomic<std::uint64_t> state;
  task_header* next = nullptr;
  const task_operations* operations;
  void* leaf = nullptr; // the innermost suspended frame; from completion on the result, null when stopped
  task_header* previous_in_list = nullptr;
  task_header* next_in_list = nullptr;
  completion_waiter waiter;
  atomic<const wait_kind*> waits_for{nullptr};
  atomic<void*> wait_argument{nullptr};
  task_counts stats;

private:
  atomic<std::uintptr_t> origin_{0}; // a source_location, or task_extras with 1 added

public:
  block_origin block;

  explicit task_header(const task_operations& how, task_kind what) noexcept : operations(&how) { block.kind = what; }
  task_header(const task_header&) = delete;
  task_header& operator=(const task_header&) = delete;

  task_kind kind() const noexcept { return block.kind; }
  rt::runtime_core* core() const noexcept { return block.core; }
  void set_leaf(std::coroutine_handle<> innermost) noexcept { leaf = innermost.address(); }
  /// Says why the task waits, before its poll ends; the next poll takes it back.
  void set_wait(const wait_kind& why, void* argument) noexcept {
    wait_argument.store(argument, memory_order::relaxed);
    waits_for.store(&why, memory_order::release); // task_view.hpp O2
  }
  void clear_wait() noexcept {
    if (waits_for.load(memory_order::relaxed) != nullptr) waits_for.store(nullptr, memory_order::release); // O2
  }
  /// Begins a poll that resumes the context.
  void count_poll() noexcept {
    clear_wait();
    stats.polls.store(stats.polls.load(memory_order::relaxed) + 1, memory_order::release); // task_view.hpp O1
  }
  /// Takes back that the poll asked for another one.
  bool take_self_wake() noexcept {
    bool was_woken = block.self_woken;
    block.self_woken = false;
    return was_woken;
  }
  bool is_wait_over() const noexcept {
    const wait_kind* why = waits_for.load(memory_order::relaxed);
    return why == nullptr || why->is_over == nullptr || why->is_over(wait_argument.load(memory_order::relaxed));
  }

  task_extras* extras() const noexcept {
    std::uintptr_t origin = origin_.load(memory_order::acquire); // a failure may make them while a dump looks
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the low bits of the address are tags
    return (origin & 1) != 0 ? reinterpret_cast<task_extras*>(origin - 1) : nullptr;
  }
  /// The extras, made when there are none. Errors: std::bad_alloc.
  task_extras& need_extras() {
    if (extras() == nullptr) {
      auto* made = new task_extras;
      made->site = site();
      origin_.store(reinterpret_cast<std::uintptr_t>(made) | 1, memory_order::release);
    }
    return *extras();
  }
  std::source_location site() const noexcept {
    static_assert(sizeof(std::source_location) == sizeof(std::uintptr_t));
    std::uintptr_t origin = origin_.load(memory_order::acquire);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the low bits of the address are tags
    return (origin & 1) != 0 ? reinterpret_cast<task_extras*>(origin - 1)->site
                             : std::bit_cast<std::source_location>(origin);
  }
  void set_site(const std::source_location& site) noexcept {
    if (task_extras* more = extras()) {
      more->site = site;
    } else {
      origin_.store(std::bit_cast<std::uintptr_t>(site), memory_order::relaxed);
    }
  }
  std::string_view name() const noexcept {
    return extras() != nullptr ? std::string_view(extras()->name) : std::string_view();
  }
  task_stats all_stats() const noexcept {
    return {stats.polls.load(memory_order::relaxed), stats.handoffs, stats.preemptions,
            extras() != nullptr ? extras()->cpu_time : std::chrono::nanoseconds{}};
  }

protected:
  ~task_header() { delete extras(); }
};

#ifndef WEIR_ATOMICS_HEADER
static_assert(sizeof(task_header) == 112, "a frame behind the header must be aligned as malloc aligns");
#endif

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

/// The task that the calling thread polls; null outside. Never cached across a suspension: a task may change threads.
task_header* current_task() noexcept;

} // namespace detail
} // namespace weir

#include <weir/detail/waker.hpp>
