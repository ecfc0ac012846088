// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/test_support.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <tuple>

namespace weir::wasm {
namespace {

using namespace testing;

// A module that imports `env.host` and calls it with its own parameters.
test_module forwarder(const std::vector<value_type>& params, const std::vector<value_type>& results) {
  test_module m;
  const auto type = m.type(params, results);
  const auto host = m.import_function("env", "host", type);
  byte_string body;
  for (std::size_t i = 0; i < params.size(); ++i) append(body, local_get(static_cast<std::uint32_t>(i)));
  append(body, call(host));
  m.export_item("run", extern_kind::function, m.function(type, body));
  m.export_item("memory", extern_kind::memory, m.memory({1, std::nullopt}));
  return m;
}

template <class Host> result<std::vector<value>> run(world& w, Host host, const std::vector<value>& arguments) {
  const func_type type = func::wrap(w.guests, host).type();
  w.names.define_function("env", "host", std::move(host));
  return w.instantiate(forwarder(type.params, type.results)).get_func("run")->call(w.guests, arguments);
}

TEST(host_function, types_follow_from_the_callable) {
  world w;
  EXPECT_EQ(func::wrap(w.guests, [](std::int32_t, double, float) { return std::int64_t{1}; }).type(),
            (func_type{{i32, f64, f32}, {i64}}));
  EXPECT_EQ(func::wrap(w.guests,
                       [](caller&, std::uint32_t) -> result<std::tuple<float, std::uint64_t>> {
                         return std::tuple{1.0f, std::uint64_t{2}};
                       })
                .type(),
            (func_type{{i32}, {f32, i64}}));
  EXPECT_EQ(func::wrap(w.guests, +[](double) noexcept {}).type(), (func_type{{f64}, {}}));
  EXPECT_EQ(func::wrap(w.guests, [](std::int32_t) -> task<result<std::int32_t>> { co_return 1; }).type(),
            (func_type{{i32}, {i32}}));
}

TEST(host_function, arguments_and_results_pass_through_the_guest) {
  world w;
  const auto out =
      expect(run(w, [](std::int32_t a, double b, float c, std::int64_t d) { return std::tuple{d, c, b, a}; },
                 {value{std::int32_t{-1}}, value{2.5}, value{-0.0f}, value{std::int64_t{1} << 40}}));
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(out[0].i64(), std::int64_t{1} << 40);
  EXPECT_EQ(out[1].bits, 0x8000'0000u);
  EXPECT_EQ(out[2].f64(), 2.5);
  EXPECT_EQ(out[3].i32(), -1);
}

TEST(host_function, the_caller_gives_the_guests_memory_and_the_stores_data) {
  world w;
  std::string seen;
  w.guests.set_user_data(&seen);
  run(w,
      [](caller& from, std::uint32_t at, std::uint32_t size) {
        const auto bytes = from.get_memory()->bytes();
        std::memcpy(bytes.data() + at, "hi", 2);
        static_cast<std::string*>(from.user_data())->assign(reinterpret_cast<const char*>(bytes.data()) + at, size);
      },
      {value{8u}, value{2u}});
  EXPECT_EQ(seen, "hi");
}

TEST(host_function, called_from_outside_there_is_no_calling_instance) {
  world w;
  bool has_memory = true;
  const func host = func::wrap(w.guests, [&](caller& from) { has_memory = from.get_memory().has_value(); });
  ASSERT_TRUE(host.call(w.guests));
  EXPECT_FALSE(has_memory);
}

TEST(host_function, an_error_ends_the_guest_and_reaches_the_caller_as_it_is) {
  world w;
  const auto out = run(w,
                       [](std::int32_t status) -> result<void> {
                         return std::unexpected(error{.code = errc::exited, .message = "done", .exit_status = status});
                       },
                       {value{std::int32_t{7}}});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, errc::exited);
  EXPECT_EQ(out.error().exit_status, 7);
  EXPECT_EQ(out.error().message, "done");
}

TEST(host_function, a_result_without_error_goes_on) {
  world w;
  EXPECT_EQ(expect(run(w, [](std::int32_t a) -> result<std::int32_t> { return a * 2; }, {value{std::int32_t{21}}}))
                .at(0)
                .i32(),
            42);
}

TEST(host_function, a_thrown_exception_leaves_the_call_unchanged) {
  world w;
  EXPECT_THROW(run(w, [](std::int32_t) { throw std::out_of_range{"thrown by the host"}; }, {value{std::int32_t{1}}}),
               std::out_of_range);
  // The store is good for further calls.
  EXPECT_EQ(expect(run(w, [](std::int32_t a) { return a; }, {value{std::int32_t{5}}})).at(0).i32(), 5);
}

TEST(host_function, a_coroutine_that_finishes_at_once_serves_a_synchronous_call) {
  world w;
  EXPECT_EQ(expect(run(w, [](std::int32_t a) -> task<std::int32_t> { co_return a + 1; }, {value{std::int32_t{1}}}))
                .at(0)
                .i32(),
            2);
  const auto failed = run(w,
                          [](std::int32_t) -> task<result<void>> {
                            co_return std::unexpected(error{.code = errc::host_error, .message = "no"});
                          },
                          {value{std::int32_t{1}}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no");
  EXPECT_THROW(run(w,
                   [](std::int32_t) -> task<void> {
                     throw std::runtime_error{"from a coroutine"};
                     co_return;
                   },
                   {value{std::int32_t{1}}}),
               std::runtime_error);
}

TEST(host_function, untyped_functions_check_their_results) {
  world w;
  const func_type type{{i32}, {i32}};
  const func good = func::create(w.guests, type, [](caller&, std::span<const value> in) -> result<std::vector<value>> {
    return std::vector{in[0]};
  });
  EXPECT_EQ(expect(good.call(w.guests, std::vector{value{std::int32_t{3}}})).at(0).i32(), 3);
  const func bad = func::create(w.guests, type, [](caller&, std::span<const value>) -> result<std::vector<value>> {
    return std::vector{value{1.0}};
  });
  const auto out = bad.call(w.guests, std::vector{value{std::int32_t{3}}});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, errc::type_mismatch);
  EXPECT_EQ(out.error().message, "the results of a host function must be (i32), but they are (f64)");
}

} // namespace
} // namespace weir::wasm
