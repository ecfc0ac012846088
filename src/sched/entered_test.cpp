// SPDX-License-Identifier: Apache-2.0
#include "sched/test_support.hpp"

#include <weir/current.hpp>

#include <sys/wait.h>
#include <unistd.h>

namespace weir::testing {
namespace {

TEST(entered, innermost_counts_and_an_exception_restores_the_outer_one) { // test 45, C32
  manual_runtime a;
  manual_runtime b;
  runtime_handle to_a(*a);
  EXPECT_FALSE(try_current().has_value());
  {
    entered outer = a->enter();
    EXPECT_EQ(current(), to_a);
    try {
      entered inner = b->enter();
      EXPECT_EQ(current(), runtime_handle(*b));
      throw std::runtime_error("inside");
    } catch (const std::runtime_error&) {
      EXPECT_EQ(current(), to_a);
    }
    auto body = []() -> task<int> { co_return 42; };
    EXPECT_EQ(spawn(body()).wait().value(), 42);
    EXPECT_EQ(a.snapshot().polls, 1u);
  }
  EXPECT_FALSE(try_current().has_value());
  EXPECT_THROW(static_cast<void>(current()), std::system_error);
}

TEST(entered, left_out_of_order_is_an_error_and_changes_nothing) { // test 46
  manual_runtime a;
  manual_runtime b;
  entered outer = a->enter();
  {
    entered inner = b->enter();
    try {
      outer.leave();
      ADD_FAILURE() << "left before the inner one";
    } catch (const std::system_error& failure) {
      EXPECT_EQ(failure.code(), errc::left_out_of_order);
    }
    EXPECT_EQ(current(), runtime_handle(*b));
  }
  EXPECT_EQ(current(), runtime_handle(*a));
  outer.leave();
  EXPECT_FALSE(try_current().has_value());
}

TEST(entered, on_a_worker_it_nests_inside_the_workers_own_runtime) {
  manual_runtime a({.permits = 1});
  manual_runtime b({.permits = 1});
  auto child = []() -> task<runtime_handle> { co_return current(); };
  auto body = [&]() -> task<bool> {
    bool was_a = current() == runtime_handle(*a);
    auto in_b = [&] {
      entered inner = b->enter();
      return spawn(child());
    }();
    bool is_a = current() == runtime_handle(*a);
    co_return was_a && is_a && (co_await std::move(in_b)).value() == runtime_handle(*b);
  };
  EXPECT_TRUE(a->spawn(body()).wait().value());
}

TEST(entered, handle_reads_the_counts_after_the_runtime_is_gone) { // C8
  std::optional<runtime_handle> handle;
  {
    runtime rt({.permits = 1});
    handle.emplace(rt);
    auto body = []() -> task<> { co_return; };
    handle->spawn(body()).wait().value();
    rt.shutdown();
  }
  EXPECT_EQ(handle->snapshot().polls, 1u);
  auto body = []() -> task<> { co_return; };
  EXPECT_TRUE(handle->spawn(body()).wait().is_stopped());
}

#if !WEIR_HAS_TSAN                                             // which refuses threads after a fork
TEST(entered, child_of_a_fork_is_refused_and_may_start_anew) { // peers 22
  runtime rt({.permits = 1});
  auto body = []() -> task<int> { co_return 42; };
  ASSERT_EQ(rt.spawn(body()).wait().value(), 42);
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int refusals = 0;
    auto refuses = [&](auto&& call) {
      try {
        call();
      } catch (const std::system_error& failure) {
        refusals += failure.code() == errc::used_after_fork ? 1 : 0;
      }
    };
    refuses([&] { rt.spawn(body()).detach(); });
    refuses([&] { rt.spawn_blocking([] {}).detach(); });
    refuses([&] { static_cast<void>(rt.block_on(body())); });
    refuses([&] { rt.shutdown(); });
    rt.abandon_after_fork();
    rt = runtime({.permits = 1});
    int value = rt.spawn(body()).wait().value();
    rt.shutdown();
    ::_exit(refusals == 4 && value == 42 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(rt.spawn(body()).wait().value(), 42);
}
#endif

} // namespace
} // namespace weir::testing
