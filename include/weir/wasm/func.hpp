// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/task.hpp>
#include <weir/wasm/caller.hpp>
#include <weir/wasm/detail/host_function.hpp>
#include <weir/wasm/detail/typed_call.hpp>
#include <weir/wasm/error.hpp>
#include <weir/wasm/store.hpp>
#include <weir/wasm/types.hpp>
#include <weir/wasm/value.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace weir::wasm {

namespace detail {
struct func_object;
} // namespace detail

template <class Signature> class typed_func;

/// A host function whose type is known at run time only. The values it returns must be of the function type's result
/// types.
using untyped_function = std::function<result<std::vector<value>>(caller&, std::span<const value>)>;

/// A function of a store, the guest's or the host's. A copy names the same function.
///
/// Thread:   the store's.
/// Lifetime: of the store.
class func {
public:
  /// Makes a function of the host's from a plain callable or a coroutine; see linker::define_function() for the rules.
  template <class Callable> static func wrap(store& owner, Callable&& callable) {
    using adapter = detail::host_adapter<std::decay_t<Callable>>;
    return create(owner, adapter::type(), std::make_shared<adapter>(std::forward<Callable>(callable)));
  }
  /// Makes a function of the host's of a type known at run time.
  static func create(store& owner, func_type type, untyped_function callable);

  func_type type() const;

  /// Calls the function and waits for its results on this thread.
  ///
  /// A C++ exception thrown by a host function leaves through this call unchanged.
  ///
  /// Errors: errc::type_mismatch for the arguments; whatever ended the guest: errc::trap, errc::uncaught_exception,
  ///         errc::interrupted, errc::exited, errc::host_error or what else a host function returned;
  ///         errc::would_suspend when a host coroutine did not finish at once.
  result<std::vector<value>> call(store& owner, std::span<const value> arguments = {}) const;

  /// Calls the function as a coroutine of a weir runtime.
  ///
  /// Suspends: at a checkpoint when the scheduler asks, and while a host coroutine runs.
  /// Cancels:  a destroyed coroutine drops the guest's stack; effects up to there stay.
  /// Errors:   as call(), without errc::would_suspend.
  /// Lifetime: the store must outlive the coroutine.
  task<result<std::vector<value>>> call_async(store& owner, std::vector<value> arguments = {}) const;

  /// The function with a type checked once, here.
  ///
  /// Errors: errc::type_mismatch.
  template <class R, class... A> result<typed_func<R(A...)>> typed() const {
    if (auto checked = check_type(detail::signature_of<R, A...>()); !checked)
      return std::unexpected(std::move(checked).error());
    return typed_func<R(A...)>{*this};
  }

  /// A non-null funcref to this function.
  value to_value() const;
  /// The function of a funcref; none for null.
  ///
  /// Errors: a value of another type ends the program.
  static std::optional<func> from_value(value reference);

  friend bool operator==(func, func) = default;

private:
  friend struct detail::access;
  template <class Signature> friend class typed_func;
  explicit func(detail::func_object* object) : object_{object} {}
  static func create(store& owner, func_type type, std::shared_ptr<detail::host_function> callable);
  result<void> check_type(const func_type& expected) const;
  result<void> call_slots(store& owner, std::span<const std::uint64_t> arguments,
                          std::span<std::uint64_t> results) const;
  task<result<std::vector<std::uint64_t>>> call_slots_async(store& owner, std::vector<std::uint64_t> arguments) const;
  detail::func_object* object_;
};

/// A function whose type is known at compile time. `R` is void, a value or a std::tuple of values, as value_traits
/// knows them.
template <class R, class... A> class typed_func<R(A...)> {
public:
  /// Calls the function and waits for its results on this thread.
  ///
  /// Errors: as func::call().
  result<R> call(store& owner, A... arguments) const {
    const std::array<std::uint64_t, sizeof...(A)> in{value_traits<A>::to_bits(arguments)...};
    std::array<std::uint64_t, detail::result_traits<R>::count> out{};
    if (auto called = function_.call_slots(owner, in, out); !called) return std::unexpected(std::move(called).error());
    return detail::result_traits<R>::read(out.data());
  }

  /// Calls the function as a coroutine of a weir runtime.
  ///
  /// Suspends, Cancels, Errors, Lifetime: as func::call_async().
  task<result<R>> call_async(store& owner, A... arguments) const {
    return finish(function_.call_slots_async(owner, {value_traits<A>::to_bits(arguments)...}));
  }

  func untyped() const { return function_; }

private:
  friend class func;
  explicit typed_func(func function) : function_{function} {}
  static task<result<R>> finish(task<result<std::vector<std::uint64_t>>> call) {
    auto out = co_await std::move(call);
    if (!out) co_return std::unexpected(std::move(out).error());
    co_return detail::result_traits<R>::read(out->data());
  }
  func function_;
};

} // namespace weir::wasm
