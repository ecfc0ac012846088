// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the scheduler's tests share: a runtime whose clock and monitor the test moves, and things that tasks and threads
// meet at.
#include "sched/runtime_core.hpp"

#include <weir/blocking.hpp>
#include <weir/checkpoint.hpp>
#include <weir/config.hpp>
#include <weir/spawn.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace weir::testing {

using namespace std::chrono_literals;

/// Every rule holds at one permit, at two, and at as many as the machine suggests (0).
inline const auto tested_permits = ::testing::Values(std::size_t{1}, std::size_t{2}, std::size_t{0});

/// How many permits a runtime of a test has where its rule says nothing: `otherwise`, or the number in WEIR_TEST_PERMITS.
inline std::size_t unfixed_permits(std::size_t otherwise) {
  const char* asked = std::getenv("WEIR_TEST_PERMITS");
  return asked != nullptr ? std::strtoul(asked, nullptr, 10) : otherwise;
}

/// Loops that a sanitizer makes ten times as long are a tenth as long then.
inline constexpr bool is_sanitized = WEIR_HAS_ASAN || WEIR_HAS_TSAN;

/// Opens once; threads block until then. Declared before the runtime whose tasks wait at it, so that it outlives them.
class gate {
public:
  void open() {
    std::lock_guard guard(lock_);
    is_open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [&] { return is_open_; });
  }

private:
  std::mutex lock_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

/// Lets other threads run until `condition` holds; fails the test after a minute.
template <class Condition> [[nodiscard]] bool eventually(Condition condition) {
  auto limit = std::chrono::steady_clock::now() + 60s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Blocks the thread like a call of the system that takes this long.
inline void block_for(rt::duration time) {
  detail::atomic<std::uint32_t> never{0};
  rt::instant end = rt::now() + time;
  while (rt::now() < end) rt::os::futex_wait(never, 0, end);
}

struct manual_setup {
  std::size_t permits = unfixed_permits(1);
  std::size_t max_threads = 0;
  rt::thread_factory make_thread = rt::os::thread::start_raw;
  std::function<void(const unhandled_exception&)> on_unhandled = {};
  std::size_t eager_limit = 0;
  std::function<void(runtime_options&)> also = {};
};

/// A runtime without a monitor thread; time moves and scans happen when the test says so. The grace is 100 us, the
/// slice 2 ms.
class manual_runtime {
public:
  explicit manual_runtime(manual_setup setup = {}) : runtime_(build(setup, time_)) {}
  ~manual_runtime() {
    if (!shuts_down_) return;
    // A blocked region of a test that failed must not block the end of the program.
    EXPECT_TRUE(runtime_.shutdown_for(60s));
  }

  runtime& operator*() noexcept { return runtime_; }
  runtime* operator->() noexcept { return &runtime_; }
  rt::runtime_core& core() noexcept { return runtime_.core(); }
  metrics snapshot() { return runtime_.snapshot(); }

  /// Moves the clock; the calls that there are now are seen to have begun before.
  void advance(rt::duration by) {
    core().watch().look(core().now());
    time_->fetch_add(by.count());
  }
  void scan() { core().watch().scan(core().now()); }
  /// Waits until `count` permits are in blocking regions.
  [[nodiscard]] bool wait_for_regions(std::size_t count) {
    return eventually([&] { return snapshot().in_regions == count; });
  }
  /// True when no task that has been spawned runs or waits for its turn, and no worker is on its way to a permit: such a one
  /// looks at the timers at the same time as scan(), which then leaves them to it.
  [[nodiscard]] bool is_settled() {
    if (snapshot().queued != 0) return false;
    metrics at = snapshot();
    return at.free == at.permits;
  }
  void leave_running() noexcept { shuts_down_ = false; }

private:
  using shared_time = std::shared_ptr<detail::atomic<std::int64_t>>;

  static runtime build(const manual_setup& setup, const shared_time& time) {
    rt::core_config config;
    config.options.permits = setup.permits;
    config.options.max_threads = setup.max_threads;
    config.options.on_unhandled = setup.on_unhandled;
    config.options.eager_limit = setup.eager_limit;
    if (setup.also) setup.also(config.options);
    config.has_monitor_thread = false;
    config.now = [](void* at) noexcept { return rt::instant{static_cast<detail::atomic<std::int64_t>*>(at)->load()}; };
    config.now_argument = time.get();
    config.make_thread = setup.make_thread;
    return runtime(*rt::runtime_core::build(std::move(config)).value());
  }

  shared_time time_ = std::make_shared<detail::atomic<std::int64_t>>(1'000'000'000);
  runtime runtime_;
  bool shuts_down_ = true;
};

/// Suspends the task until somebody wakes it, and gives out the waker.
struct park_here {
  detail::waker& out;
  detail::atomic<bool>& is_parked;
  bool await_ready() const noexcept { return false; }
  template <class Promise> void await_suspend(std::coroutine_handle<Promise> self) const {
    detail::task_header& task = *detail::current_task();
    task.set_leaf(self);
    out = detail::waker(task);
    is_parked.store(true);
  }
  void await_resume() const noexcept {}
};

/// Counts how often objects of one use are destroyed.
class destruction_probe {
public:
  explicit destruction_probe(detail::atomic<int>& count) noexcept : count_(&count) {}
  destruction_probe(destruction_probe&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
  destruction_probe& operator=(destruction_probe&&) = delete;
  ~destruction_probe() {
    if (count_ != nullptr) count_->fetch_add(1);
  }

private:
  detail::atomic<int>* count_;
};

} // namespace weir::testing
