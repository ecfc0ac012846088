// SPDX-License-Identifier: Apache-2.0
// What a switch costs: fibers and coroutine leaves, by depth of the suspended stack.
#include "context/fiber.hpp"

#include <weir/task.hpp>

#include <benchmark/benchmark.h>

#include <coroutine>
#include <cstdint>

namespace {

using namespace weir::rt;
using weir::task;

// One stack frame for each level; the switch happens in the deepest.
WEIR_NOINLINE void suspend_forever_below(fiber& self, std::int64_t depth) {
  if (depth > 1) {
    suspend_forever_below(self, depth - 1);
    benchmark::DoNotOptimize(depth);
  } else {
    while (!self.is_cancelled()) self.suspend();
  }
}

struct fiber_body {
  fiber* self = nullptr;
  std::int64_t depth = 1;

  static void run(void* raw) {
    auto* body = static_cast<fiber_body*>(raw);
    suspend_forever_below(*body->self, body->depth);
  }
};

void fiber_round_trip(benchmark::State& state) {
  stack_pool pool;
  fiber_body body;
  body.depth = state.range(0);
  fiber f(pool, &fiber_body::run, &body);
  body.self = &f;
  for (auto _ : state) f.resume();
  f.cancel();
}
BENCHMARK(fiber_round_trip)->Arg(1)->Arg(8)->Arg(32);

void fiber_create_run_close(benchmark::State& state) {
  stack_pool pool;
  for (auto _ : state) {
    fiber f(pool, [](void*) {}, nullptr);
    f.resume();
  }
}
BENCHMARK(fiber_create_run_close);

struct leaf_slot {
  std::coroutine_handle<>& leaf;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) const noexcept { leaf = waiting; }
  void await_resume() const noexcept {}
};

task<> wait_forever_below(std::coroutine_handle<>& leaf, std::int64_t depth) {
  if (depth > 1) co_await wait_forever_below(leaf, depth - 1);
  for (;;) co_await leaf_slot{leaf};
}

void coroutine_leaf_round_trip(benchmark::State& state) {
  std::coroutine_handle<> leaf;
  task<> root = wait_forever_below(leaf, state.range(0));
  weir::detail::task_access::frame(root).resume();
  for (auto _ : state) leaf.resume();
}
BENCHMARK(coroutine_leaf_round_trip)->Arg(1)->Arg(8)->Arg(32);

task<int> ready() { co_return 1; }

void await_of_a_ready_task(benchmark::State& state) {
  auto body = [](benchmark::State& s) -> task<> {
    for (auto _ : s) benchmark::DoNotOptimize(co_await ready());
  };
  task<> root = body(state);
  weir::detail::task_access::frame(root).resume();
}
BENCHMARK(await_of_a_ready_task);

} // namespace

BENCHMARK_MAIN();
