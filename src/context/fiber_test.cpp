// SPDX-License-Identifier: Apache-2.0
#include "context/fiber.hpp"

#include <weir/fiber.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <cfenv>
#include <csignal>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace weir::rt;

// A fiber that runs a closure and is closed at the end of the test.
class test_fiber {
public:
  test_fiber(stack_pool& pool, std::function<void(fiber&)> body) : body_(std::move(body)), fiber_(pool, &enter, this) {}
  fiber& get() { return fiber_; }
  fiber* operator->() { return &fiber_; }

private:
  static void enter(void* raw) {
    auto& self = *static_cast<test_fiber*>(raw);
    self.body_(self.fiber_);
  }

  std::function<void(fiber&)> body_;
  fiber fiber_;
};

struct on_exit {
  explicit on_exit(std::function<void()> act) : act_(std::move(act)) {}
  on_exit(const on_exit&) = delete;
  on_exit& operator=(const on_exit&) = delete;
  ~on_exit() { act_(); }

private:
  std::function<void()> act_;
};

class fiber_suite : public testing::Test {
protected:
  stack_pool pool_;
};

using fiber = weir::rt::fiber;

#define FIBER_TEST(name) TEST_F(fiber_suite, name)

FIBER_TEST(control_goes_back_and_forth_and_locals_survive) { // peers 20
  std::vector<int> log;
  test_fiber f(pool_, [&](fiber& self) {
    for (int i = 0; i < 3; ++i) {
      log.push_back(10 + i);
      self.suspend();
    }
  });
  EXPECT_EQ(f->current_phase(), fiber::phase::fresh);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(f->resume(), outcome::suspended);
    log.push_back(i);
  }
  EXPECT_EQ(f->resume(), outcome::returned);
  EXPECT_EQ(log, (std::vector{10, 0, 11, 1, 12, 2}));
}

FIBER_TEST(values_live_across_a_switch_in_every_kind_of_register_are_kept) {
  test_fiber f(pool_, [](fiber& self) {
    for (int i = 0; i < 100; ++i) self.suspend();
  });
  double real = 1.25;
  long double wide = 2.5L;
  long a = 1, b = 2, c = 3, d = 4, e = 5, g = 6, h = 7;
  for (int i = 0; i < 100; ++i) {
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
    f->resume();
    real += 1;
    wide += 1;
    a += 1, b += 2, c += 3, d += 4, e += 5, g += 6, h += 7;
  }
  EXPECT_EQ(f->resume(), outcome::returned);
  EXPECT_EQ(real, 101.25);
  EXPECT_EQ(wide, 102.5L);
  EXPECT_EQ(a + b + c + d + e + g + h, 28 + 100 * 28);
}

FIBER_TEST(a_stack_is_aligned_as_functions_expect) {
  std::uintptr_t address = 1;
  test_fiber f(pool_, [&](fiber&) {
    alignas(64) char wide[64];
    asm volatile("" : : "r"(&wide) : "memory");
    address = reinterpret_cast<std::uintptr_t>(&wide);
    char text[64];
    std::snprintf(text, sizeof(text), "%f %Lf", 1.5, 2.5L); // uses aligned vector stores
    EXPECT_STREQ(text, "1.500000 2.500000");
  });
  EXPECT_EQ(f->resume(), outcome::returned);
  EXPECT_EQ(address % 64, 0u);
}

FIBER_TEST(an_exception_is_caught_inside_while_another_stack_unwinds) {
  std::string seen;
  test_fiber f(pool_, [&](fiber& self) {
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    try {
      throw std::runtime_error("inner");
    } catch (const std::runtime_error& error) {
      self.suspend(); // while this handler is active, the thread's own stack throws and catches
      seen = error.what();
      EXPECT_EQ(std::current_exception() != nullptr, true);
    }
    EXPECT_EQ(std::current_exception(), nullptr);
  });
  try {
    on_exit resume_while_unwinding([&] {
      EXPECT_EQ(std::uncaught_exceptions(), 1);
      EXPECT_EQ(f->resume(), outcome::suspended);
      EXPECT_EQ(std::uncaught_exceptions(), 1);
    });
    throw std::logic_error("outer");
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "outer");
    EXPECT_EQ(f->resume(), outcome::returned);
    try {
      throw; // the handler's own exception is still the current one
    } catch (const std::logic_error& again) {
      EXPECT_STREQ(again.what(), "outer");
    }
  }
  EXPECT_EQ(seen, "inner");
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

FIBER_TEST(handlers_of_two_fibers_interleave) { // peers 19
  std::vector<std::string> log;
  auto body = [&](std::string name) {
    return [&log, name](fiber& self) {
      try {
        throw std::runtime_error(name);
      } catch (const std::runtime_error&) {
        self.suspend();
        try {
          throw; // rethrows this fiber's exception, not the one thrown last on the thread
        } catch (const std::runtime_error& error) {
          log.push_back(error.what());
        }
      }
    };
  };
  test_fiber a(pool_, body("a"));
  test_fiber b(pool_, body("b"));
  a->resume();
  b->resume();
  EXPECT_EQ(a->resume(), outcome::returned);
  EXPECT_EQ(b->resume(), outcome::returned);
  EXPECT_EQ(log, (std::vector<std::string>{"a", "b"}));
}

FIBER_TEST(an_exception_that_leaves_the_entry_is_kept) {
  test_fiber f(pool_, [](fiber& self) {
    self.suspend();
    throw std::runtime_error("why");
  });
  EXPECT_EQ(f->resume(), outcome::suspended);
  EXPECT_EQ(f->resume(), outcome::failed);
  EXPECT_THROW(std::rethrow_exception(f->take_error()), std::runtime_error);
  EXPECT_EQ(f->take_error(), nullptr);
}

FIBER_TEST(errno_belongs_to_the_fiber) { // peers 18
  auto body = [](int value) {
    return [value](fiber& self) {
      errno = value;
      self.suspend();
      EXPECT_EQ(errno, value);
    };
  };
  test_fiber a(pool_, body(ERANGE));
  test_fiber b(pool_, body(EDOM));
  errno = ENOENT;
  a->resume();
  EXPECT_EQ(errno, ENOENT);
  b->resume();
  a->resume();
  b->resume();
  EXPECT_EQ(errno, ENOENT);
}

// A third in both units: double is computed under MXCSR, long double under the x87 control word.
struct thirds {
  double vector_unit;
  long double x87;
  friend bool operator==(const thirds&, const thirds&) = default;
};

WEIR_NOINLINE thirds third() {
  volatile double one = 1;
  volatile double three = 3;
  volatile long double wide_one = 1;
  volatile long double wide_three = 3;
  return {one / three, wide_one / wide_three};
}

FIBER_TEST(the_rounding_mode_belongs_to_the_fiber) {
  int original = std::fegetround();
  std::fesetround(FE_DOWNWARD);
  const thirds down = third();
  std::fesetround(FE_UPWARD);
  const thirds up = third();
  ASSERT_LT(down.vector_unit, up.vector_unit);
  ASSERT_LT(down.x87, up.x87);
  std::fesetround(FE_DOWNWARD);
  test_fiber f(pool_, [&](fiber& self) {
    EXPECT_EQ(third(), down); // as where the fiber was made
    std::fesetround(FE_UPWARD);
    self.suspend();
    EXPECT_EQ(third(), up);
  });
  f->resume();
  EXPECT_EQ(third(), down);
  EXPECT_EQ(f->resume(), outcome::returned);
  EXPECT_EQ(third(), down);
  std::fesetround(original);
}

FIBER_TEST(a_fiber_resumes_another_and_the_current_one_is_known) {
  fiber* seen_inside = nullptr;
  fiber* seen_after = nullptr;
  test_fiber inner(pool_, [&](fiber& self) {
    seen_inside = current_fiber();
    self.suspend();
  });
  test_fiber outer(pool_, [&](fiber& self) {
    inner->resume();
    seen_after = current_fiber();
    self.suspend();
    inner->resume();
  });
  outer->resume();
  EXPECT_EQ(current_fiber(), nullptr);
  EXPECT_EQ(outer->resume(), outcome::returned);
  EXPECT_EQ(seen_inside, &inner.get());
  EXPECT_EQ(seen_after, &outer.get());
  EXPECT_EQ(inner->current_phase(), fiber::phase::ended);
}

FIBER_TEST(cancel_runs_the_destructors_of_a_suspended_fiber_once_in_reverse_order) {
  std::vector<int> log;
  test_fiber f(pool_, [&](fiber& self) {
    on_exit first([&] { log.push_back(1); });
    on_exit second([&] { log.push_back(2); });
    [&] {
      on_exit third([&] { log.push_back(3); });
      self.suspend();
      log.push_back(99);
    }();
    log.push_back(98);
  });
  f->resume();
  EXPECT_EQ(f->cancel(), outcome::cancelled);
  EXPECT_EQ(log, (std::vector{3, 2, 1}));
  f->close();
  f->close();
  EXPECT_EQ(pool_.counts().in_use, 0u);
}

FIBER_TEST(a_fiber_cancelled_before_it_ran_never_enters) {
  bool entered = false;
  test_fiber f(pool_, [&](fiber&) { entered = true; });
  EXPECT_EQ(f->cancel(), outcome::cancelled);
  EXPECT_FALSE(entered);
}

FIBER_TEST(a_destructor_may_suspend_while_a_cancel_unwinds) {
  std::vector<int> log;
  test_fiber f(pool_, [&](fiber& self) {
    on_exit last([&] { log.push_back(2); });
    on_exit waits([&] {
      self.suspend();
      log.push_back(1);
    });
    self.suspend();
  });
  f->resume();
  EXPECT_EQ(f->cancel(), outcome::suspended);
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(f->resume(), outcome::cancelled);
  EXPECT_EQ(log, (std::vector{1, 2}));
}

FIBER_TEST(a_cancel_that_somebody_swallowed_is_thrown_again_at_the_next_suspend) {
  int swallowed = 0;
  test_fiber f(pool_, [&](fiber& self) {
    for (int i = 0; i < 3; ++i) {
      try {
        self.suspend();
      } catch (const std::exception&) {
        ADD_FAILURE() << "a cancel is no std::exception";
      } catch (...) {
        ++swallowed;
      }
    }
    self.suspend();
    ADD_FAILURE() << "went on after a cancel";
  });
  f->resume();
  EXPECT_EQ(f->cancel(), outcome::cancelled);
  EXPECT_EQ(swallowed, 3);
}

WEIR_NOINLINE int& counter_of_this_thread() {
  static thread_local int counter = 0;
  asm volatile("");
  return counter;
}

FIBER_TEST(a_fiber_moves_between_threads_and_sees_each_ones_thread_locals) { // peers 18
  std::vector<int> seen;
  test_fiber f(pool_, [&](fiber& self) {
    for (;;) {
      int value = counter_of_this_thread();
      seen.push_back(value);
      if (value == 3) return;
      errno = value;
      self.suspend();
      EXPECT_EQ(errno, value);
    }
  });
  for (int i = 0; i < 4; ++i) {
    std::thread([&] {
      counter_of_this_thread() = i;
      errno = -1;
      EXPECT_EQ(f->resume(), i == 3 ? outcome::returned : outcome::suspended);
      EXPECT_EQ(errno, -1);
    }).join();
  }
  EXPECT_EQ(seen, (std::vector{0, 1, 2, 3}));
}

FIBER_TEST(an_exception_thrown_on_one_thread_is_rethrown_on_another) { // peers 19
  test_fiber f(pool_, [&](fiber& self) {
    try {
      throw std::runtime_error("moved");
    } catch (...) {
      self.suspend();
      throw;
    }
  });
  f->resume();
  std::thread([&] { EXPECT_EQ(f->resume(), outcome::failed); }).join();
  EXPECT_THROW(std::rethrow_exception(f->take_error()), std::runtime_error);
}

FIBER_TEST(stacks_return_to_the_baseline_over_many_create_and_close_cycles) {
  long ends = 0;
  // A sanitizer takes 0.3 ms to make or clear a stack; AddressSanitizer clears the shadow at each ucontext switch, too.
  constexpr int cycles = WEIR_HAS_ASAN && WEIR_PORTABLE_CONTEXT ? 1'000
                         : WEIR_HAS_ASAN || WEIR_HAS_TSAN       ? 10'000
                                                                : 100'000;
  for (int i = 0; i < cycles; ++i) {
    auto entry = [](void* counter) {
      current_fiber()->suspend();
      ++*static_cast<long*>(counter);
    };
    fiber f(pool_, entry, &ends);
    ASSERT_EQ(f.resume(), outcome::suspended);
    ASSERT_EQ(i % 2 == 0 ? f.resume() : f.cancel(), i % 2 == 0 ? outcome::returned : outcome::cancelled);
  }
  EXPECT_EQ(ends, cycles / 2);
  EXPECT_EQ(pool_.counts().in_use, 0u);
  EXPECT_EQ(pool_.counts().cached, 1u);
  EXPECT_EQ(pool_.counts().mapped_ever, 1u);
}

WEIR_NOINLINE int descend(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  return depth <= 0 ? frame[0] : descend(depth - 1) + frame[0];
}

using fiber_death_test = fiber_suite;

TEST_F(fiber_death_test, an_overflow_hits_the_guard_page) {
  test_fiber deep_enough(pool_, [](fiber&) { descend(50); });
  EXPECT_EQ(deep_enough->resume(), outcome::returned);
  test_fiber f(pool_, [](fiber&) { descend(1'000'000); });
#if WEIR_HAS_ASAN
  EXPECT_DEATH(f->resume(), "stack-overflow");
#elif WEIR_HAS_TSAN
  EXPECT_DEATH(f->resume(), "");
#else
  EXPECT_EXIT(f->resume(), testing::KilledBySignal(SIGSEGV), "");
#endif
}

TEST_F(fiber_death_test, closing_a_live_fiber_is_a_broken_contract) {
  test_fiber f(pool_, [](fiber& self) { self.suspend(); });
  f->resume();
  EXPECT_DEATH(f->close(), "cancel it and resume it to its end first");
  f->resume();
}

#if WEIR_HAS_DEBUG_CHECKS
TEST_F(fiber_death_test, a_runtime_lock_held_across_a_switch_is_named) {
  test_fiber f(pool_, [](fiber& self) {
    spin_lock lock("the timer wheel");
    lock.lock();
    self.suspend();
  });
  EXPECT_DEATH(f->resume(), "a runtime lock is held across a switch.*\n.*\n.*the timer wheel");
}
#endif

} // namespace
