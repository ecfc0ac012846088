// SPDX-License-Identifier: Apache-2.0
#pragma once

// One wait at a primitive (event, latch, semaphore, mutex, channel), whoever waits: a coroutine or fiber task, a thread,
// or a coroutine that is no task. The node lives in the waiter's own frame, so waiting allocates nothing.
//
//   state       meaning
//   waiting     on the primitive's list, or about to be
//   granted     taken off the list; what was waited for belongs to the waiter
//   withdrawn   taken off the list by its owner or by a stop; nothing belongs to it
//   + let_go    only when a thread waits: whoever decided will not touch the node any more
//
// Who writes  R1 links and state are written under the primitive's lock, which also guards what is waited for: that a
// value is there,
//                that a wait begins, that it is granted, withdrawn or ended by close() is decided in one order.
//             R2 `how` and `who` are written by the waiter before the node is linked.
//             R3 `let_go` is set, and `next` of a decided node of a thread or foreign coroutine is used, by the one who
//             decided, after
//                the lock.
//             R4 the owner may destroy the node when it took it off the list itself, or when it has seen it decided (a
//             thread: let go).
// Waking      R5 a task is woken by taking its queue entry (task_state: notified) *before* the state says granted. It then cannot run,
//                so neither node nor task can go away before the queue has it, and no reference is counted. If the entry belongs to
//                somebody else, the task runs or may run: it is held by a reference, granted first and woken then.
//             R6 a task with a schedule function of its own (a root) may be polled without its queue entry: always the
//             second way.
//             R7 tasks are queued, threads woken and foreign coroutines resumed after the lock is released
//             (wake_list::flush).
// Orderings   O1 state (release) → the owner's read (acquire): it sees what was written for it under the lock.
//             O2 let_go (release) → the thread's read (acquire): the node and the parker are the thread's own again.
// Stopping    a stopped task's frame is destroyed where it waits. The operation's destructor withdraws; when the wait was granted
//             meanwhile it gives back what nobody takes, so that the next in line gets it.
// Rejected    a reference for every wake (two read-modify-writes a wait, for a case that is rare); granting outside the
// lock (a
//             withdrawal could fall between "off the list" and "granted"); a condition variable per thread.
#include <weir/detail/lock_word.hpp>
#include <weir/detail/task_cell.hpp>
#include <weir/detail/task_header.hpp>

#include <coroutine>
#include <cstdint>

namespace weir::detail {

enum class wait_state : std::uint32_t { waiting = 0, granted = 1, withdrawn = 2 };

/// The node of one wait.
struct waiter {
  enum class kind : std::uint8_t { task, thread, coroutine };
  static constexpr std::uint32_t let_go = 4;

  waiter() noexcept = default;
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  wait_state seen() const noexcept {
    return static_cast<wait_state>(state.load(memory_order::acquire) & ~let_go); // O1
  }
  void set(wait_state now) noexcept { state.store(static_cast<std::uint32_t>(now), memory_order::release); } // O1

  waiter* next = nullptr;
  waiter* previous = nullptr;
  atomic<std::uint32_t> state{0};
  kind how = kind::task;
  void* who = nullptr; // a task_header, a parker, or a coroutine's frame
};

/// The waits at one primitive, first come first served. Guarded by the primitive's lock.
class waiter_list {
public:
  bool empty() const noexcept { return first_ == nullptr; }
  waiter* front() const noexcept { return first_; }
  void push_back(waiter& node) noexcept {
    node.previous = last_;
    (last_ != nullptr ? last_->next : first_) = &node;
    last_ = &node;
  }
  void erase(waiter& node) noexcept {
    (node.previous != nullptr ? node.previous->next : first_) = node.next;
    (node.next != nullptr ? node.next->previous : last_) = node.previous;
    node.next = node.previous = nullptr;
  }
  waiter* pop_front() noexcept {
    waiter* node = first_;
    if (node != nullptr) erase(*node);
    return node;
  }

private:
  waiter* first_ = nullptr;
  waiter* last_ = nullptr;
};

/// Those whose waits were decided under a lock, to be woken after it. Declared before the lock's guard.
class wake_list {
public:
  wake_list() noexcept = default;
  wake_list(const wake_list&) = delete;
  wake_list& operator=(const wake_list&) = delete;
  ~wake_list() {
    if (first_task_ != nullptr || first_other_ != nullptr) flush();
  }

  /// Decides a wait that has just been taken off its list. Under the lock.
  void decide(waiter& node, wait_state outcome) noexcept;
  void flush() noexcept;

  void add_task(task_header& task) noexcept {
    task.next = nullptr;
    (first_task_ != nullptr ? last_task_->next : first_task_) = &task;
    last_task_ = &task;
  }
  void add_other(waiter& node) noexcept {
    (first_other_ != nullptr ? last_other_->next : first_other_) = &node;
    last_other_ = &node;
  }

private:
  task_header* first_task_ = nullptr; // whose queue entries this list holds
  task_header* last_task_ = nullptr;
  waiter* first_other_ = nullptr;
  waiter* last_other_ = nullptr;
};

/// True when the wait of this waiter is decided: wait_kind::is_over.
bool is_wait_decided(void* node) noexcept;
/// Makes the node that of the awaiting coroutine.
void arm(waiter& node, std::coroutine_handle<> self, bool is_part_of_task, const wait_kind& why) noexcept;
/// Takes that back, in an await_suspend that goes on after all.
void disarm(waiter& node) noexcept;
/// Waits as a fiber if the caller is one, else as a thread. `enqueue` links the node, or says that there is nothing to
/// wait for.
///
/// Cancels: throws fiber_cancelled, with the node as it is.
void wait_here(waiter& node, bool (*enqueue)(void*) noexcept, void* operation, const wait_kind& why);
/// As wait_here(), and blocks the thread also on a fiber, so that nothing is thrown.
void wait_as_thread(waiter& node, bool (*enqueue)(void*) noexcept, void* operation) noexcept;

} // namespace weir::detail
