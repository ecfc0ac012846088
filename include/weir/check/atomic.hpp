// SPDX-License-Identifier: Apache-2.0
#pragma once

// Atomics and fences whose every possible behaviour a model explores. They have the interface of std::atomic, apart
// from what hides an order: assignment, conversion and the operators are left out.

#include <cstddef>
#include <cstring>
#include <source_location>
#include <type_traits>

#include <weir/check/detail/hooks.hpp>

namespace weir::check {

using std::memory_order;

/// An atomic object of a model. T is trivially copyable and at most eight bytes, without padding.
///
/// Thread:   model threads; outside of a model it is plain memory.
/// Lifetime: an access that its destruction does not come after is reported.
template <class T> class atomic : private detail::atomic_base {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8,
                "a model atomic holds at most eight trivially copyable bytes");
  using where_t = std::source_location;
  using kind = detail::operation_kind;
  static constexpr bool is_number = std::is_integral_v<T> && !std::is_same_v<T, bool>;
  static constexpr bool is_counter = is_number || (std::is_pointer_v<T> && !std::is_void_v<std::remove_pointer_t<T>>);

public:
  using value_type = T;
  using difference_type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;
  static constexpr bool is_always_lock_free = true;

  constexpr atomic() noexcept : atomic(T{}) {}
  constexpr atomic(T value, where_t where = where_t::current()) noexcept : detail::atomic_base{encode(value)} {
    if (!std::is_constant_evaluated()) detail::construct(*this, where);
  }
  constexpr ~atomic() {
    if (!std::is_constant_evaluated()) detail::destroy(*this, where_t::current());
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  [[nodiscard]] bool is_lock_free() const noexcept { return true; }

  T load(memory_order order = memory_order::seq_cst, where_t where = where_t::current()) const {
    return decode(detail::perform(*this, make(kind::load, order), where));
  }
  void store(T value, memory_order order = memory_order::seq_cst, where_t where = where_t::current()) {
    detail::perform(*this, make(kind::store, order, encode(value)), where);
  }
  T exchange(T value, memory_order order = memory_order::seq_cst, where_t where = where_t::current()) {
    return decode(detail::perform(*this, make(kind::exchange, order, encode(value)), where));
  }

  bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure,
                               where_t where = where_t::current()) {
    detail::operation op = make(kind::compare_exchange, success, encode(desired));
    op.failure = failure;
    op.expected = encode(expected);
    const std::uint64_t seen = detail::perform(*this, op, where);
    if (seen == op.expected) return true;
    expected = decode(seen);
    return false;
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order order = memory_order::seq_cst,
                               where_t where = where_t::current()) {
    return compare_exchange_strong(expected, desired, order, failure_of(order), where);
  }
  /// As compare_exchange_strong(); a failure for no reason is explored where the model's options allow one.
  bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure,
                             where_t where = where_t::current()) {
    if (detail::fails_for_no_reason()) {
      expected = load(failure, where);
      return false;
    }
    return compare_exchange_strong(expected, desired, success, failure, where);
  }
  bool compare_exchange_weak(T& expected, T desired, memory_order order = memory_order::seq_cst,
                             where_t where = where_t::current()) {
    return compare_exchange_weak(expected, desired, order, failure_of(order), where);
  }

  T fetch_add(difference_type value, memory_order order = memory_order::seq_cst, where_t where = where_t::current())
    requires(is_counter)
  {
    return decode(detail::perform(*this, make(kind::add, order, scaled(value)), where));
  }
  T fetch_sub(difference_type value, memory_order order = memory_order::seq_cst, where_t where = where_t::current())
    requires(is_counter)
  {
    return decode(detail::perform(*this, make(kind::subtract, order, scaled(value)), where));
  }
  T fetch_and(T value, memory_order order = memory_order::seq_cst, where_t where = where_t::current())
    requires(is_number)
  {
    return decode(detail::perform(*this, make(kind::bit_and, order, encode(value)), where));
  }
  T fetch_or(T value, memory_order order = memory_order::seq_cst, where_t where = where_t::current())
    requires(is_number)
  {
    return decode(detail::perform(*this, make(kind::bit_or, order, encode(value)), where));
  }
  T fetch_xor(T value, memory_order order = memory_order::seq_cst, where_t where = where_t::current())
    requires(is_number)
  {
    return decode(detail::perform(*this, make(kind::bit_xor, order, encode(value)), where));
  }

  /// Gives the object a name for reports.
  void name(std::string_view name) const { detail::set_name(*this, name); }
  [[nodiscard]] const detail::atomic_base& base() const noexcept { return *this; }

private:
  static constexpr std::uint64_t encode(T value) noexcept {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<std::uint64_t>(value) & detail::width_mask(sizeof(T));
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<std::uint64_t>(static_cast<std::underlying_type_t<T>>(value)) & detail::width_mask(sizeof(T));
    } else if constexpr (std::is_pointer_v<T>) {
      if (value == nullptr) return 0;
      return reinterpret_cast<std::uintptr_t>(value);
    } else {
      std::uint64_t bits = 0;
      std::memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
      return bits;
    }
  }
  static T decode(std::uint64_t bits) noexcept {
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(T)); // little endian
    return value;
  }
  static std::uint64_t scaled(difference_type value) noexcept {
    if constexpr (std::is_pointer_v<T>) {
      return static_cast<std::uint64_t>(value * static_cast<std::ptrdiff_t>(sizeof(std::remove_pointer_t<T>)));
    } else {
      return encode(value);
    }
  }
  static constexpr memory_order failure_of(memory_order order) noexcept {
    if (order == memory_order::acq_rel) return memory_order::acquire;
    return order == memory_order::release ? memory_order::relaxed : order;
  }
  static detail::operation make(kind what, memory_order order, std::uint64_t operand = 0) noexcept {
    return {.kind = what, .bytes = sizeof(T), .order = order, .failure = order, .operand = operand};
  }
};

/// A flag of a model, with the interface of the standard one.
class atomic_flag {
  using where_t = std::source_location;

public:
  explicit atomic_flag(where_t where = where_t::current()) noexcept : is_set_(false, where) {}

  [[nodiscard]] bool test(memory_order order = memory_order::seq_cst, where_t where = where_t::current()) const {
    return is_set_.load(order, where);
  }
  bool test_and_set(memory_order order = memory_order::seq_cst, where_t where = where_t::current()) {
    return is_set_.exchange(true, order, where);
  }
  void clear(memory_order order = memory_order::seq_cst, where_t where = where_t::current()) {
    is_set_.store(false, order, where);
  }
  /// Gives the object a name for reports.
  void name(std::string_view name) const { is_set_.name(name); }

private:
  atomic<bool> is_set_;
};

/// A fence of a model thread.
inline void fence(memory_order order, std::source_location where = std::source_location::current()) {
  detail::perform_fence(order, where);
}

} // namespace weir::check
