// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of the primitives share: waiting in each way there is, and reaching a moment when somebody waits.
#include "sched/test_support.hpp"

#include <coroutine>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace weir::testing {

/// A coroutine that is no task: it starts at once and is resumed by whoever ends what it awaits.
class foreign_coroutine {
public:
  struct promise_type {
    foreign_coroutine get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

/// A runtime with its monitor, shut down at the end of the test.
class live_runtime {
public:
  explicit live_runtime(runtime_options options = {}) : runtime_(with_permits(std::move(options))) {}
  ~live_runtime() { EXPECT_TRUE(runtime_.shutdown_for(60s)); }
  runtime& operator*() noexcept { return runtime_; }
  runtime* operator->() noexcept { return &runtime_; }

private:
  static runtime_options with_permits(runtime_options options) {
    if (options.permits == 0) options.permits = unfixed_permits(0);
    return options;
  }
  runtime runtime_;
};

enum class waiting_way : std::uint8_t { task, fiber, thread, region };

/// Runs `as_task()`, a coroutine, or `as_call()`, a plain function, on the runtime in the given way.
class way_runner {
public:
  explicit way_runner(runtime& on) : runtime_(on) {}
  ~way_runner() { join(); }

  template <class AsTask, class AsCall> void start(waiting_way way, AsTask as_task, AsCall as_call) {
    switch (way) {
    case waiting_way::task: handles_.push_back(runtime_.spawn(run_task(std::move(as_task)))); break;
    case waiting_way::fiber: handles_.push_back(runtime_.spawn_fiber(std::move(as_call))); break;
    case waiting_way::thread: threads_.emplace_back(std::move(as_call)); break;
    case waiting_way::region: handles_.push_back(runtime_.spawn(call(std::move(as_call)))); break;
    }
  }
  void join() {
    for (auto& each : handles_) each.wait().value();
    for (auto& each : threads_) each.join();
    handles_.clear();
    threads_.clear();
  }

private:
  template <class F> static task<> run_task(F body) { co_await body(); }
  template <class F> static task<> call(F body) { // blocks its worker
    body();
    co_return;
  }

  runtime& runtime_;
  std::vector<join_handle<void>> handles_;
  std::vector<std::thread> threads_;
};

inline constexpr waiting_way all_ways[] = {waiting_way::task, waiting_way::fiber, waiting_way::thread,
                                           waiting_way::region};

} // namespace weir::testing
