// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the results of typed calls and of host functions travel through slots of 64 bits.
#include <weir/wasm/error.hpp>
#include <weir/wasm/types.hpp>
#include <weir/wasm/value.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace weir::wasm::detail {

/// What a function returns once nothing can fail and nothing waits: void, a value or a tuple of values.
template <class R> struct result_traits {
  static_assert(wasm_value<R>, "a result must be void, a type that value_traits knows, or a std::tuple of such types");
  static constexpr std::size_t count = 1;
  static std::vector<value_type> types() { return {value_traits<R>::type}; }
  static void write(const R& from, std::uint64_t* slots) { slots[0] = value_traits<R>::to_bits(from); }
  static result<R> read(const std::uint64_t* slots) { return value_traits<R>::from_bits(slots[0]); }
};

template <> struct result_traits<void> {
  static constexpr std::size_t count = 0;
  static std::vector<value_type> types() { return {}; }
  static result<void> read(const std::uint64_t*) { return {}; }
};

template <class... T> struct result_traits<std::tuple<T...>> {
  static_assert((wasm_value<T> && ...), "each element of a result tuple must be a type that value_traits knows");
  static constexpr std::size_t count = sizeof...(T);
  static std::vector<value_type> types() { return {value_traits<T>::type...}; }
  static void write(const std::tuple<T...>& from, std::uint64_t* slots) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((slots[I] = value_traits<T>::to_bits(std::get<I>(from))), ...);
    }(std::index_sequence_for<T...>{});
  }
  static result<std::tuple<T...>> read(const std::uint64_t* slots) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<T...>{value_traits<T>::from_bits(slots[I])...};
    }(std::index_sequence_for<T...>{});
  }
};

template <class R, class... A> func_type signature_of() {
  static_assert((wasm_value<A> && ...), "each parameter must be a type that value_traits knows");
  return {{value_traits<A>::type...}, result_traits<R>::types()};
}

} // namespace weir::wasm::detail
