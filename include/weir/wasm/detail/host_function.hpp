// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns a C++ callable into a host function. A call costs one virtual call beyond the callable itself; a coroutine is
// started by whoever drives the guest, not here.
#include <weir/task.hpp>
#include <weir/wasm/caller.hpp>
#include <weir/wasm/detail/typed_call.hpp>
#include <weir/wasm/error.hpp>
#include <weir/wasm/value.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace weir::wasm::detail {

struct host_definition;

/// The values of a host coroutine, or the error that ends the guest.
using host_values = result<std::vector<std::uint64_t>>;

enum class host_reply : std::uint8_t { done, failed, suspended };

/// A host function without its type. Arguments come in `slots` and results go to the same place.
class host_function {
public:
  host_function() = default;
  host_function(const host_function&) = delete;
  host_function& operator=(const host_function&) = delete;
  virtual ~host_function() = default;
  virtual host_reply invoke(caller& from, std::uint64_t* slots) = 0;
};

/// What adapters may do to the call they serve.
struct host_access {
  static host_reply fail(caller& from, error why);
  static host_reply suspend(caller& from, task<host_values> rest);
  /// A caller with the lifetime of a coroutine.
  static caller clone(const caller& from);
};

/// The outermost layers of a host function's return type.
template <class R> struct reply_traits {
  using plain = R;
  static constexpr bool can_fail = false;
  static constexpr bool suspends = false;
};
template <class R> struct reply_traits<result<R>> {
  using plain = R;
  static constexpr bool can_fail = true;
  static constexpr bool suspends = false;
};
template <class R> struct reply_traits<task<R>> {
  using plain = typename reply_traits<R>::plain;
  static constexpr bool can_fail = reply_traits<R>::can_fail;
  static constexpr bool suspends = true;
};

/// The signature of a callable with exactly one.
template <class Callable> struct callable_traits : callable_traits<decltype(&Callable::operator())> {};
template <class R, class... A> struct callable_traits<R (*)(A...)> {
  using reply = R;
  using arguments = std::tuple<A...>;
};
template <class R, class... A> struct callable_traits<R (*)(A...) noexcept> : callable_traits<R (*)(A...)> {};
template <class C, class R, class... A> struct callable_traits<R (C::*)(A...)> : callable_traits<R (*)(A...)> {};
template <class C, class R, class... A> struct callable_traits<R (C::*)(A...) const> : callable_traits<R (*)(A...)> {};
template <class C, class R, class... A>
struct callable_traits<R (C::*)(A...) noexcept> : callable_traits<R (*)(A...)> {};
template <class C, class R, class... A>
struct callable_traits<R (C::*)(A...) const noexcept> : callable_traits<R (*)(A...)> {};

template <class Arguments> struct argument_traits;
template <class... A> struct argument_traits<std::tuple<caller&, A...>> {
  using values = std::tuple<A...>;
  static constexpr bool wants_caller = true;
};
template <class... A> struct argument_traits<std::tuple<A...>> {
  using values = std::tuple<A...>;
  static constexpr bool wants_caller = false;
};

template <class Callable, class Values> class host_adapter_impl;

template <class Callable>
using host_adapter =
    host_adapter_impl<Callable, typename argument_traits<typename callable_traits<Callable>::arguments>::values>;

template <class Callable, class... A> class host_adapter_impl<Callable, std::tuple<A...>> final : public host_function {
  using signature = callable_traits<Callable>;
  using reply = reply_traits<typename signature::reply>;
  using plain = typename reply::plain;
  static constexpr bool wants_caller = argument_traits<typename signature::arguments>::wants_caller;
  static_assert(!reply::suspends || (!std::is_reference_v<A> && ...),
                "the parameters of a host coroutine must be values: they outlive the call that made them");
  static_assert((wasm_value<std::remove_cvref_t<A>> && ...), "each parameter must be a type that value_traits knows");

public:
  explicit host_adapter_impl(Callable callable) : callable_{std::move(callable)} {}

  static func_type type() { return signature_of<plain, std::remove_cvref_t<A>...>(); }

  host_reply invoke(caller& from, std::uint64_t* slots) override {
    return unpack(from, slots, std::index_sequence_for<A...>{});
  }

private:
  template <std::size_t... I> host_reply unpack(caller& from, std::uint64_t* slots, std::index_sequence<I...>) {
    if constexpr (reply::suspends)
      return host_access::suspend(from, drive(&callable_, host_access::clone(from), argument<A>(slots[I])...));
    else if constexpr (reply::can_fail)
      return store_result(from, slots, call(callable_, from, argument<A>(slots[I])...));
    else if constexpr (std::is_void_v<plain>)
      call(callable_, from, argument<A>(slots[I])...);
    else
      result_traits<plain>::write(call(callable_, from, argument<A>(slots[I])...), slots);
    return host_reply::done;
  }

  template <class T> static std::remove_cvref_t<T> argument(std::uint64_t bits) {
    return value_traits<std::remove_cvref_t<T>>::from_bits(bits);
  }

  static decltype(auto) call(Callable& callable, caller& from, std::remove_cvref_t<A>... arguments) {
    if constexpr (wants_caller)
      return callable(from, std::move(arguments)...);
    else
      return callable(std::move(arguments)...);
  }

  static host_reply store_result(caller& from, std::uint64_t* slots, result<plain> outcome) {
    if (!outcome) return host_access::fail(from, std::move(outcome).error());
    if constexpr (!std::is_void_v<plain>) result_traits<plain>::write(*outcome, slots);
    return host_reply::done;
  }

  // The callable lives as long as the store; the caller lives in this frame.
  static task<host_values> drive(Callable* callable, caller from, std::remove_cvref_t<A>... arguments) {
    std::vector<std::uint64_t> out(result_traits<plain>::count);
    if constexpr (reply::can_fail) {
      result<plain> outcome = co_await call(*callable, from, std::move(arguments)...);
      if (!outcome) co_return std::unexpected(std::move(outcome).error());
      if constexpr (!std::is_void_v<plain>) result_traits<plain>::write(*outcome, out.data());
    } else if constexpr (std::is_void_v<plain>) {
      co_await call(*callable, from, std::move(arguments)...);
    } else {
      result_traits<plain>::write(co_await call(*callable, from, std::move(arguments)...), out.data());
    }
    co_return out;
  }

  Callable callable_;
};

} // namespace weir::wasm::detail
