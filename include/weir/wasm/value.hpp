// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/types.hpp>

#include <bit>
#include <concepts>
#include <cstdint>

namespace weir::wasm {

/// A WebAssembly value with its type. Floats keep their exact bits; a reference is opaque and belongs to its store.
struct value {
  value_type type = i32;
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

/// Maps a C++ type to the WebAssembly type that carries it in a typed call or a host function.
template <class T>
struct value_traits;

#define WEIR_WASM_VALUE_TRAITS(cpp_type, wasm_type)                                                                               \
  template <>                                                                                                                    \
  struct value_traits<cpp_type> {                                                                                                \
    static constexpr value_type type = wasm_type;                                                                                \
    static constexpr std::uint64_t to_bits(cpp_type v) { return value{v}.bits; }                                                 \
    static constexpr cpp_type from_bits(std::uint64_t bits) {                                                                    \
      if constexpr (std::same_as<cpp_type, float>)                                                                               \
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));                                                           \
      else if constexpr (std::same_as<cpp_type, double>)                                                                         \
        return std::bit_cast<double>(bits);                                                                                      \
      else                                                                                                                       \
        return static_cast<cpp_type>(bits);                                                                                      \
    }                                                                                                                            \
  }
WEIR_WASM_VALUE_TRAITS(std::int32_t, i32);
WEIR_WASM_VALUE_TRAITS(std::uint32_t, i32);
WEIR_WASM_VALUE_TRAITS(std::int64_t, i64);
WEIR_WASM_VALUE_TRAITS(std::uint64_t, i64);
WEIR_WASM_VALUE_TRAITS(float, f32);
WEIR_WASM_VALUE_TRAITS(double, f64);
#undef WEIR_WASM_VALUE_TRAITS

template <class T>
concept wasm_value = requires { value_traits<T>::type; };

} // namespace weir::wasm
