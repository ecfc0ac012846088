// SPDX-License-Identifier: Apache-2.0
// Guests as tasks of a weir runtime.
#include "wasm/runtime/test_support.hpp"

#include <weir/checkpoint.hpp>
#include <weir/runtime.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace weir::wasm {
namespace {

using namespace testing;

// `run(n)` returns env.host(n) + 1; `spin` never ends; `count(n)` loops n times.
test_module guest_module() {
  test_module m;
  const auto unary = m.type({i32}, {i32});
  const auto host = m.import_function("env", "host", unary);
  m.export_item("run", extern_kind::function, m.function(unary, join(local_get(0), call(host), i32_const(1), i32_add)));
  m.export_item("spin", extern_kind::function, m.function(m.type({}, {}), spin));
  const byte_string again{0x22, 0x00, 0x0d, 0x00, 0x0b}; // local.tee 0, br_if 0, end
  m.export_item(
      "count", extern_kind::function,
      m.function(unary, join(byte_string{0x03, 0x40}, local_get(0), i32_const(1), i32_sub, again, local_get(0))));
  return m;
}

task<std::int32_t> yield_and_double(std::int32_t number) {
  for (int i = 0; i < 3; ++i) co_await weir::yield();
  co_return 2 * number;
}

TEST(async, a_host_coroutine_suspends_the_guest) {
  world w;
  w.names.define_function("env", "host", yield_and_double);
  const instance guest = w.instantiate(guest_module());
  runtime workers{{.permits = 1}};
  auto out = workers.block_on(guest.get_func("run")->call_async(w.guests, {value{std::int32_t{4}}}));
  EXPECT_EQ(expect(std::move(out)).at(0).i32(), 9);
}

TEST(async, typed_calls_suspend_too) {
  world w;
  w.names.define_function("env", "host", yield_and_double);
  const auto run = expect(w.instantiate(guest_module()).get_func("run")->typed<std::int32_t, std::int32_t>());
  runtime workers{{.permits = 1}};
  EXPECT_EQ(workers.block_on(run.call_async(w.guests, 10)), 21);
}

TEST(async, many_calls_are_suspended_in_one_store) {
  world w;
  w.names.define_function("env", "host", yield_and_double);
  const auto run = expect(w.instantiate(guest_module()).get_func("run")->typed<std::int32_t, std::int32_t>());
  runtime workers{{.permits = 1}};
  std::vector<join_handle<result<std::int32_t>>> calls;
  for (std::int32_t i = 0; i < 1000; ++i) calls.push_back(workers.spawn(run.call_async(w.guests, i)));
  for (std::int32_t i = 0; i < 1000; ++i) EXPECT_EQ(calls[static_cast<std::size_t>(i)].wait().value(), 2 * i + 1);
}

TEST(async, a_coroutine_with_a_caller_reaches_the_guest_after_it_was_suspended) {
  world w;
  w.names.define_function("env", "host", [](caller& from, std::int32_t number) -> task<std::int32_t> {
    co_await weir::yield();
    const auto back = from.get_func("count");
    std::vector<value> arguments(1, value{number}); // GCC 12 takes no braces inside co_await
    auto out = co_await back->call_async(from.owner(), std::move(arguments));
    co_return out->at(0).i32() + number;
  });
  const auto run = expect(w.instantiate(guest_module()).get_func("run")->typed<std::int32_t, std::int32_t>());
  runtime workers{{.permits = 1}};
  EXPECT_EQ(workers.block_on(run.call_async(w.guests, 1000)), 1001);
}

TEST(async, an_exception_of_a_host_coroutine_reaches_the_awaiter) {
  world w;
  w.names.define_function("env", "host", [](std::int32_t number) -> task<std::int32_t> {
    co_await weir::yield();
    if (number != 0) throw std::runtime_error{"later"};
    co_return number;
  });
  const auto run = expect(w.instantiate(guest_module()).get_func("run")->typed<std::int32_t, std::int32_t>());
  runtime workers{{.permits = 1}};
  EXPECT_THROW((void)workers.block_on(run.call_async(w.guests, 1)), std::runtime_error);
  EXPECT_EQ(workers.block_on(run.call_async(w.guests, 0)), 1);
}

TEST(async, an_error_of_a_host_coroutine_ends_the_guest) {
  world w;
  w.names.define_function("env", "host", [](std::int32_t status) -> task<result<std::int32_t>> {
    co_await weir::yield();
    co_return std::unexpected(error{.code = errc::exited, .message = {}, .exit_status = status});
  });
  const auto run = expect(w.instantiate(guest_module()).get_func("run")->typed<std::int32_t, std::int32_t>());
  runtime workers{{.permits = 1}};
  EXPECT_EQ(workers.block_on(run.call_async(w.guests, 3)).error().exit_status, 3);
}

TEST(async, a_guest_that_never_ends_gives_way_on_one_permit) {
  world spinning;
  world short_lived;
  spinning.names.define_function("env", "host", yield_and_double);
  short_lived.names.define_function("env", "host", yield_and_double);
  const instance endless = spinning.instantiate(guest_module());
  const instance brief = short_lived.instantiate(guest_module());
  interrupt_handle stop = spinning.guests.interrupts();
  runtime workers{{.permits = 1}};
  auto first = workers.spawn(endless.get_func("spin")->call_async(spinning.guests));
  auto second =
      workers.spawn(brief.get_func("count")->call_async(short_lived.guests, {value{std::int32_t{1'000'000}}}));
  EXPECT_TRUE(second.wait().value());
  EXPECT_FALSE(first.is_done());
  stop.cancel();
  EXPECT_EQ(first.wait().value().error().code, errc::interrupted);
}

TEST(async, an_aborted_task_drops_its_guest_and_the_store_is_good_afterwards) {
  world w;
  w.names.define_function("env", "host", [](std::int32_t number) -> task<std::int32_t> {
    while (number == 0) co_await weir::yield();
    co_return number;
  });
  const auto run = expect(w.instantiate(guest_module()).get_func("run")->typed<std::int32_t, std::int32_t>());
  runtime workers{{.permits = 1}};
  auto call = workers.spawn(run.call_async(w.guests, 0));
  call.abort();
  EXPECT_TRUE(call.wait().is_stopped());
  EXPECT_EQ(workers.block_on(run.call_async(w.guests, 1)), 2);
}

TEST(async, guests_in_stores_of_their_own_run_on_many_threads) {
  const engine machine;
  linker names{machine};
  names.define_function("env", "host", yield_and_double);
  const wasm::module blueprint = compile(machine, guest_module());
  runtime workers{{.permits = 4}};
  const auto one = [](const linker* from, wasm::module what, std::int32_t number) -> task<std::int32_t> {
    store guests{from->owner()};
    const instance guest = expect(co_await from->instantiate_async(guests, what));
    const auto run = expect(guest.get_func("run")->typed<std::int32_t, std::int32_t>());
    std::int32_t sum = 0;
    for (int i = 0; i < 20; ++i) sum += expect(co_await run.call_async(guests, number));
    co_return sum;
  };
  std::vector<join_handle<std::int32_t>> guests;
  for (std::int32_t i = 0; i < 64; ++i) guests.push_back(workers.spawn(one(&names, blueprint, i)));
  for (std::int32_t i = 0; i < 64; ++i) EXPECT_EQ(guests[static_cast<std::size_t>(i)].wait().value(), 20 * (2 * i + 1));
}

TEST(async, a_start_function_may_suspend) {
  world w;
  w.names.define_function("env", "wait", []() -> task<void> { co_await weir::yield(); });
  test_module m;
  const auto nothing = m.type({}, {});
  const auto wait = m.import_function("env", "wait", nothing);
  const auto seen = m.global({i32, true}, i32_const(0));
  m.export_item("seen", extern_kind::global, seen);
  m.start(m.function(nothing, join(call(wait), i32_const(1), global_set(seen))));
  EXPECT_EQ(w.try_instantiate(m).error().code, errc::would_suspend);
  runtime workers{{.permits = 1}};
  auto made = workers.block_on(w.names.instantiate_async(w.guests, compile(w.machine, m)));
  EXPECT_EQ(expect(std::move(made)).get_global("seen")->get().i32(), 1);
}

TEST(async, inside_a_task_a_synchronous_call_cannot_wait_and_leaves_the_task_alone) {
  world w;
  w.names.define_function("env", "host", yield_and_double);
  const auto run = expect(w.instantiate(guest_module()).get_func("run")->typed<std::int32_t, std::int32_t>());
  runtime workers{{.permits = 1}};
  const auto body = [](store* guests, typed_func<std::int32_t(std::int32_t)> call) -> task<errc> {
    const errc inner = call.call(*guests, 1).error().code;
    co_await weir::yield();
    co_return inner;
  };
  EXPECT_EQ(workers.block_on(body(&w.guests, run)), errc::would_suspend);
}

TEST(async, every_checkpoint_and_every_stack_may_move) {
  for (const bool moves : {false, true}) {
    world w{{.yields_everywhere = !moves, .moves_stack_everywhere = moves}};
    w.names.define_function("env", "host", yield_and_double);
    const instance guest = w.instantiate(guest_module());
    runtime workers{{.permits = 1}};
    EXPECT_EQ(expect(workers.block_on(guest.get_func("count")->call_async(w.guests, {value{std::int32_t{1000}}})))
                  .at(0)
                  .i32(),
              0);
    EXPECT_EQ(
        expect(workers.block_on(guest.get_func("run")->call_async(w.guests, {value{std::int32_t{1}}}))).at(0).i32(), 3);
  }
}

} // namespace
} // namespace weir::wasm
