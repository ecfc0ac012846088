// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/test_support.hpp"

#include <weir/checkpoint.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

namespace weir::wasm {
namespace {

using namespace testing;

// `run` calls `env.host` without arguments and returns what it returned plus one; `spin` never ends.
test_module caller_of_host() {
  test_module m;
  const auto number = m.type({}, {i32});
  const auto host = m.import_function("env", "host", number);
  m.export_item("run", extern_kind::function, m.function(number, join(call(host), i32_const(1), i32_add)));
  m.export_item("spin", extern_kind::function, m.function(m.type({}, {}), spin));
  return m;
}

std::int32_t run(world& w, const instance& guest) { return expect(guest.get_func("run")->call(w.guests)).at(0).i32(); }

TEST(call, arguments_of_other_types_are_refused) {
  world w;
  test_module m;
  m.export_item("f", extern_kind::function, m.function(m.type({i32, i64}, {}), {}));
  const func f = *w.instantiate(m).get_func("f");
  EXPECT_EQ(f.call(w.guests).error().message, "the arguments of the call must be (i32, i64), but they are ()");
  const std::vector<value> wrong{value{1.0f}, value{std::int64_t{1}}};
  EXPECT_EQ(f.call(w.guests, wrong).error().code, errc::type_mismatch);
  const auto typed = f.typed<void, std::int32_t>();
  ASSERT_FALSE(typed);
  EXPECT_EQ(typed.error().message, "the function is (i32, i64) -> (), not (i32) -> ()");
}

TEST(call, a_trap_has_its_reason_and_the_functions_on_the_stack) {
  world w;
  test_module m;
  const auto type = m.type({}, {});
  const auto inner = m.function(type, unreachable);
  m.export_item("outer", extern_kind::function, m.function(type, call(inner)));
  const auto out = w.instantiate(m).get_func("outer")->call(w.guests);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, errc::trap);
  EXPECT_EQ(out.error().trap, trap_code::unreachable);
  EXPECT_EQ(out.error().message, "unreachable");
  ASSERT_EQ(out.error().backtrace.size(), 2u);
  EXPECT_EQ(out.error().backtrace[0].function_index, inner);
  EXPECT_EQ(out.error().backtrace[1].function_name, "outer");
}

TEST(call, endless_recursion_traps) {
  world w;
  test_module m;
  const auto type = m.type({}, {});
  m.export_item("f", extern_kind::function, m.function(type, call(0)));
  const func f = *w.instantiate(m).get_func("f");
  for (int round = 0; round < 3; ++round) EXPECT_EQ(f.call(w.guests).error().trap, trap_code::call_stack_exhausted);
}

TEST(call, a_host_function_calls_back_into_the_guest) {
  world w;
  func* back = nullptr;
  w.names.define_function("env", "host", [&](caller& from) -> result<std::int32_t> {
    auto out = back->call(from.owner());
    if (!out) return std::unexpected(std::move(out).error());
    return 10 * out->at(0).i32();
  });
  test_module m = caller_of_host();
  m.export_item("seven", extern_kind::function, m.function(m.type({}, {i32}), i32_const(7)));
  const instance guest = w.instantiate(m);
  func seven = *guest.get_func("seven");
  back = &seven;
  EXPECT_EQ(run(w, guest), 71);
}

TEST(call, a_trap_of_an_inner_call_ends_the_outer_one_when_the_host_passes_it_on) {
  world w;
  instance* self = nullptr;
  w.names.define_function("env", "host", [&](caller& from) -> result<std::int32_t> {
    auto out = self->get_func("fail")->call(from.owner());
    return std::unexpected(std::move(out).error());
  });
  test_module m = caller_of_host();
  m.export_item("fail", extern_kind::function, m.function(m.type({}, {}), unreachable));
  instance guest = w.instantiate(m);
  self = &guest;
  EXPECT_EQ(guest.get_func("run")->call(w.guests).error().trap, trap_code::unreachable);
}

TEST(call, an_exception_crosses_two_levels_of_guests) {
  world w;
  instance* self = nullptr;
  int depth = 0;
  w.names.define_function("env", "host", [&](caller& from) -> std::int32_t {
    if (++depth == 3) throw std::runtime_error{"deep"};
    return expect(self->get_func("run")->call(from.owner())).at(0).i32();
  });
  instance guest = w.instantiate(caller_of_host());
  self = &guest;
  EXPECT_THROW((void)guest.get_func("run")->call(w.guests), std::runtime_error);
  EXPECT_EQ(depth, 3);
  depth = 5;
  w.names.define_function("env", "host", [] { return std::int32_t{1}; });
  EXPECT_EQ(run(w, w.instantiate(caller_of_host())), 2);
}

TEST(call, endless_recursion_through_the_host_traps) {
  world w;
  instance* self = nullptr;
  int depth = 0;
  w.names.define_function("env", "host", [&](caller& from) -> result<std::int32_t> {
    ++depth;
    auto out = self->get_func("run")->call(from.owner());
    if (!out) return std::unexpected(std::move(out).error());
    return 1;
  });
  instance guest = w.instantiate(caller_of_host());
  self = &guest;
  EXPECT_EQ(guest.get_func("run")->call(w.guests).error().trap, trap_code::call_stack_exhausted);
  EXPECT_EQ(depth, 100);
}

TEST(call, a_coroutine_that_suspends_cannot_serve_a_synchronous_call) {
  world w;
  bool is_destroyed = false;
  struct mark {
    bool* flag;
    ~mark() { *flag = true; }
  };
  w.guests.set_user_data(&is_destroyed);
  w.names.define_function("env", "host", [](caller& from) -> task<std::int32_t> {
    const mark at_end{static_cast<bool*>(from.user_data())};
    co_await std::suspend_always{};
    co_return 1;
  });
  const instance guest = w.instantiate(caller_of_host());
  EXPECT_EQ(guest.get_func("run")->call(w.guests).error().code, errc::would_suspend);
  EXPECT_TRUE(is_destroyed);
  w.names.define_function("env", "host", [] { return std::int32_t{1}; });
  EXPECT_EQ(run(w, w.instantiate(caller_of_host())), 2);
}

TEST(call, cancelling_from_another_thread_ends_a_loop_and_every_later_call) {
  world w;
  w.names.define_function("env", "host", [] { return std::int32_t{1}; });
  const instance guest = w.instantiate(caller_of_host());
  EXPECT_EQ(run(w, guest), 2);
  interrupt_handle stop = w.guests.interrupts();
  std::thread other{[&] { stop.cancel(); }};
  const auto out = guest.get_func("spin")->call(w.guests);
  other.join();
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, errc::interrupted);
  EXPECT_TRUE(stop.is_cancelled());
  EXPECT_EQ(guest.get_func("spin")->call(w.guests).error().code, errc::interrupted);
}

TEST(call, cancelling_ends_inner_and_outer_calls) {
  world w;
  instance* self = nullptr;
  errc inner{};
  interrupt_handle stop = w.guests.interrupts();
  w.names.define_function("env", "host", [&](caller& from) -> std::int32_t {
    std::thread{[&] { stop.cancel(); }}.join();
    inner = self->get_func("spin")->call(from.owner()).error().code;
    return 0;
  });
  test_module m;
  const auto host = m.import_function("env", "host", m.type({}, {i32}));
  const auto nothing = m.type({}, {});
  m.export_item("spin", extern_kind::function, m.function(nothing, spin));
  m.export_item("outer", extern_kind::function, m.function(nothing, join(call(host), drop, spin)));
  instance guest = w.instantiate(m);
  self = &guest;
  EXPECT_EQ(guest.get_func("outer")->call(w.guests).error().code, errc::interrupted);
  EXPECT_EQ(inner, errc::interrupted);
}

TEST(call, an_interrupt_handle_may_outlive_its_store) {
  std::optional<interrupt_handle> stop;
  {
    world w;
    w.names.define_function("env", "host", [] { return std::int32_t{1}; });
    EXPECT_EQ(run(w, w.instantiate(caller_of_host())), 2);
    stop = w.guests.interrupts();
  }
  stop->cancel();
  EXPECT_TRUE(stop->is_cancelled());
}

TEST(call, a_moved_store_keeps_its_guests) {
  world w;
  w.names.define_function("env", "host", [] { return std::int32_t{1}; });
  const instance guest = w.instantiate(caller_of_host());
  store moved = std::move(w.guests);
  EXPECT_EQ(expect(guest.get_func("run")->call(moved)).at(0).i32(), 2);
}

TEST(call_death, two_threads_in_one_store_end_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        world w;
        const instance* self = nullptr;
        w.names.define_function("env", "host", [&] {
          std::thread{[&] { (void)self->get_func("spin")->call(w.guests); }}.join();
          return std::int32_t{1};
        });
        const instance guest = w.instantiate(caller_of_host());
        self = &guest;
        (void)guest.get_func("run")->call(w.guests);
      },
      "two threads use one store at the same time");
}

TEST(call_death, a_store_may_not_go_while_a_call_runs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const engine machine;
        linker names{machine};
        auto guests = std::make_unique<store>(machine);
        names.define_function("env", "host", [&] {
          guests.reset();
          return std::int32_t{1};
        });
        const instance guest = expect(names.instantiate(*guests, compile(machine, caller_of_host())));
        (void)guest.get_func("run")->call(*guests);
      },
      "a store is destroyed while calls into its guests run");
}

} // namespace
} // namespace weir::wasm
