// SPDX-License-Identifier: Apache-2.0
#include "context/context.hpp"

#include "context/coroutine_context.hpp"
#include "context/fiber_context.hpp"
#include "os/thread.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using namespace weir::rt;
using weir::task;
using namespace weir::detail;

// Where one context waits: the commit hook puts it here.
struct place {
  atomic<context*> waiting{nullptr};
  context::generation generation = 0;
  context::generation lingers_every =
      0; // gives a waker on the same processor a chance to come between publish and suspended

  static bool publish(context& self, void* raw) noexcept {
    auto& here = *static_cast<place*>(raw);
    here.generation = self.suspend_generation();
    here.waiting.store(&self, memory_order::release);
    if (here.lingers_every != 0) linger(here);
    return true;
  }
  // Moves the moment of "suspended" over the moment of the wake, a cycle or so at a time; and now and then lets a waker on the same
  // processor come first.
  static void linger(const place& here) noexcept {
    if (here.generation % here.lingers_every == 0) os::yield_thread();
    for (context::generation turn = here.generation % 512; turn > 0; --turn) asm volatile("");
  }
  context* take() { return waiting.exchange(nullptr, memory_order::acquire); }
};

// Spins a while, then lets the other thread have the processor: the machine may have fewer of them than the test has
// threads.
class backoff {
public:
  void wait() noexcept {
    if (++spins_ % 64 == 0)
      os::yield_thread();
    else
      spin_pause();
  }

private:
  unsigned spins_ = 0;
};

struct wait_at {
  place& where;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> leaf) const noexcept { suspend_coroutine(leaf, &place::publish, &where); }
  void await_resume() const noexcept {}
};

struct yield_once {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> leaf) const noexcept { yield_coroutine(leaf); }
  void await_resume() const noexcept {}
};

struct on_exit {
  explicit on_exit(std::vector<int>& log, int value) : log_(log), value_(value) {}
  on_exit(const on_exit&) = delete;
  on_exit& operator=(const on_exit&) = delete;
  ~on_exit() { log_.push_back(value_); }

private:
  std::vector<int>& log_;
  int value_;
};

// What the body of a context may do, the same for both kinds.
enum class step { wait, yield, fail };

// A body written once and run as both kinds.
struct actor {
  std::vector<step> steps{};
  place where{};
  std::vector<int> log{};
  int polls = 0;

  task<> as_coroutine() {
    on_exit first(log, 1);
    on_exit second(log, 2);
    for (step next : steps) {
      ++polls;
      if (next == step::wait) co_await wait_at{where};
      if (next == step::yield) co_await yield_once{};
      if (next == step::fail) throw std::runtime_error("asked to");
    }
  }

  static void as_fiber(void* raw) {
    auto& self = *static_cast<actor*>(raw);
    on_exit first(self.log, 1);
    on_exit second(self.log, 2);
    for (step next : self.steps) {
      ++self.polls;
      if (next == step::wait) suspend_fiber(&place::publish, &self.where);
      if (next == step::yield) yield_fiber_context();
      if (next == step::fail) throw std::runtime_error("asked to");
    }
  }
};

enum class kind { coroutine, fiber };

class context_suite : public testing::TestWithParam<kind> {
protected:
  std::unique_ptr<context> make(actor& of) {
    if (GetParam() == kind::coroutine) return std::make_unique<coroutine_context>(of.as_coroutine());
    return std::make_unique<fiber_context>(pool_, &actor::as_fiber, &of);
  }

  stack_pool pool_;
};

TEST_P(context_suite, a_context_waits_is_woken_and_returns) {
  actor body{.steps = {step::wait, step::yield}};
  auto c = make(body);
  EXPECT_EQ(c->state(), context_state::fresh);
  EXPECT_EQ(c->resume(), outcome::suspended);
  EXPECT_EQ(c->state(), context_state::suspended);
  EXPECT_EQ(current_context(), nullptr);
  EXPECT_EQ(body.where.take(), c.get());
  EXPECT_TRUE(c->wake());
  EXPECT_FALSE(c->wake());
  EXPECT_EQ(c->resume(), outcome::ready);
  EXPECT_EQ(c->resume(), outcome::returned);
  EXPECT_FALSE(c->wake());
  EXPECT_EQ(body.log, (std::vector{2, 1}));
  c->close();
  c->close();
}

TEST_P(context_suite, a_failure_is_an_outcome) {
  actor body{.steps = {step::yield, step::fail}};
  auto c = make(body);
  EXPECT_EQ(c->resume(), outcome::ready);
  EXPECT_EQ(c->resume(), outcome::failed);
  EXPECT_EQ(body.log, (std::vector{2, 1}));
  c->close();
}

TEST_P(context_suite, a_wake_meant_for_an_earlier_suspend_does_nothing) {
  actor body{.steps = {step::wait, step::wait}};
  auto c = make(body);
  c->resume();
  auto first = body.where.generation;
  EXPECT_TRUE(c->wake(first));
  EXPECT_EQ(c->resume(), outcome::suspended);
  EXPECT_FALSE(c->wake(first));
  EXPECT_EQ(c->state(), context_state::suspended);
  EXPECT_TRUE(c->wake(body.where.generation));
  EXPECT_EQ(c->resume(), outcome::returned);
  c->close();
}

TEST_P(context_suite, cancelling_a_suspended_context_runs_its_destructors_in_reverse_order) {
  actor body{.steps = {step::wait, step::wait}};
  auto c = make(body);
  c->resume();
  EXPECT_TRUE(c->request_cancel());
  EXPECT_FALSE(c->request_cancel());
  EXPECT_FALSE(c->wake());
  EXPECT_EQ(c->resume(), outcome::cancelled);
  EXPECT_EQ(body.log, (std::vector{2, 1}));
  EXPECT_EQ(body.polls, 1);
  c->close();
  EXPECT_EQ(pool_.counts().in_use, 0u);
}

TEST_P(context_suite, a_context_cancelled_before_it_ran_never_enters) {
  actor body{.steps = {step::wait}};
  auto c = make(body);
  EXPECT_FALSE(c->request_cancel());
  EXPECT_EQ(c->resume(), outcome::cancelled);
  EXPECT_EQ(body.polls, 0);
  EXPECT_TRUE(body.log.empty());
  c->close();
}

TEST_P(context_suite, a_context_cancelled_while_it_runs_ends_at_its_next_suspend) {
  struct canceller {
    static bool commit(context& self, void*) noexcept {
      EXPECT_FALSE(self.request_cancel()); // suspending: the worker sees it, so nobody else enqueues
      return true;
    }
  };
  if (GetParam() == kind::coroutine) {
    struct awaiter {
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> leaf) const noexcept {
        suspend_coroutine(leaf, &canceller::commit, nullptr);
      }
      void await_resume() const noexcept { ADD_FAILURE() << "went on after a cancel"; }
    };
    coroutine_context other([]() -> task<> { co_await awaiter{}; }());
    EXPECT_EQ(other.resume(), outcome::ready);
    EXPECT_EQ(other.resume(), outcome::cancelled);
    other.close();
  } else {
    fiber_context other(
        pool_,
        [](void*) {
          suspend_fiber(&canceller::commit, nullptr);
          ADD_FAILURE() << "went on after a cancel";
        },
        nullptr);
    EXPECT_EQ(other.resume(), outcome::ready);
    EXPECT_EQ(other.resume(), outcome::cancelled);
    other.close();
  }
}

TEST_P(context_suite, a_hook_that_finds_nothing_to_wait_for_lets_the_context_go_on_at_once) {
  int calls = 0;
  auto refuse = [](context&, void* raw) noexcept { return ++*static_cast<int*>(raw) == 3; };
  if (GetParam() == kind::coroutine) {
    struct awaiter {
      int& calls;
      bool (*hook)(context&, void*) noexcept;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> leaf) const noexcept { suspend_coroutine(leaf, hook, &calls); }
      void await_resume() const noexcept {}
    };
    auto body = [](int& count, bool (*hook)(context&, void*) noexcept) -> task<> {
      for (int i = 0; i < 3; ++i) co_await awaiter{count, hook};
    };
    coroutine_context c(body(calls, refuse));
    EXPECT_EQ(c.resume(), outcome::suspended);
    EXPECT_EQ(calls, 3);
    EXPECT_TRUE(c.wake());
    EXPECT_EQ(c.resume(), outcome::returned);
    c.close();
  } else {
    struct argument {
      int& calls;
      bool (*hook)(context&, void*) noexcept;
    } of{calls, refuse};
    fiber_context c(
        pool_,
        [](void* raw) {
          for (int i = 0; i < 3; ++i)
            suspend_fiber(static_cast<argument*>(raw)->hook, &static_cast<argument*>(raw)->calls);
        },
        &of);
    EXPECT_EQ(c.resume(), outcome::suspended);
    EXPECT_EQ(calls, 3);
    EXPECT_TRUE(c.wake());
    EXPECT_EQ(c.resume(), outcome::returned);
    c.close();
  }
}

TEST_P(context_suite, a_wake_during_the_commit_hook_makes_the_worker_requeue) {
  auto wake_now = [](context& self, void*) noexcept {
    EXPECT_EQ(self.state(), context_state::suspending);
    EXPECT_FALSE(self.wake());
    EXPECT_EQ(self.state(), context_state::ready);
    return true;
  };
  struct awaiter {
    bool (*hook)(context&, void*) noexcept;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> leaf) const noexcept { suspend_coroutine(leaf, hook, nullptr); }
    void await_resume() const noexcept {}
  };
  auto coroutine = [](bool (*hook)(context&, void*) noexcept) -> task<> { co_await awaiter{hook}; };
  auto fiber_body = [](void* raw) { suspend_fiber(*static_cast<bool (**)(context&, void*) noexcept>(raw), nullptr); };
  bool (*hook)(context&, void*) noexcept = wake_now;
  std::unique_ptr<context> c;
  if (GetParam() == kind::coroutine)
    c = std::make_unique<coroutine_context>(coroutine(hook));
  else
    c = std::make_unique<fiber_context>(pool_, fiber_body, &hook);
  EXPECT_EQ(c->resume(), outcome::ready);
  EXPECT_EQ(c->resume(), outcome::returned);
  c->close();
}

// AddressSanitizer clears the shadow of a stack at each ucontext switch.
constexpr bool has_slow_switch = WEIR_HAS_ASAN && WEIR_PORTABLE_CONTEXT;
constexpr int races = has_slow_switch ? 2'000 : WEIR_HAS_TSAN || WEIR_HAS_ASAN ? 100'000 : 1'000'000;

// One thread resumes a context that waits over and over; another wakes it as soon as it is published, often while its
// frames are being saved. Whoever gets "enqueue it" hands it to the worker. Each wake must give exactly one more poll.
// When the other thread has no processor the worker wakes the context itself, so that the test's time does not depend
// on the machine's load.
TEST_P(context_suite, a_wake_racing_the_suspend_gives_exactly_one_more_poll) {
  actor body;
  body.steps.assign(races, step::wait);
  body.where.lingers_every = 16'384;
  auto c = make(body);
  atomic<context*> queue{c.get()};
  atomic<bool> ended{false};
  atomic<long> in_poll{0};
  atomic<long> enqueued{0};
  auto wake_whoever_waits = [&] {
    context* waiting = body.where.take();
    if (waiting == nullptr || !waiting->wake()) return;
    enqueued.fetch_add(1, memory_order::relaxed);
    EXPECT_EQ(queue.exchange(waiting, memory_order::acq_rel), nullptr);
  };
  std::thread waker([&] {
    while (!ended.load(memory_order::acquire)) wake_whoever_waits();
  });
  long requeued = 0;
  instant progress = now();
  for (unsigned idle = 0;;) {
    context* next = queue.exchange(nullptr, memory_order::acq_rel);
    if (next == nullptr) {
      if (++idle % 64 == 0) wake_whoever_waits();
      if (idle % 65'536 == 0) WEIR_CHECK(now() < progress + std::chrono::seconds(30), "a wake was lost", body.polls);
      spin_pause();
      continue;
    }
    if (body.polls % 1024 == 0) progress = now();
    EXPECT_EQ(in_poll.fetch_add(1), 0);
    outcome why = next->resume();
    in_poll.fetch_sub(1);
    if (is_end(why)) break;
    if (why != outcome::ready) continue;
    ++requeued;
    EXPECT_EQ(queue.exchange(next, memory_order::acq_rel), nullptr);
  }
  ended.store(true, memory_order::release);
  waker.join();
  EXPECT_EQ(body.polls, races);
  EXPECT_EQ(requeued + enqueued.load(), races);
  RecordProperty("woken_while_suspending", static_cast<int>(requeued));
  c->close();
}

// As above, but two threads resume, so the context moves between them all the time.
TEST_P(context_suite, a_context_migrates_between_threads_that_wake_it_for_each_other) {
  actor body;
  body.steps.assign(races / 10, step::wait);
  body.where.lingers_every = 64;
  auto c = make(body);
  atomic<context*> queue{c.get()};
  atomic<bool> ended{false};
  auto work = [&] {
    backoff idle;
    while (!ended.load(memory_order::acquire)) {
      if (context* waiting = body.where.take(); waiting != nullptr && waiting->wake()) {
        EXPECT_EQ(queue.exchange(waiting, memory_order::acq_rel), nullptr);
      }
      context* next = queue.exchange(nullptr, memory_order::acq_rel);
      if (next == nullptr) {
        idle.wait();
        continue;
      }
      outcome why = next->resume();
      if (is_end(why)) ended.store(true, memory_order::release);
      if (why == outcome::ready) {
        EXPECT_EQ(queue.exchange(next, memory_order::acq_rel), nullptr);
      }
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(body.polls, races / 10);
  c->close();
}

// A canceller races the suspend; in every round the context must end, once, without anybody waking it otherwise.
TEST_P(context_suite, a_cancel_racing_the_suspend_is_never_lost) {
  constexpr int rounds = has_slow_switch ? 200 : WEIR_HAS_TSAN || WEIR_HAS_ASAN ? 2'000 : 20'000;
  atomic<context*> to_cancel{nullptr};
  atomic<context*> queue{nullptr};
  atomic<bool> ended{false};
  std::thread canceller([&] {
    backoff idle;
    while (!ended.load(memory_order::acquire)) {
      context* target = to_cancel.load(memory_order::acquire);
      if (target == nullptr) {
        idle.wait();
        continue;
      }
      bool must_enqueue = target->request_cancel();
      if (must_enqueue) {
        EXPECT_EQ(queue.exchange(target, memory_order::acq_rel), nullptr);
      }
      to_cancel.store(nullptr, memory_order::release);
    }
  });
  backoff idle;
  for (int i = 0; i < rounds; ++i) {
    actor body{.steps = {step::wait}};
    auto c = make(body);
    to_cancel.store(c.get(), memory_order::release);
    outcome why = c->resume();
    while (!is_end(why)) {
      if (why == outcome::suspended)
        while (queue.exchange(nullptr, memory_order::acq_rel) == nullptr) idle.wait();
      why = c->resume();
    }
    ASSERT_EQ(why, outcome::cancelled);
    while (to_cancel.load(memory_order::acquire) != nullptr) idle.wait();
    queue.store(nullptr);
    c->close();
  }
  ended.store(true, memory_order::release);
  canceller.join();
}

INSTANTIATE_TEST_SUITE_P(both, context_suite, testing::Values(kind::coroutine, kind::fiber),
                         [](const auto& tested) { return tested.param == kind::coroutine ? "coroutine" : "fiber"; });

TEST(context, the_leaf_of_a_deep_chain_is_resumed_directly) {
  struct chain {
    static task<int> down(place& where, int depth) {
      if (depth == 0) {
        co_await wait_at{where};
        co_return 0;
      }
      co_return 1 + co_await down(where, depth - 1);
    }
  };
  place where;
  coroutine_context c(chain::down(where, 32));
  EXPECT_EQ(c.resume(), outcome::suspended);
  EXPECT_TRUE(where.take()->wake());
  EXPECT_EQ(c.resume(), outcome::returned);
  EXPECT_EQ(c.promise<int>().take(), 32);
  c.close();
}

using context_death_test = testing::Test;

TEST_F(context_death_test, contracts_are_checked) {
  stack_pool pool;
  actor body{.steps = {step::wait}};
  fiber_context c(pool, &actor::as_fiber, &body);
  EXPECT_EQ(c.resume(), outcome::suspended);
  EXPECT_DEATH(c.resume(), "only a fresh or ready context can be resumed");
  EXPECT_DEATH(c.close(), "closed while it is live");
  EXPECT_DEATH(suspend_fiber(&place::publish, &body.where), "waiting needs a task");
  EXPECT_TRUE(c.wake());
  EXPECT_EQ(c.resume(), outcome::returned);
  c.close();
}

TEST_F(context_death_test, an_awaitable_that_does_not_tell_the_worker_is_found) {
  auto body = []() -> task<> { co_await std::suspend_always{}; };
  EXPECT_DEATH(
      {
        coroutine_context c(body());
        c.resume();
      },
      "suspended without telling its worker");
}

} // namespace
