// SPDX-License-Identifier: Apache-2.0
#pragma once

// A semaphore is one word and a list of waits.
//
//   word bit  meaning
//   0         somebody waits: the word changes only under the lock
//   1         closed, which takes no permits away
//   2-63      free permits
//
// Who writes  R1 while bit 0 is clear anybody takes and releases by compare-exchange; R2 while it is set only who holds
// the lock writes
//                the word. So nobody overtakes a wait, and a release never misses one.
//             R3 bit 0 is set and cleared under the lock, together with the list: it is set exactly while the list is
//             not empty.
// Orderings   O1 release (release) → acquire (acquire): what was done with the permits before is seen by the next
// holder.
// Order       first come first served: a large request at the front keeps smaller ones behind it waiting.
#include <weir/detail/wait_operation.hpp>
#include <weir/result.hpp>
#include <weir/sync_errc.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace weir {
namespace detail {

class permit_wait;

/// What semaphore and mutex have in common.
class permit_queue {
public:
  explicit permit_queue(std::size_t permits) noexcept;
  permit_queue(const permit_queue&) = delete;
  permit_queue& operator=(const permit_queue&) = delete;
  ~permit_queue();

  bool try_take(std::uint64_t count) noexcept {
    std::uint64_t word = word_.load(memory_order::relaxed);
    while ((word & (waited_for | closed)) == 0 && word / permit >= count) {
      if (word_.compare_exchange_weak(word, word - count * permit, memory_order::acquire, memory_order::relaxed))
        return true; // O1
    }
    return false;
  }
  void give(std::uint64_t count) noexcept {
    std::uint64_t word = word_.load(memory_order::relaxed);
    while ((word & waited_for) == 0) {
      if (word_.compare_exchange_weak(word, word + count * permit, memory_order::release, memory_order::relaxed))
        return; // O1
    }
    give_slowly(count);
  }
  void close() noexcept;
  bool is_closed() const noexcept { return (word_.load(memory_order::acquire) & closed) != 0; }
  std::uint64_t free() const noexcept { return word_.load(memory_order::relaxed) / permit; }

private:
  friend permit_wait;
  static constexpr std::uint64_t waited_for = 1;
  static constexpr std::uint64_t closed = 2;
  static constexpr std::uint64_t permit = 4;

  void give_slowly(std::uint64_t count) noexcept;
  void serve(wake_list& wakes) noexcept;

  atomic<std::uint64_t> word_;
  lock_word lock_;
  waiter_list waiters_;
};

class permit_wait : public waiter {
public:
  static constexpr const char* waits_for = "a mutex";
  permit_wait(permit_queue& from, std::uint64_t count) noexcept : queue_(from), count_(count) {}
  bool try_now() noexcept {
    has_permits_ = queue_.try_take(count_);
    return has_permits_;
  }
  bool enqueue() noexcept;
  bool withdraw(wake_list* wakes) noexcept;
  void give_back() noexcept {
    if (has_permits_ && !WEIR_MUTANT("semaphore: a stopped task keeps its permits")) queue_.give(count_);
  }
  bool take() const noexcept { return has_permits_; }

private:
  friend permit_queue;
  permit_queue& queue_;
  std::uint64_t count_;
  bool has_permits_ = false; // written with the decision
};

class semaphore_wait : public permit_wait {
public:
  static constexpr const char* waits_for = "a semaphore";
  using permit_wait::permit_wait;
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): nobody calls it through the base
  result<void> take() const noexcept {
    if (permit_wait::take()) return {};
    return std::unexpected(make_error_code(sync_errc::closed));
  }
};

} // namespace detail

/// A number of permits that tasks, fibers and threads take and give back.
///
/// Thread:   any; permits belong to nobody and may be released elsewhere.
/// Order:    FIFO, also for requests of different size; a release is handed to the waits in front.
/// Lifetime: it must outlive its waiters. Cost: no allocation; one atomic when uncontended.
class semaphore {
public:
  explicit semaphore(std::size_t permits) noexcept : queue_(permits) {}

  /// Waits for `count` permits and takes them all at once.
  ///
  /// Suspends: a task or any other coroutine; one that is no weir task is resumed on the thread that releases. In plain
  ///           code .wait() suspends a fiber and blocks a thread.
  /// Cancels:  nothing is taken; permits that were handed over meanwhile go to the next in line.
  /// Errors:   sync_errc::closed after close().
  auto acquire(std::size_t count = 1) noexcept {
    return detail::wait_operation<detail::semaphore_wait>(queue_, std::uint64_t{count});
  }
  /// Takes the permits if they are free and nobody waits.
  bool try_acquire(std::size_t count = 1) noexcept { return queue_.try_take(count); }
  /// Gives permits, which need not have been taken.
  void release(std::size_t count = 1) noexcept { queue_.give(count); }

  /// Ends all waits, and those to come, with sync_errc::closed. Permits that are held may still be released.
  void close() noexcept { queue_.close(); }
  bool is_closed() const noexcept { return queue_.is_closed(); }
  /// How many permits are free at the moment.
  std::size_t available() const noexcept { return static_cast<std::size_t>(queue_.free()); }

private:
  detail::permit_queue queue_;
};

} // namespace weir
