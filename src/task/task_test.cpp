// SPDX-License-Identifier: Apache-2.0
#include <weir/task.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using weir::task;
using weir::detail::task_access;

// Suspends the coroutine and remembers it, as a waiter list does.
struct gate {
  std::coroutine_handle<> leaf;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept { leaf = waiting; }
  void await_resume() const noexcept {}
};

template <class T> T run(task<T> root) {
  auto frame = task_access::frame(root);
  frame.resume();
  EXPECT_TRUE(frame.done());
  return frame.promise().take();
}

struct counted {
  explicit counted(std::vector<int>& log, int number) : log_(&log), number_(number) {}
  counted(counted&& other) noexcept : log_(std::exchange(other.log_, nullptr)), number_(other.number_) {}
  counted& operator=(counted&&) = delete;
  ~counted() {
    if (log_ != nullptr) log_->push_back(number_);
  }

private:
  std::vector<int>* log_;
  int number_;
};

task<int> give(int value) { co_return value; }
task<int> add(int a, int b) { co_return co_await give(a) + co_await give(b); }
task<std::unique_ptr<int>> give_owned(int value) { co_return std::make_unique<int>(value); }
task<int&> give_reference(int& value) { co_return value; }
task<> set(int& out, int value) {
  out = value;
  co_return;
}
task<int> fail(std::string why) {
  throw std::runtime_error(why);
  co_return 0;
}
task<> wait_at(gate& at, std::vector<int>& log, int number) {
  counted first(log, number);
  counted second(log, number + 1);
  co_await at;
}
task<> wait_below(gate& at, std::vector<int>& log) {
  counted outer(log, 0);
  co_await wait_at(at, log, 10);
}

TEST(task, a_task_does_nothing_until_it_is_awaited) {
  int out = 0;
  task<> lazy = set(out, 7);
  EXPECT_EQ(out, 0);
  run(std::move(lazy));
  EXPECT_EQ(out, 7);
  EXPECT_FALSE(lazy);
}

TEST(task, results_of_every_kind_reach_the_awaiter) {
  EXPECT_EQ(run(add(40, 2)), 42);
  EXPECT_EQ(*run(give_owned(5)), 5);
  int target = 1;
  auto increment = [](int& value) -> task<> { ++co_await give_reference(value); };
  run(increment(target));
  EXPECT_EQ(target, 2);
}

TEST(task, an_exception_travels_through_awaiting_tasks_and_can_be_caught_there) {
  auto through = []() -> task<int> { co_return co_await fail("deep"); };
  EXPECT_THROW(run(through()), std::runtime_error);
  auto caught = []() -> task<std::string> {
    try {
      co_await fail("deep");
    } catch (const std::runtime_error& error) {
      co_return error.what();
    }
    co_return "not thrown";
  };
  EXPECT_EQ(run(caught()), "deep");
}

TEST(task, the_leaf_is_resumed_directly_and_the_end_reaches_the_root) {
  gate at;
  std::vector<int> log;
  task<> root = wait_below(at, log);
  auto frame = task_access::frame(root);
  frame.resume();
  EXPECT_FALSE(frame.done());
  EXPECT_NE(at.leaf.address(), frame.address());
  at.leaf.resume();
  EXPECT_TRUE(frame.done());
  EXPECT_EQ(log, (std::vector{11, 10, 0}));
}

TEST(task, the_continuation_of_a_root_runs_at_its_end) {
  struct observer {
    struct promise_type {
      observer get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
      std::suspend_always initial_suspend() noexcept { return {}; }
      std::suspend_always final_suspend() noexcept { return {}; }
      void return_void() {}
      void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
  };
  bool told = false;
  auto tell = [](bool& out) -> observer {
    out = true;
    co_return;
  };
  observer end = tell(told);
  int out = 0;
  task<> root = set(out, 3);
  auto frame = task_access::frame(root);
  frame.promise().set_continuation(end.handle);
  frame.resume();
  EXPECT_TRUE(frame.done());
  EXPECT_TRUE(told);
  end.handle.destroy();
}

TEST(task, destroying_a_suspended_chain_runs_destructors_once_in_reverse_order) {
  gate at;
  std::vector<int> log;
  {
    task<> root = wait_below(at, log);
    task_access::frame(root).resume();
    EXPECT_TRUE(log.empty());
  }
  EXPECT_EQ(log, (std::vector{11, 10, 0}));
}

TEST(task, destroying_a_task_that_never_ran_destroys_only_its_parameters) {
  std::vector<int> log;
  auto body = [](counted, bool& entered) -> task<> {
    entered = true;
    co_return;
  };
  bool entered = false;
  {
    task<> unused = body(counted(log, 1), entered);
  }
  EXPECT_FALSE(entered);
  EXPECT_EQ(log, (std::vector{1}));
}

struct throws_when_destroyed {
  bool is_armed = true;
  explicit throws_when_destroyed() = default;
  throws_when_destroyed(throws_when_destroyed&& other) noexcept : is_armed(std::exchange(other.is_armed, false)) {}
  ~throws_when_destroyed() noexcept(false) {
    if (is_armed) throw std::runtime_error("destructor");
  }
};

TEST(task, a_destructor_that_throws_after_co_return_replaces_the_value) {
  auto body = []() -> task<std::shared_ptr<int>> {
    throws_when_destroyed local;
    co_return std::make_shared<int>(1);
  };
  EXPECT_THROW(run(body()), std::runtime_error);
  auto nothing = []() -> task<> {
    throws_when_destroyed local;
    co_return;
  };
  EXPECT_THROW(run(nothing()), std::runtime_error);
}

TEST(task, a_suspended_frame_is_destroyed_once_though_a_local_destructor_throws) {
  gate at;
  std::vector<int> log;
  bool awaiter_went_on = false;
  auto inner = [](gate& gate_, std::vector<int>& log_, counted) -> task<> {
    counted first(log_, 1);
    throws_when_destroyed second;
    counted third(log_, 3);
    co_await gate_;
  };
  auto outer = [&inner](gate& gate_, std::vector<int>& log_, bool& went_on) -> task<> {
    co_await inner(gate_, log_, counted(log_, 7));
    went_on = true;
  };
  {
    task<> root = outer(at, log, awaiter_went_on);
    task_access::frame(root).resume();
  }
  EXPECT_EQ(log, (std::vector{3, 1, 7}));
  EXPECT_FALSE(awaiter_went_on);
}

#if !(defined(__GNUC__) && !defined(__clang__)) // GCC 12 leaks the frame when a parameter's destructor throws
TEST(task, a_parameter_destructor_that_throws_is_dropped_with_the_frame) {
  auto body = [](throws_when_destroyed) -> task<> { co_return; };
  {
    task<> unused = body(throws_when_destroyed());
  }
  SUCCEED();
}
#endif

task<int> ready() { co_return 1; }

// The deepest stack any of the awaits below saw, as addresses; the sanitizers' own fake stacks are not counted because
// __builtin_frame_address is the real frame.
struct depth {
  std::uintptr_t lowest = ~std::uintptr_t{0};
  std::uintptr_t highest = 0;

  WEIR_NOINLINE void note() {
    auto at = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    lowest = std::min(lowest, at);
    highest = std::max(highest, at);
  }
};

task<int> noting(depth& stack) {
  stack.note();
  co_return 1;
}

task<long> await_many(depth& stack, long count) {
  long sum = 0;
  for (long i = 0; i < count; ++i) sum += (i & 1023) == 0 ? co_await noting(stack) : co_await ready();
  co_return sum;
}

TEST(task, three_million_ready_awaits_use_bounded_stack) { // test 64, peers 21
  depth stack;
  EXPECT_EQ(run(await_many(stack, 3'000'000)), 3'000'000);
  EXPECT_LT(stack.highest - stack.lowest, 16'384u);
}

task<long> descend(depth& stack, long levels) {
  if (levels == 0) {
    stack.note();
    co_return 0;
  }
  if (levels % 1024 == 0) stack.note();
  long below = co_await descend(stack, levels - 1);
  if (levels % 1024 == 1) stack.note();
  co_return below + 1;
}

TEST(task, a_chain_of_a_hundred_thousand_awaiting_frames_uses_bounded_stack) {
  depth stack;
  EXPECT_EQ(run(descend(stack, 100'000)), 100'000);
  EXPECT_LT(stack.highest - stack.lowest, 16'384u);
}

TEST(task_death_test, awaiting_a_task_that_was_moved_from_is_a_broken_contract) {
  auto body = []() -> task<> {
    task<int> first = give(1);
    task<int> second = std::move(first);
    co_await std::move(first);
  };
  EXPECT_DEATH(run(body()), "a task can be awaited once");
}

static_assert(!std::is_copy_constructible_v<task<int>>);
static_assert(std::is_nothrow_move_constructible_v<task<int>>);

} // namespace
