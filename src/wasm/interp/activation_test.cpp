// SPDX-License-Identifier: Apache-2.0
#include "wasm/interp/activation.hpp"

#include "wasm/runtime/access.hpp"
#include "wasm/runtime/test_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <latch>
#include <set>
#include <thread>

namespace weir::wasm::detail {
namespace {

using namespace weir::wasm::testing;

const byte_string end{0x0b};
const byte_string i32_mul{0x6c};
const byte_string return_call{0x12};

/// A store with one instance, and activations to call it with.
struct stage {
  world w;
  instance guest;

  explicit stage(const test_module& m) : guest{w.instantiate(m)} {}
  store_data& store() { return access::of(w.guests); }
  func_object& function(std::string_view name) { return access::of(*guest.get_func(name)); }
};

/// Runs to the end and counts the stops on the way.
std::size_t run_to_end(activation& call) {
  for (std::size_t stops = 0;; ++stops) {
    const run_status status = call.run();
    if (status == run_status::checkpoint) continue;
    EXPECT_EQ(status, run_status::done) << call.take_error().to_string();
    return stops;
  }
}

std::uint64_t call(stage& on, std::string_view name, std::initializer_list<std::uint64_t> arguments,
                   const activation_options& options = {}) {
  activation one{on.store(), options};
  one.begin(on.function(name), std::vector<std::uint64_t>{arguments});
  run_to_end(one);
  return one.results().empty() ? 0 : one.results()[0];
}

/// sum(n): adds n, n - 1, ... 1 in a loop. down(n): the same by recursion.
test_module sums() {
  test_module m;
  const auto type = m.type({i32}, {i32});
  const byte_string loop = join(byte_string{0x03, 0x40}, local_get(1), local_get(0), i32_add, local_set(1),
                                local_get(0), i32_const(-1), i32_add, byte_string{0x22, 0, 0x0d, 0}, end, local_get(1));
  m.export_item("sum", extern_kind::function, m.function(type, loop, {i32}));
  const byte_string recursion = join(local_get(0), byte_string{0x04, 0x7f}, local_get(0), local_get(0), i32_const(-1),
                                     i32_add, testing::call(1), i32_add, byte_string{0x05}, i32_const(0), end);
  m.export_item("down", extern_kind::function, m.function(type, recursion));
  m.export_item("spin", extern_kind::function, m.function(m.type({}, {}), spin));
  return m;
}

TEST(activation, one_object_makes_many_calls) {
  stage on{sums()};
  activation one{on.store(), {}};
  for (std::uint64_t n = 1; n < 50; ++n) {
    const std::uint64_t arguments[] = {n};
    one.begin(on.function("sum"), arguments);
    ASSERT_EQ(one.run(), run_status::done);
    ASSERT_EQ(one.results().size(), 1u);
    EXPECT_EQ(one.results()[0], n * (n + 1) / 2);
  }
}

TEST(activation, each_back_edge_is_a_checkpoint) {
  stage on{sums()};
  activation one{on.store(), {.yields_everywhere = true}};
  const std::uint64_t arguments[] = {100};
  one.begin(on.function("sum"), arguments);
  EXPECT_EQ(run_to_end(one), 100u); // the call and 99 times round
  EXPECT_EQ(one.results()[0], 5050u);
}

TEST(activation, each_call_is_a_checkpoint) {
  stage on{sums()};
  activation one{on.store(), {.yields_everywhere = true}};
  const std::uint64_t arguments[] = {100};
  one.begin(on.function("down"), arguments);
  EXPECT_EQ(run_to_end(one), 101u);
  EXPECT_EQ(one.results()[0], 5050u);
}

TEST(activation, the_stack_may_move_at_every_checkpoint) {
  stage on{sums()};
  const activation_options moves{.moves_stack_everywhere = true};
  EXPECT_EQ(call(on, "sum", {1000}, moves), 500500u);
  EXPECT_EQ(call(on, "down", {1000}, moves), 500500u);
  EXPECT_EQ(call(on, "down", {1000}, {.yields_everywhere = true, .moves_stack_everywhere = true}), 500500u);
}

TEST(activation, asked_to_yield_it_stops_once) {
  stage on{sums()};
  for (const char* name : {"sum", "down"}) {
    activation one{on.store(), {}};
    const std::uint64_t arguments[] = {1000};
    one.begin(on.function(name), arguments);
    one.ask(interrupt::yield);
    EXPECT_EQ(one.run(), run_status::checkpoint);
    EXPECT_EQ(one.run(), run_status::done);
    EXPECT_EQ(one.results()[0], 500500u);
  }
}

TEST(activation, a_request_before_the_call_is_forgotten) {
  stage on{sums()};
  activation one{on.store(), {}};
  one.ask(interrupt::cancel);
  const std::uint64_t arguments[] = {10};
  one.begin(on.function("sum"), arguments);
  EXPECT_EQ(one.run(), run_status::done);
}

TEST(activation, another_thread_ends_a_loop_that_never_would) {
  stage on{sums()};
  activation one{on.store(), {}};
  one.begin(on.function("spin"), {});
  std::latch running{1};
  std::thread other{[&] {
    running.wait();
    one.ask(interrupt::yield);
    one.ask(interrupt::cancel);
  }};
  running.count_down();
  run_status status = one.run();
  if (status == run_status::checkpoint) status = one.run();
  EXPECT_EQ(status, run_status::failed);
  EXPECT_EQ(one.take_error().code, errc::interrupted);
  other.join();
}

TEST(activation, calls_go_as_deep_as_the_limit_says) {
  stage on{sums()};
  const auto deepest = [&](const activation_options& options) {
    std::uint64_t low = 0;
    std::uint64_t high = 100'000;
    while (low + 1 < high) {
      const std::uint64_t n = (low + high) / 2;
      activation one{on.store(), options};
      const std::uint64_t arguments[] = {n};
      one.begin(on.function("down"), arguments);
      const bool fits = one.run() == run_status::done;
      if (!fits) {
        EXPECT_EQ(one.take_error().trap, trap_code::call_stack_exhausted);
      }
      (fits ? low : high) = n;
    }
    return low;
  };
  EXPECT_EQ(deepest({.max_call_depth = 100}), 99u);
  EXPECT_EQ(deepest({.max_call_depth = 5000}), 4999u);
  const std::uint64_t by_slots = deepest({.max_value_slots = 3000});
  EXPECT_GT(by_slots, 300u);
  EXPECT_LT(by_slots, 3000u);
  EXPECT_EQ(deepest({.max_value_slots = 3000}), by_slots);
}

TEST(activation, a_trap_shows_the_functions_on_the_stack) {
  test_module m;
  const auto type = m.type({}, {});
  m.export_item("inner", extern_kind::function, m.function(type, unreachable));
  m.export_item("outer", extern_kind::function, m.function(type, testing::call(0)));
  stage on{m};
  activation one{on.store(), {}};
  one.begin(on.function("outer"), {});
  ASSERT_EQ(one.run(), run_status::failed);
  const error why = one.take_error();
  EXPECT_EQ(why.trap, trap_code::unreachable);
  ASSERT_EQ(why.backtrace.size(), 2u);
  EXPECT_EQ(why.backtrace[0].function_name, "inner");
  EXPECT_EQ(why.backtrace[1].function_name, "outer");
}

/// Tail calls itself `n` times.
test_module countdown() {
  test_module m;
  const auto type = m.type({i32}, {i32});
  m.export_item("run", extern_kind::function,
                m.function(type, join(local_get(0), byte_string{0x45, 0x04, 0x40}, i32_const(77), byte_string{0x0f},
                                      end, local_get(0), i32_const(-1), i32_add, return_call, byte_string{0})));
  return m;
}

TEST(activation, a_tail_call_uses_no_stack) {
  stage on{countdown()};
  EXPECT_EQ(call(on, "run", {1'000'000}, {.max_value_slots = 64, .max_call_depth = 4}), 77u);
}

TEST(activation, tail_calls_between_instances_use_no_stack) {
  world w;
  // Each of two instances tail calls whatever the table has at 1 - its own place.
  const auto half = [](std::int32_t other) {
    test_module m;
    const auto type = m.type({i32}, {i32});
    m.import_table("env", "table", {funcref, {2, std::nullopt}});
    m.export_item(
        "run", extern_kind::function,
        m.function(type, join(local_get(0), byte_string{0x45, 0x04, 0x40}, i32_const(5), byte_string{0x0f}, end,
                              local_get(0), i32_const(-1), i32_add, i32_const(other), byte_string{0x13, 0, 0})));
    m.element(1 - other, {0});
    return m;
  };
  const table shared = testing::expect(table::create(w.guests, {funcref, {2, std::nullopt}}));
  testing::expect(w.names.define("env", "table", shared));
  const instance first = w.instantiate(half(1));
  w.instantiate(half(0));
  activation one{access::of(w.guests), {.max_value_slots = 64, .max_call_depth = 4}};
  const std::uint64_t arguments[] = {100'000};
  one.begin(access::of(*first.get_func("run")), arguments);
  ASSERT_EQ(one.run(), run_status::done) << one.take_error().to_string();
  EXPECT_EQ(one.results()[0], 5u);
}

/// A host function made by hand: the runtime's need activations of its own kind.
struct host : func_object {
  explicit host(const func_type& its_type, host_entry entry) {
    type = &its_type;
    func_object::host = entry;
  }
};

const func_type one_to_one{{i32}, {i32}};

/// calls(n): the host function in the table with n, plus 1000.
struct host_stage : stage {
  host_stage() : stage{make()} {}
  static test_module make() {
    test_module m;
    const auto type = m.type({i32}, {i32});
    m.export_item("table", extern_kind::table, m.table({funcref, {1, std::nullopt}}));
    m.export_item("calls", extern_kind::function,
                  m.function(type, join(local_get(0), i32_const(0), call_indirect(type), i32_const(1000), i32_add)));
    m.export_item("tail", extern_kind::function,
                  m.function(type, join(local_get(0), i32_const(0), byte_string{0x13, 0, 0})));
    return m;
  }
  void use(host& function) {
    function.type_id = this->function("calls").type_id;
    access::of(*guest.get_table("table")).elements[0] = reinterpret_cast<std::uint64_t>(&function);
  }
};

TEST(activation, a_host_function_may_suspend_the_guest) {
  host_stage on;
  host later{one_to_one, [](func_object&, activation&, std::uint64_t*) { return host_status::suspend; }};
  on.use(later);
  for (const auto& [name, more] : {std::pair{"calls", 1000u}, std::pair{"tail", 0u}}) {
    activation one{on.store(), {}};
    const std::uint64_t arguments[] = {1};
    one.begin(on.function(name), arguments);
    ASSERT_EQ(one.run(), run_status::suspended);
    const std::uint64_t reply[] = {42};
    one.finish_host_call(reply);
    ASSERT_EQ(one.run(), run_status::done);
    EXPECT_EQ(one.results()[0], 42u + more);

    one.begin(on.function(name), arguments);
    ASSERT_EQ(one.run(), run_status::suspended);
    one.fail_host_call({.code = errc::exited, .exit_status = 3});
    ASSERT_EQ(one.run(), run_status::failed);
    EXPECT_EQ(one.take_error().exit_status, 3);
  }
}

TEST(activation, a_host_function_may_be_called_from_outside) {
  host_stage on;
  host twice{one_to_one, [](func_object&, activation& caller, std::uint64_t* slots) {
               EXPECT_EQ(caller.calling_instance(), nullptr);
               slots[0] *= 2;
               return host_status::done;
             }};
  activation one{on.store(), {}};
  const std::uint64_t arguments[] = {21};
  one.begin(twice, arguments);
  ASSERT_EQ(one.run(), run_status::done);
  EXPECT_EQ(one.results()[0], 42u);
}

TEST(activation, live_slots_hold_what_the_guest_has) {
  host_stage on;
  static std::set<std::uint64_t> seen;
  host looks{one_to_one, [](func_object&, activation& caller, std::uint64_t*) {
               caller.for_each_slot([](std::uint64_t slot) { seen.insert(slot); });
               return host_status::done;
             }};
  on.use(looks);
  EXPECT_EQ(call(on, "calls", {123456789}), 123457789u);
  EXPECT_TRUE(seen.contains(123456789));
}

TEST(activation, an_exception_that_nobody_catches_is_there_for_the_caller) {
  test_module m;
  m.tag(m.type({i32}, {}));
  m.export_item("throws", extern_kind::function, m.function(m.type({}, {}), join(i32_const(9), byte_string{0x08, 0})));
  stage on{m};
  activation one{on.store(), {}};
  one.begin(on.function("throws"), {});
  ASSERT_EQ(one.run(), run_status::failed);
  EXPECT_EQ(one.take_error().code, errc::uncaught_exception);
  ASSERT_NE(one.uncaught(), nullptr);
  EXPECT_EQ(one.uncaught()->values, (std::vector<std::uint64_t>{9}));
}

/// catches(n) calls thrower(n), which throws n; the clause jumps back to a loop until n is 0.
TEST(activation, a_clause_may_jump_back_and_is_a_checkpoint) {
  test_module m;
  const auto type = m.type({i32}, {});
  m.tag(type);
  m.export_item("thrower", extern_kind::function, m.function(type, join(local_get(0), byte_string{0x08, 0})));
  // loop (param i32) local.set 0; local.get 0; if; try_table (catch 0 to the loop) call thrower(n - 1) end; end; end
  const byte_string body =
      join(local_get(0), byte_string{0x03, 0}, local_set(0), local_get(0), byte_string{0x04, 0x40},
           byte_string{0x1f, 0x40, 1, 0, 0, 1}, local_get(0), i32_const(-1), i32_add, testing::call(0), end, end, end);
  m.export_item("catches", extern_kind::function, m.function(type, body));
  stage on{m};
  activation one{on.store(), {.yields_everywhere = true}};
  const std::uint64_t arguments[] = {50};
  one.begin(on.function("catches"), arguments);
  EXPECT_EQ(run_to_end(one), 1u + 50 + 50); // the outer call, each inner call, each catch
}

TEST(activation, bulk_operations_stop_between_chunks) {
  test_module m;
  m.export_item("memory", extern_kind::memory, m.memory({17, std::nullopt}));
  const auto type = m.type({i32, i32, i32}, {});
  const byte_string operands = join(local_get(0), local_get(1), local_get(2));
  m.export_item("fill", extern_kind::function, m.function(type, join(operands, byte_string{0xfc, 11, 0})));
  m.export_item("copy", extern_kind::function, m.function(type, join(operands, byte_string{0xfc, 10, 0, 0})));
  stage on{m};
  const std::span<std::byte> bytes = on.guest.get_memory("memory")->bytes();
  constexpr std::uint64_t mebibyte = 1 << 20;
  activation one{on.store(), {.yields_everywhere = true}};
  const std::uint64_t fill[] = {3, 0x5a, mebibyte};
  one.begin(on.function("fill"), fill);
  EXPECT_EQ(run_to_end(one), 16u); // the call and 15 times between 16 chunks
  EXPECT_EQ(bytes[2], std::byte{0});
  EXPECT_EQ(bytes[3], std::byte{0x5a});
  EXPECT_EQ(bytes[mebibyte + 2], std::byte{0x5a});
  EXPECT_EQ(bytes[mebibyte + 3], std::byte{0});

  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  std::vector<std::byte> expected{bytes.begin(), bytes.end()};
  for (const auto& [to, from] : {std::pair{1000u, 0u}, std::pair{0u, 3000u}}) {
    std::memmove(expected.data() + to, expected.data() + from, mebibyte);
    const std::uint64_t copy[] = {to, from, mebibyte};
    one.begin(on.function("copy"), copy);
    EXPECT_EQ(run_to_end(one), 16u);
    EXPECT_TRUE(std::ranges::equal(bytes, expected));
  }
}

TEST(activation, a_branch_may_carry_many_values_down) {
  // block (result six times i32): 7, then 0 1 2 3 4 5 of which the branch takes the six; each is added to ten times those before it.
  test_module m;
  const auto six = m.type({}, {i32, i32, i32, i32, i32, i32});
  const auto type = m.type({i32}, {i32});
  byte_string values = i32_const(7);
  for (std::int32_t i = 0; i < 6; ++i) append(values, join(local_get(0), i32_const(i), i32_add));
  const auto joined = [&](const byte_string& branch) {
    byte_string body = join(byte_string{0x02, static_cast<std::uint8_t>(six)}, values, branch, unreachable, end);
    for (int i = 0; i < 5; ++i) append(body, join(i32_const(10), i32_mul, i32_add));
    return m.function(type, body);
  };
  m.export_item("br", extern_kind::function, joined({0x0c, 0}));
  m.export_item("br_if", extern_kind::function, joined(join(local_get(0), byte_string{0x0d, 0})));
  m.export_item("br_table", extern_kind::function, joined(join(local_get(0), byte_string{0x0e, 1, 0, 0})));
  stage on{m};
  std::uint64_t expected = 1 + 5;
  for (std::uint64_t i = 5; i-- != 0;) expected = expected * 10 + 1 + i;
  for (const char* name : {"br", "br_if", "br_table"}) EXPECT_EQ(call(on, name, {1}), expected) << name;
}

TEST(activation, frames_may_have_more_slots_than_16_bits_number) {
  // Pushes 70,000 products, then adds them all; the topmost come from slots far above the limit.
  constexpr std::uint32_t count = 70'000;
  test_module m;
  byte_string body;
  for (std::uint32_t i = 0; i < count; ++i) append(body, join(local_get(0), local_get(1), i32_mul));
  for (std::uint32_t i = 1; i < count; ++i) append(body, i32_add);
  m.export_item("run", extern_kind::function, m.function(m.type({i32, i32}, {i32}), body));
  stage on{m};
  EXPECT_EQ(call(on, "run", {3, 5}), std::uint64_t{count} * 15);
}

} // namespace
} // namespace weir::wasm::detail
