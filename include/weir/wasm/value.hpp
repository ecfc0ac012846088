// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/types.hpp>

#include <bit>
#include <concepts>
#include <cstdint>

namespace weir::wasm {

/// A WebAssembly value with its type. Floats keep their exact bits; a reference is opaque and belongs to its store.
struct value {
  value_type type = wasm::i32;
  std::uint64_t bits = 0;

  constexpr value() = default;
  constexpr value(std::int32_t v) : type{wasm::i32}, bits{static_cast<std::uint32_t>(v)} {}
  constexpr value(std::uint32_t v) : type{wasm::i32}, bits{v} {}
  constexpr value(std::int64_t v) : type{wasm::i64}, bits{static_cast<std::uint64_t>(v)} {}
  constexpr value(std::uint64_t v) : type{wasm::i64}, bits{v} {}
  constexpr value(float v) : type{wasm::f32}, bits{std::bit_cast<std::uint32_t>(v)} {}
  constexpr value(double v) : type{wasm::f64}, bits{std::bit_cast<std::uint64_t>(v)} {}
  constexpr value(value_type t, std::uint64_t b) : type{t}, bits{b} {}

  constexpr std::int32_t i32() const { return static_cast<std::int32_t>(bits); }
  constexpr std::int64_t i64() const { return static_cast<std::int64_t>(bits); }
  constexpr float f32() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
  constexpr double f64() const { return std::bit_cast<double>(bits); }
  constexpr bool is_null() const { return bits == 0; }
};

namespace detail {
/// Reads a slot as a number of type `T`; a slot holds a narrow one in its low bits.
template <class T> constexpr T from_slot(std::uint64_t bits) {
  if constexpr (std::same_as<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else if constexpr (std::same_as<T, double>)
    return std::bit_cast<double>(bits);
  else
    return static_cast<T>(bits);
}

template <class T, std::uint32_t Code> struct number_traits {
  static constexpr value_type type{Code};
  static constexpr std::uint64_t to_bits(T v) { return value{v}.bits; }
  static constexpr T from_bits(std::uint64_t bits) { return from_slot<T>(bits); }
};
} // namespace detail

/// Maps a C++ type to the WebAssembly type that carries it in a typed call or a host function.
template <class T> struct value_traits;
template <> struct value_traits<std::int32_t> : detail::number_traits<std::int32_t, i32.code> {};
template <> struct value_traits<std::uint32_t> : detail::number_traits<std::uint32_t, i32.code> {};
template <> struct value_traits<std::int64_t> : detail::number_traits<std::int64_t, i64.code> {};
template <> struct value_traits<std::uint64_t> : detail::number_traits<std::uint64_t, i64.code> {};
template <> struct value_traits<float> : detail::number_traits<float, f32.code> {};
template <> struct value_traits<double> : detail::number_traits<double, f64.code> {};

template <class T>
concept wasm_value = requires { value_traits<T>::type; };

} // namespace weir::wasm
