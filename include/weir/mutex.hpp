// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/check.hpp>
#include <weir/semaphore.hpp>

#include <mutex>

namespace weir {

class mutex;

namespace detail {

class mutex_wait : public permit_wait {
public:
  mutex_wait(mutex& of, permit_queue& queue) noexcept : permit_wait(queue, 1), mutex_(of) {}
  std::unique_lock<mutex> take() noexcept { return std::unique_lock<mutex>(mutex_, std::adopt_lock); }

private:
  mutex& mutex_;
};

} // namespace detail

/// Mutual exclusion for tasks, fibers and threads alike. A Lockable, so the standard guards work in plain code; held by
/// nobody in particular, so a task may keep it across suspensions and threads.
///
/// Order:    FIFO: unlock() hands it to whoever waits longest.
/// Lifetime: it must outlive its waiters. Cost: no allocation; one atomic each way when uncontended.
class mutex {
public:
  /// Waits for the mutex; gives a guard that unlocks it: `auto guard = co_await m.scoped_lock();`
  ///
  /// Suspends: a task or any other coroutine; one that is no weir task is resumed on the thread that unlocks. In plain
  ///           code .wait() suspends a fiber and blocks a thread.
  /// Cancels:  a mutex that was handed over meanwhile goes to the next in line.
  auto scoped_lock() noexcept { return detail::wait_operation<detail::mutex_wait>(*this, queue_); }
  /// Locks it from plain code, for std::lock_guard and its kind.
  ///
  /// Suspends: a fiber; a thread blocks, as in a blocking region when it is a worker.
  /// Cancels:  a stopped fiber unwinds without the mutex.
  void lock() { static_cast<void>(detail::wait_operation<detail::permit_wait>(queue_, std::uint64_t{1}).wait()); }
  bool try_lock() noexcept { return queue_.try_take(1); }
  void unlock() noexcept {
    WEIR_CHECK(queue_.free() == 0, "a mutex is unlocked that is not locked");
    queue_.give(1);
  }

private:
  detail::permit_queue queue_{1};
};

} // namespace weir
