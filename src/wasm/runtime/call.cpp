// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/call.hpp"

#include "wasm/runtime/access.hpp"
#include "wasm/runtime/host_call.hpp"
#include "wasm/runtime/inline_run.hpp"
#include "wasm/runtime/values.hpp"

#include <weir/check.hpp>
#include <weir/checkpoint.hpp>
#include <weir/detail/preempt.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace weir::wasm {

namespace detail {

call_lease::call_lease(store_data& store) : store_{&store}, call_{&store.begin_call()} {}

call_lease::~call_lease() { store_->end_call(*call_, is_idle_); }

void call_lease::begin(func_object& function, std::span<const std::uint64_t> arguments) {
  is_idle_ = false;
  call_->begin(function, arguments);
  store_->interrupts()->renew(*call_);
}

run_status call_lease::run() {
  const store_entry entry{*store_};
  const run_status status = call_->run();
  is_idle_ = status == run_status::done;
  return status;
}

error call_lease::take_failure() {
  error why = call_->take_error();
  is_idle_ = true;
  if (call_->thrown) std::rethrow_exception(std::exchange(call_->thrown, nullptr));
  return why;
}

task<host_values> call_lease::take_pending() {
  task<host_values> rest = std::move(*call_->pending);
  call_->pending.reset();
  return rest;
}

namespace {

error cannot_suspend() {
  return error{.code = errc::would_suspend,
               .message =
                   "a host coroutine did not finish at once; call the guest with call_async() or instantiate_async()"};
}

// One level of nesting of synchronous calls in a store.
class nesting {
public:
  explicit nesting(unsigned& depth) : depth_{depth} { ++depth_; }
  nesting(const nesting&) = delete;
  nesting& operator=(const nesting&) = delete;
  ~nesting() { --depth_; }

private:
  unsigned& depth_;
};

// False: the call must end with would_suspend. The coroutine is polled by the thread, also where the call is made by a
// fiber.
bool finish_inline(store_data& store, call_lease& call) {
  const store_loan to_thread{store};
  std::optional<host_values> out = run_inline(call.take_pending());
  if (!out) return false;
  call.resume(std::move(*out));
  return true;
}

} // namespace

void call_lease::resume(host_values outcome) {
  if (outcome)
    call_->finish_host_call(*outcome);
  else
    call_->fail_host_call(std::move(outcome).error());
}

result<void> call(store_data& store, func_object& function, std::span<const std::uint64_t> arguments,
                  std::span<std::uint64_t> results) {
  const store_entry entry{store};
  if (store.nested_calls >= max_nested_calls) return std::unexpected(make_trap(trap_code::call_stack_exhausted));
  const nesting level{store.nested_calls};
  call_lease guest{store};
  guest.begin(function, arguments);
  for (;;) {
    switch (guest.run()) {
    case run_status::done: std::ranges::copy(guest->results(), results.begin()); return {};
    case run_status::checkpoint: break;
    case run_status::suspended:
      if (!finish_inline(store, guest)) return std::unexpected(cannot_suspend());
      break;
    case run_status::failed: return std::unexpected(guest.take_failure());
    }
  }
}

namespace {

run_status run_preemptibly(call_lease& guest) {
  const weir::detail::preempt_scope scope{*guest};
  return guest.run();
}

} // namespace

task<host_values> call_async(store_data* store, func_object* function, std::vector<std::uint64_t> arguments) {
  call_lease guest{*store};
  guest.begin(*function, arguments);
  for (;;) {
    switch (run_preemptibly(guest)) {
    case run_status::done: {
      const auto results = guest->results();
      co_return std::vector<std::uint64_t>(results.begin(), results.end());
    }
    case run_status::checkpoint: co_await weir::detail::yield_as_asked(); break;
    case run_status::suspended: guest.resume(co_await guest.take_pending()); break;
    case run_status::failed: co_return std::unexpected(guest.take_failure());
    }
  }
}

} // namespace detail

using detail::access;

func func::create(store& owner, func_type type, untyped_function callable) {
  auto adapter = detail::make_untyped(type, std::move(callable));
  return create(owner, std::move(type), std::move(adapter));
}

func func::create(store& owner, func_type type, std::shared_ptr<detail::host_function> callable) {
  detail::store_data& store = access::of(owner);
  return access::make(
      store.host_function_of(detail::make_host_definition(store.engine(), std::move(type), std::move(callable))));
}

func_type func::type() const { return *object_->type; }

value func::to_value() const { return {funcref, detail::reference_to(object_)}; }

std::optional<func> func::from_value(value reference) {
  WEIR_CHECK(reference.type == funcref, "only a funcref names a function", reference.type.code);
  if (reference.is_null()) return std::nullopt;
  return func{detail::referent<detail::func_object>(reference.bits)};
}

result<void> func::check_type(const func_type& expected) const {
  if (*object_->type == expected) return {};
  return std::unexpected(
      error{.code = errc::type_mismatch,
            .message = "the function is " + to_string(*object_->type) + ", not " + to_string(expected)});
}

namespace {
detail::store_data& checked_store(store& owner, const detail::func_object& function) {
  detail::store_data& data = access::of(owner);
  WEIR_CHECK(function.store == &data, "a function is called with another store than its own");
  return data;
}

result<void> check_arguments(const detail::store_data& store, const detail::func_object& function,
                             std::span<const value> arguments) {
  return detail::check_values(store, function.type->params, arguments, "the arguments of the call");
}

task<result<std::vector<value>>> failed(error why) { co_return std::unexpected(std::move(why)); }

task<result<std::vector<value>>> with_types(task<detail::host_values> call, const func_type* type) {
  auto out = co_await std::move(call);
  if (!out) co_return std::unexpected(std::move(out).error());
  co_return detail::to_values(type->results, *out);
}
} // namespace

result<std::vector<value>> func::call(store& owner, std::span<const value> arguments) const {
  detail::store_data& store = checked_store(owner, *object_);
  if (auto checked = check_arguments(store, *object_, arguments); !checked)
    return std::unexpected(std::move(checked).error());
  std::vector<std::uint64_t> results(object_->type->results.size());
  if (auto called = detail::call(store, *object_, detail::to_slots(arguments), results); !called)
    return std::unexpected(std::move(called).error());
  return detail::to_values(object_->type->results, results);
}

task<result<std::vector<value>>> func::call_async(store& owner, std::vector<value> arguments) const {
  detail::store_data& store = checked_store(owner, *object_);
  if (auto checked = check_arguments(store, *object_, arguments); !checked) return failed(std::move(checked).error());
  return with_types(detail::call_async(&store, object_, detail::to_slots(arguments)), object_->type);
}

result<void> func::call_slots(store& owner, std::span<const std::uint64_t> arguments,
                              std::span<std::uint64_t> results) const {
  return detail::call(checked_store(owner, *object_), *object_, arguments, results);
}

task<detail::host_values> func::call_slots_async(store& owner, std::vector<std::uint64_t> arguments) const {
  return detail::call_async(&checked_store(owner, *object_), object_, std::move(arguments));
}

} // namespace weir::wasm
