// SPDX-License-Identifier: Apache-2.0
#pragma once

// The threads of a runtime: how many there are, who is spare, how they start and how they end. The books, with their rules,
// are in roster.hpp.
//
// Who writes  R1 a worker puts itself among the spare threads, or is put there by who took the permit it was attached to;
//             who takes one must give it a permit, a closure or its end, or put it back.
// Cap         a thread is counted before it is made, so no interleaving of creators passes the cap.
// Keep-alive  the monitor ends the spare thread that has waited longest, never the last one. Its number is vacant once
//             it has ended, and the next thread is made on the same worker object; nobody refers to a spare thread's
//             number but the list of spares.
// The end     end() closes the books and tells all threads; nobody makes one from then on: neither the monitor, nor a thread
//             from outside whose closure ran and whose runtime ended before it had looked for a thread.
#include "sched/roster.hpp"
#include "sched/worker.hpp"

#include <cstddef>
#include <expected>
#include <functional>
#include <system_error>

namespace weir::rt {

/// Makes a thread; tests replace it by one that fails.
using thread_factory =
    std::function<std::expected<os::thread, std::error_code>(os::thread_options, void (*)(void*), void*)>;

class crew {
public:
  /// `hot_limit`: how many spare threads may be awake at once.
  crew(runtime_core& core, std::size_t max_threads, std::size_t hot_limit, thread_factory make_thread);

  /// Starts one more thread, which waits and belongs to the caller.
  std::expected<worker*, no_thread> start_worker();
  /// Takes a spare, or starts a thread. The caller owes it an assignment or put_back().
  std::expected<worker*, no_thread> reserve();
  /// Takes a spare; null when there is none.
  worker* take_spare() noexcept { return books_.spares().take(); }
  void put_back(worker& spare, spare_place where = spare_place::cold) noexcept;
  /// As put_back(), for a thread that has just run: it stays awake for a moment if that is allowed.
  void put_back_warm(worker& spare) noexcept;
  /// Wakes or makes a thread for the handoff after this one, if none is awake.
  void prepare_next() noexcept;
  /// False when every processor is a permit's.
  bool may_be_hot() const noexcept { return hot_limit_ != 0; }
  bool withdraw(worker& spare) noexcept { return books_.spares().withdraw(spare); }
  /// Ends the spare's hot time; false when it has been taken.
  bool cool(worker& spare) noexcept { return books_.spares().cool(spare); }
  /// Ends the threads that have been spare since `limit`, but one.
  void retire_idle(instant limit) noexcept;
  /// Since when the oldest spare waits that could be ended; never if there is none.
  instant oldest_idle() noexcept { return books_.spares().oldest(); }

  worker& at(std::size_t number) const noexcept { return books_.at(number); }
  std::size_t live() const noexcept { return books_.live(); }
  std::size_t spawned() const noexcept { return books_.spawned(); }
  /// How many threads have ended; read before spawned(), it is not more than that.
  std::size_t ended() const noexcept { return books_.ended(); }
  std::size_t spare() const noexcept { return books_.spares().size(); }
  bool is_full() const noexcept { return live() >= books_.max_threads(); }
  /// Calls `visit(worker)` for every worker that ever was.
  template <class Visitor> void for_each(Visitor&& visit) { books_.for_each(visit); }

  /// No more threads are made, and those that are there end when they have nothing to do. Thread: any.
  void end() noexcept { books_.end(); }
  bool is_ending() const noexcept { return books_.is_ending(); }
  /// Waits until every thread has ended; false when `deadline` passes first. After end().
  bool wait_for_end(instant deadline) noexcept { return books_.wait_for_end(deadline); }
  /// After wait_for_end(): joins all threads, with the destructors of their thread-local objects; false when `deadline`
  /// passes first.
  bool join(instant deadline) noexcept { return books_.join(deadline); }
  /// Lets all threads end on their own, those that start later too.
  void detach() noexcept { books_.detach(); }
  /// The thread's own last call.
  void note_end(worker& ended) noexcept { books_.note_end(ended); }

private:
  runtime_core& core_;
  const std::size_t hot_limit_;
  const thread_factory make_thread_;
  roster<worker> books_;
  detail::atomic<bool> prepares_{false};
};

} // namespace weir::rt
