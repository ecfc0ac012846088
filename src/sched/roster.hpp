// SPDX-License-Identifier: Apache-2.0
#pragma once

// The books of a runtime's threads: who was made, who is spare, who has ended, and how all of them end with the runtime.
//
//   thread    in the books
//   made      is counted, has a handle; spare (spares.hpp) or out, when it has a permit, a closure, or an owner who owes it
//             one of them
//   ended     its number is vacant, its handle waits to be joined, it is no longer counted
//
//   roster    start()            put_back()          what threads do
//   open      makes a thread     the thread is spare work, wait, retire
//   closed    is refused         does nothing        the same; those that wait are about to be told
//   ending    as closed          as closed           end, once they have nothing to do
//
// Who writes  R1 threads, handles, vacant numbers, is_closed_: under lock_, held while the system makes a thread. A
//             thread's object never moves, and lives as long as the roster.
//             R2 live_: raised under lock_ by the creator, before the system makes the thread; lowered by the thread, after
//             it has left lock_ for the last time. spawned_ and ended_count_: raised under lock_.
//             R3 is_ending_: set once, by end(), after is_closed_ and after the spare threads are closed.
//             R4 a thread ends when it has seen is_ending_, or when who took it out of the spare threads retired it. Some
//             thread is left until is_ending_ is set.
// Orderings   O1 is_ending_: exchange (release) by end() → load (acquire) by who ends because of it.
//             O2 live_: a decrement (release) → the load (acquire) that sees zero: the threads are through with the
//             books, lock_ among them.
//             O3 ended_count_: raised (release) → ended() (acquire): who counts an end counts the start, too.
// Why nothing is left behind
//   threads     Who sees live_ at zero sees the decrement of a thread that has seen is_ending_ (R4), which is set after
//               is_closed_, which comes after every creation (R1) and so after its count (R2). So zero stays zero, and no
//               thread needs lock_ under which join() waits for the threads' last instructions.
//   spare ones  Who takes a thread, or makes it, may put it back later than the thread has ended: it was told in the
//               meantime. put_back() then comes after the thread saw is_ending_ or before the list was closed: it does
//               nothing, or close() takes the thread out again. Nobody gets a thread that has ended out of the list after
//               that, and nobody makes one of a vacant number while it may still be put in.
// Rejected    a count that is taken before the last creator is gone, and once more after (creators are not only the monitor
//             and tasks, but also threads that spawn a closure from outside, and nobody joins those); putting a thread in
//             and taking it out when the runtime ends (two owners of one vacant number put it in at the same time).
#include "base/mutex.hpp"
#include "os/futex.hpp"
#include "sched/spares.hpp"

#include <weir/detail/atomic.hpp>

#include <expected>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace weir::rt {

enum class no_thread : std::uint8_t { at_cap, creation_failed, runtime_ends };

/// A Thread is a spare_thread, has a member `thread`, its handle, as os::thread is one, and wake().
template <class Thread, class Lock = mutex> class roster {
public:
  using handle = decltype(Thread::thread);

  explicit roster(std::size_t max_threads) : max_threads_(max_threads) {
    threads_.reserve(max_threads);
    vacant_.reserve(max_threads);
  }

  /// Makes a thread, which belongs to the caller. `create(number)` makes an object where no vacant one is there;
  /// `start(thread)` returns its handle, or an error.
  template <class Create, class Start> std::expected<Thread*, no_thread> start(Create&& create, Start&& start) {
    std::lock_guard guard(lock_);
    if (is_closed_) return std::unexpected(no_thread::runtime_ends);
    if (live() >= max_threads_) return std::unexpected(no_thread::at_cap);
    join_ended();
    Thread& made = vacant_.empty() ? *threads_.emplace_back(create(threads_.size())) : *vacant_.back();
    if (!vacant_.empty()) vacant_.pop_back();
    live_.fetch_add(1, detail::memory_order::relaxed); // R2
    auto started = start(made);
    if (!started) {
      if (!WEIR_MUTANT("crew: a thread that could not start is counted"))
        live_.fetch_sub(1, detail::memory_order::relaxed);
      vacant_.push_back(&made);
      return std::unexpected(no_thread::creation_failed);
    }
    spawned_.fetch_add(1, detail::memory_order::relaxed);
    made.thread = std::move(*started);
    if (is_detached_) made.thread.detach();
    return &made;
  }

  spare_list<Thread>& spares() noexcept { return spares_; }
  const spare_list<Thread>& spares() const noexcept { return spares_; }
  /// Who has no use for a thread that it took or made puts it here.
  void put_back(Thread& spare, spare_place where, instant now) noexcept { spares_.add(spare, where, now); }

  /// No more threads are made, those that are there are told to end; what they do then is up to them. Thread: any.
  void end() noexcept {
    if (is_ending()) return;
    close_creation();
    spares_.close();
    set_ending();
  }
  bool is_ending() const noexcept { return is_ending_.load(detail::memory_order::acquire); } // O1

  // The steps of end(), in this order.
  void close_creation() noexcept {
    std::lock_guard guard(lock_);
    is_closed_ = true;
  }
  void set_ending() noexcept {
    if (!is_ending_.exchange(true, detail::memory_order::release)) wake_all(); // O1
  }

  /// The thread's own last call but one: it is not used any more, and its number is vacant.
  void note_end(Thread& ended) noexcept {
    {
      std::lock_guard guard(lock_);
      if (ended.thread.is_joinable()) ended_.push_back(std::move(ended.thread)); // not joinable before this returns
      if (!is_closed_) join_ended();
      vacant_.push_back(&ended);
      ended_count_.fetch_add(1, detail::memory_order::release);
    }
    if (live_.fetch_sub(1, detail::memory_order::release) == 1) os::futex_wake_all(live_); // O2
  }

  /// Waits until every thread has ended; false when `deadline` passes first. After end().
  bool wait_for_end(instant deadline) noexcept {
    for (;;) {
      std::uint32_t running = live_.load(detail::memory_order::acquire); // O2
      if (running == 0) return true;
      if (!os::futex_wait(live_, running, deadline) && live_.load(detail::memory_order::acquire) != 0) return false;
    }
  }

  /// After wait_for_end(): joins all threads, with the destructors of their thread-local objects; false when `deadline`
  /// passes first.
  bool join(instant deadline) noexcept {
    std::lock_guard guard(lock_);
    bool all = true;
    for (auto& each : threads_) all = (!each->thread.is_joinable() || each->thread.join_until(deadline)) && all;
    for (auto& each : ended_) all = (!each.is_joinable() || each.join_until(deadline)) && all;
    return all;
  }

  /// Lets all threads end on their own, those that start later too.
  void detach() noexcept {
    std::lock_guard guard(lock_);
    is_detached_ = true;
    for (auto& each : threads_) {
      if (each->thread.is_joinable()) each->thread.detach();
    }
    for (auto& each : ended_) {
      if (each.is_joinable()) each.detach();
    }
    ended_.clear();
  }

  Thread& at(std::size_t number) const noexcept { return *threads_.data()[number]; }
  std::size_t live() const noexcept { return live_.load(detail::memory_order::relaxed); }
  std::size_t max_threads() const noexcept { return max_threads_; }
  std::size_t spawned() const noexcept { return spawned_.load(detail::memory_order::relaxed); }
  /// How many threads have ended; read before spawned(), it is not more than that.
  std::size_t ended() const noexcept { return ended_count_.load(detail::memory_order::acquire); }
  /// Calls `visit(thread)` for every thread that ever was.
  template <class Visitor> void for_each(Visitor&& visit) {
    std::lock_guard guard(lock_);
    for (auto& each : threads_) visit(*each);
  }

private:
  void wake_all() noexcept {
    std::lock_guard guard(lock_);
    for (auto& each : threads_) each->wake();
  }
  void join_ended() noexcept {
    std::erase_if(ended_, [](handle& each) { return !each.is_joinable() || each.join_until({}); });
  }

  const std::size_t max_threads_;
  spare_list<Thread> spares_;

  Lock lock_;
  std::vector<std::unique_ptr<Thread>> threads_; // never reallocated
  std::vector<Thread*> vacant_;                  // that have ended
  std::vector<handle> ended_;                    // of those, handles that are not joined yet
  bool is_closed_ = false;
  bool is_detached_ = false;
  detail::atomic<std::size_t> spawned_{0};
  detail::atomic<std::size_t> ended_count_{0};
  detail::atomic<std::uint32_t> live_{0};
  detail::atomic<bool> is_ending_{false};
};

} // namespace weir::rt
